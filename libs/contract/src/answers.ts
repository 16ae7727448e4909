import type { Answers } from './answer-types.js';

/**
 * The answers on the code's side, one line for each answered question. Receiver, sender, types and documents read
 * them here. docs/how-to/answer-a-question.md says how to enter an answer.
 */
export const answers = {} as const satisfies Answers;
