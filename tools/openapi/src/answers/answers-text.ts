import { type Answers, answerFaults, plainAnswers } from '@plant-store/contract';
import { ANSWER_KINDS } from './answer-kinds.js';

/** The file that answers are entered in on the code's side. */
export const ANSWERS_SOURCE = 'libs/contract/src/answers.ts';

/** Answers as a file, or why they are none. */
export type AnswersText = { readonly text: string } | { readonly faults: readonly string[] };

/** What the contract says, as JSON: see `readAnswers`. */
export function answersText(answers: Answers, questions: readonly string[]): AnswersText {
  const faults = answerFaults(answers);
  if (faults.length > 0) return { faults };
  const file = {
    source: ANSWERS_SOURCE,
    questions,
    schemas: Object.entries(ANSWER_KINDS).flatMap(([id, kind]) => (kind === 'schema' ? [id] : [])),
    answers: plainAnswers(answers),
  };
  return { text: `${JSON.stringify(file, null, 2)}\n` };
}
