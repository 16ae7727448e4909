import {
  type AnswerValues,
  type Consequences,
  type ExecutableId,
  isExecutable,
  type OpenQuestion,
  openQuestions,
} from '@plant-store/contract';
import { examplesOf } from '@plant-store/example-answers';

/** A question, and whether it is open or has its example answer. */
export interface State {
  readonly id: ExecutableId;
  readonly answer: Answer;
}

export type Answer = 'open' | 'example';

const questions: readonly OpenQuestion[] = openQuestions;

export const executable = questions.map(({ id }) => id).filter(isExecutable);

/** What the register says of the answer to a question. */
export function registered(id: ExecutableId): Consequences {
  return questions.find((question) => question.id === id)!.answered!;
}

/** Both states of a question. */
export function statesOf(id: ExecutableId): State[] {
  return [
    { id, answer: 'open' },
    { id, answer: 'example' },
  ];
}

/** Questions without whose answers an example contradicts the others. */
const NEEDED: { readonly [Id in ExecutableId]?: readonly ExecutableId[] } = { signing: ['event-identity'] };

/** The questions that are answered in both states of a question, because its answer does nothing without them. */
export function besideOf(id: ExecutableId): readonly ExecutableId[] {
  const { beside = [] } = questions.find((question) => question.id === id)!;
  const needed = [...beside, ...(NEEDED[id] ?? [])].filter(isExecutable);
  return [...new Set(needed.flatMap((other) => [...besideOf(other), other]))];
}

/** The answers in a state. */
export function answersIn({ id, answer }: State): AnswerValues {
  return examplesOf(answer === 'open' ? besideOf(id) : [...besideOf(id), id]);
}
