import type { Answers } from './answer-types.js';

/**
 * The answers: one entry for each answered question, with who answered, when and why. Receiver, sender, types and
 * documents take them from here. OPEN_QUESTIONS.md has the line to paste for each question.
 */
export const answers = {} as const satisfies Answers;
