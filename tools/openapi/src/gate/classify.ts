import type { Comparison } from '../facts/compare.js';
import type { Action } from '../overlay/action.js';
import type { Finding } from './finding.js';

/** The state of a fact: of what the baseline states, what the document states, and an answer if there is one. */
export function classify({ pointer, alsoAt, first, second, labels }: Comparison<Action>): Finding {
  const action = labels.at(-1);
  const facts = { pointer, alsoAt, ...(first && { baseline: first }), ...(second && { document: second }) };
  if (first === undefined) return { ...facts, state: 'invented' };
  if (action === undefined) return { ...facts, state: second === undefined ? 'missing' : 'contradicted' };
  if (second === undefined) return { ...facts, state: 'stale answer', reason: 'not shown', action };
  if (first.text === second.text) return { ...facts, state: 'answered', action };
  return { ...facts, state: 'stale answer', reason: 'shown differently', action };
}
