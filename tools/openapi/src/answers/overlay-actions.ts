import { targetOf } from '../overlay/read-overlay.js';
import type { ImpliedAction } from './implied-actions.js';

/** Who answered a question, when and why. */
export interface Provenance {
  readonly who: string;
  readonly date: string;
  readonly reason: string;
}

/** An answer that an overlay must state. */
export interface OverlayAnswer {
  readonly question: string;
  readonly value: unknown;
  /** What the answer adds to the document. */
  readonly actions: readonly ImpliedAction[];
  readonly provenance: Provenance;
}

/** The actions of an answer as they are written. The first has the answer. */
export function actionFields({
  question,
  value,
  actions,
  provenance,
}: OverlayAnswer): Record<string, unknown>[] {
  const added = actions.map(({ steps, update }) => ({ target: targetOf(steps), update }));
  return (added.length === 0 ? [{ target: '$' }] : added).map((part, index) => ({
    ...part,
    'x-question': question,
    ...(index === 0 && { 'x-answer': value }),
    'x-answered-by': provenance.who,
    'x-date': provenance.date,
    'x-reason': provenance.reason,
  }));
}
