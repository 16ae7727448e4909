import type { CarriedOut as Answers, QuestionId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

/** The example answers to some questions. */
export function examplesOf(answered: readonly QuestionId[]): Answers {
  return Object.fromEntries(answered.map((id) => [id, exampleAnswers[id]]));
}
