import type { Answers } from '@plant-store/contract';

/** Answers that nobody gave. They are here to try what happens once questions are answered. */
export const exampleAnswers = { 'http-method': 'PUT' } as const satisfies Answers;
