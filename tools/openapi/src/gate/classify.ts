import type { Comparison } from '../facts/compare.js';
import type { Action } from '../overlay/action.js';
import type { Finding } from './finding.js';

/** The state of a fact: of what the baseline states, what the document states, and an answer if there is one. */
export function classify({ pointer, alsoAt, first, second, label }: Comparison<Action>): Finding {
  const facts = { pointer, alsoAt, ...(first && { baseline: first }), ...(second && { document: second }) };
  if (first === undefined) return { ...facts, state: 'invented' };
  if (label === undefined) return { ...facts, state: second === undefined ? 'missing' : 'contradicted' };
  if (second === undefined) return { ...facts, state: 'stale answer', reason: 'not shown', action: label };
  if (first.text === second.text) return { ...facts, state: 'answered', action: label };
  return { ...facts, state: 'stale answer', reason: 'shown differently', action: label };
}
