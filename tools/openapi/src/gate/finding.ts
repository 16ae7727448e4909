import type { Comparison } from '../facts/compare.js';
import type { Fact } from '../facts/fact.js';
import type { Action } from '../overlay/read-overlay.js';

/** The states of a fact that a report lists. `specified` facts are only counted. */
export type FindingState = 'missing' | 'contradicted' | 'invented' | 'answered' | 'stale answer';

/** Why an answer is stale. */
export type StaleReason =
  /** The document does not show it. */
  | 'not shown'
  /** The document shows another value. */
  | 'shown differently'
  /** The document shows it, but the answer of the code doesn't add it. */
  | 'shown without the answer'
  /** The target of the action is not in the baseline. */
  | 'no target'
  /** A later action adds the target. */
  | 'out of order'
  /** The baseline states something at that place already. */
  | 'would overwrite'
  /** The action adds no fact: it is empty, or all of it is OpenAPI's default. */
  | 'states nothing';

/** A fact that isn't specified, or a stale answer without one. */
export interface Finding {
  readonly state: FindingState;
  /** JSON Pointer of the fact. */
  readonly pointer: string;
  /** The same fact in other places, which share a schema or another part with this one: the first 999 of them. */
  readonly alsoAt: readonly string[];
  /** In how many places it is, this one and those that `alsoAt` leaves out included. */
  readonly count: number;
  /** What the specification, or an answer to it, states. */
  readonly baseline?: Fact;
  /** What the document states. */
  readonly document?: Fact;
  /** The action of the overlay that states it. */
  readonly action?: Action;
  readonly reason?: StaleReason;
  /** The later action that adds the target of this one. */
  readonly after?: Action;
}

/** The state of a fact that a comparison lists. Its label is the answer that states it. */
export function classify({ pointer, alsoAt, count, first, second, labels }: Comparison<Action>): Finding {
  const action = labels.at(-1);
  const facts = {
    pointer,
    alsoAt,
    count,
    ...(first && { baseline: first }),
    ...(second && { document: second }),
  };
  if (first === undefined) return { ...facts, state: 'invented' };
  if (action === undefined) return { ...facts, state: second === undefined ? 'missing' : 'contradicted' };
  if (second === undefined) return { ...facts, state: 'stale answer', reason: 'not shown', action };
  if (first.text === second.text) return { ...facts, state: 'answered', action };
  return { ...facts, state: 'stale answer', reason: 'shown differently', action };
}
