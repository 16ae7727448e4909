import { type ExecutableId, openQuestions, type QuestionId } from '@plant-store/contract';
import { kinds } from '@plant-store/contract/kinds';

type ExampleAnswers = {
  readonly [Id in QuestionId]: Id extends ExecutableId ? (typeof kinds)[Id]['example'] : 'An example.';
};

/**
 * An example answer to every question of the register: that of its kind, or words. **Nobody gave them.** Tests use them
 * to answer questions. example-answers.overlay.yaml is the other side.
 */
export const exampleAnswers = Object.fromEntries(
  openQuestions.map(({ id }) => [id, id in kinds ? kinds[id as ExecutableId].example : 'An example.']),
) as ExampleAnswers;

/** The example answers to some questions. */
export function examplesOf<Id extends QuestionId>(answered: readonly Id[]): Pick<ExampleAnswers, Id> {
  return Object.fromEntries(answered.map((id) => [id, exampleAnswers[id]])) as Pick<ExampleAnswers, Id>;
}
