import type { Executable as Answers, ExecutableId, StillAccepted } from '@plant-store/contract';
import { kinds } from '@plant-store/contract/kinds';
import { examplesOf } from '@plant-store/example-answers';
import { builtOn } from '../scenario/expected.js';

/** A question, and whether it is open, has the example answer, or another one, by its name. */
export interface State {
  readonly id: ExecutableId;
  readonly answer: 'open' | 'example' | (string & {});
  /** The state whose answer is accepted beside this one. */
  readonly accepting?: string;
}

/** Changes from the example answer to another one that need `stillAccepted`, and the side that has to accept. */
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

export const executable = Object.keys(kinds) as ExecutableId[];

/** The states of a question that are tried. */
export function statesOf(id: ExecutableId): State[] {
  return ['open', 'example', ...Object.keys(moreOf(id))].map((answer) => ({ id, answer }));
}

/** The answers in a state. Those on which the question is built are answered too. */
export function answersIn({ id, answer }: State): Answers {
  const others = examplesOf(builtOn(id));
  return answer === 'open' ? others : { ...others, [id]: answerNamed(id, answer) };
}

/** What is accepted beside the answers in a state. */
export function stillAcceptedIn({ id, accepting }: State): StillAccepted {
  if (accepting === undefined) return {};
  const answer = answerNamed(id, accepting);
  const value = id === 'receiver-response' ? (answer as { status: number }).status : answer;
  return { [id]: { also: [value], until: '9999-12-31', decidedBy: 'Nobody', reason: 'An example.' } };
}

function answerNamed(id: ExecutableId, name: string): unknown {
  return name === 'example' ? kinds[id].example : moreOf(id)[name];
}

function moreOf(id: ExecutableId): Readonly<Record<string, unknown>> {
  return kinds[id].more ?? {};
}
