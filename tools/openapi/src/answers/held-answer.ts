import type { Action } from '../overlay/action.js';
import type { EnteredAnswer } from './entered-answers.js';

/** How the two sides of an answer stand to each other. All but `answered` fail the gate. */
export type AnswerState =
  /** Both sides say the same, or the code's side was not asked. */
  | 'answered'
  /** One side says it, the other nothing. */
  | 'missing answer'
  /** Each side says something else. */
  | 'contradicting answers'
  /** Actions of the overlay add facts for it, and none says the answer itself. */
  | 'answer without value'
  /** There is no such question. */
  | 'unknown question';

/** What both sides say of a question. */
export interface HeldAnswer {
  readonly state: AnswerState;
  readonly question: string;
  /** The action that says the answer, or else the first of the question. */
  readonly action?: Action;
  /** Every action of the question. */
  readonly actions: readonly Action[];
  /** What the code's side says. */
  readonly entered?: EnteredAnswer;
  /** The question that an unknown one is most like. */
  readonly nearest?: string;
}
