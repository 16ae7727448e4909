import type { Answers } from './answer-types.js';

/**
 * The answers on the code's side: one line for each answered question. Receiver, sender, types and
 * documents take them from here. Nobody has answered one.
 */
export const answers = {} as const satisfies Answers;
