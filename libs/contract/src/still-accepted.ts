import type { StillAccepted } from './check-still-accepted.js';

/**
 * What is accepted beside the answers for a while, so that an answer can change without a gap. Nothing of it is in a
 * published document. docs/how-to/answer-a-question.md says when to use it.
 */
export const stillAccepted = {} as const satisfies StillAccepted;
