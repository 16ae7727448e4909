import { valuesOf, type ValuesOf } from './answer-types.js';
import { answers } from './answers.js';

/** The answers that the software carries out, by question. Receiver and sender run by these. */
export const answerValues: ValuesOf<typeof answers> = valuesOf(answers);
