import {
  type Answers,
  type AnswerSchema,
  answerFaults,
  type ExecutableAnswers,
  type ExecutableId,
  plainAnswers,
} from '@plant-store/contract';

/** The file that answers are entered in on the code's side. */
export const ANSWERS_SOURCE = 'libs/contract/src/answers.ts';

type SchemaId = {
  [Id in ExecutableId]: ExecutableAnswers[Id] extends AnswerSchema ? Id : never;
}[ExecutableId];

/** The questions that are answered with a schema: what is compared is its JSON Schema. */
const ANSWERED_WITH_SCHEMA: { readonly [Id in SchemaId]: true } = {
  'event-payload-fields': true,
  'plant-fields': true,
};

/** Answers as a file, or why they are none. */
export type AnswersText = { readonly text: string } | { readonly faults: readonly string[] };

/** What the contract says, as JSON: see `readAnswers`. */
export function answersText(answers: Answers, questions: readonly string[]): AnswersText {
  const faults = answerFaults(answers);
  if (faults.length > 0) return { faults };
  const file = {
    source: ANSWERS_SOURCE,
    questions,
    schemas: Object.keys(ANSWERED_WITH_SCHEMA),
    answers: plainAnswers(answers),
  };
  return { text: `${JSON.stringify(file, null, 2)}\n` };
}
