import type { Answers } from '@plant-store/contract';

/** Answers that nobody gave. They are here to try what happens once questions are answered. */
export const exampleAnswers = {
  'base-address': 'http://127.0.0.1:9/example',
  'http-method': 'PUT',
  'media-type': 'application/json',
} as const satisfies Answers;
