import type { Answers, ExecutableId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { builtOn, ROWS } from '../../src/rows.js';
import { otherAnswers } from '../scenario/other-answers.js';
import { nameOf } from '../scenario/scenario.js';

/** A question, and whether it is open, has the example answer, or another one, by its name. */
export interface State {
  readonly id: ExecutableId;
  readonly answer: 'open' | 'example' | (string & {});
}

export const executable = Object.keys(ROWS) as ExecutableId[];

/** The states of a question that are tried. */
export function statesOf(id: ExecutableId): State[] {
  const others = (otherAnswers as Partial<Record<ExecutableId, object>>)[id] ?? {};
  return ['open', 'example', ...Object.keys(others)].map((answer) => ({ id, answer }));
}

/** The answers in a state. Those on which the question is built are answered too. */
export function answersIn({ id, answer }: State): Answers {
  const others = Object.fromEntries(builtOn(id).map((other) => [other, exampleAnswers[other]]));
  if (answer === 'open') return others;
  if (answer === 'example') return { ...others, [id]: exampleAnswers[id] };
  const named = (otherAnswers as Partial<Record<ExecutableId, Readonly<Record<string, unknown>>>>)[id];
  return { ...others, [id]: named?.[answer] };
}

/** The name of the scenario with the answers of a state. loader.mjs reads it. */
export function scenarioOf({ id, answer }: State): string {
  if (answer === 'open') return nameOf(builtOn(id));
  return [nameOf(builtOn(id)), answer === 'example' ? id : `${id}:${answer}`].join(' ').trim();
}
