import type { Answers, ExecutableId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { builtOn, ROWS } from '../../src/rows.js';
import { otherAnswers } from '../scenario/other-answers.js';
import { nameOf } from '../scenario/scenario.js';

/** A question, and whether it is open, has the example answer, or another one, by its name. */
export interface State {
  readonly id: ExecutableId;
  readonly answer: 'open' | 'example' | (string & {});
  /** The state whose answer is accepted beside this one. */
  readonly accepting?: string;
}

/** Changes from the example answer to another one that need `accepts`, and the side that has to accept. */
export const TRANSITIONS = [
  { id: 'http-method', after: 'post', first: 'receivers first' },
  { id: 'media-type', after: 'vendor', first: 'receivers first' },
  { id: 'receiver-response', after: 'empty', first: 'senders first' },
] as const satisfies readonly { readonly id: ExecutableId; readonly after: string; readonly first: string }[];

/** The state between the two: the answer is the new one, and the example answer is still accepted. */
export function betweenOf({ id, after }: { readonly id: ExecutableId; readonly after: string }): State {
  return { id, answer: after, accepting: 'example' };
}

/** The name of a state, which no other state of the question has. */
export function labelOf({ answer, accepting }: State): string {
  return accepting === undefined ? answer : `${answer}, accepting ${accepting}`;
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
export function scenarioOf({ id, answer, accepting }: State): string {
  const word = (name: string): string => (name === 'example' ? id : `${id}:${name}`);
  const words = [
    nameOf(builtOn(id)),
    ...(answer === 'open' ? [] : [word(answer)]),
    ...(accepting === undefined ? [] : [`+${word(accepting)}`]),
  ];
  return words.join(' ').trim();
}
