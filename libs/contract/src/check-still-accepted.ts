import * as v from 'valibot';
import { type Answers, type Executable, executableOf } from './answer-types.js';
import { faultsIn } from './faults.js';
import type { AnswerOf } from './kinds/kind.js';
import { mediaType, said, textThat } from './kinds/parts.js';
import { CONTENT_METHODS, isJsonMediaType } from './standards.js';

/** Values that are accepted beside the answer to a question, until a day. */
const accepted = <Value extends v.GenericSchema>(value: Value) =>
  v.strictObject({
    /** The values. The answer itself isn't among them. */
    also: v.pipe(v.array(value), v.nonEmpty('a list with a value')),
    /** The last day, such as `2026-01-31`. The gate fails on the day after it. Nothing that runs looks at it. */
    until: textThat(isDay, 'a day such as 2026-01-31'),
    /** Who decided it, for the reviewer. */
    decidedBy: said,
    /** Why, for the reviewer. */
    reason: said,
  });

const schemas = {
  /** Methods that receivers take too. */
  'http-method': accepted(v.picklist(CONTENT_METHODS)),
  /** Media types that receivers take too. */
  'media-type': accepted(mediaType),
  /** Statuses that senders take as an acknowledgement too. */
  'receiver-response': accepted(v.picklist([200, 201, 202, 203, 204, 205])),
};

/** What is accepted beside the answers. A question that is left out is as answered. */
export type StillAccepted = { readonly [Id in keyof typeof schemas]?: AnswerOf<(typeof schemas)[Id]> };

/** Everything in `stillAccepted` that can't be carried out with these answers, as `<question>: <fault>`. */
export function stillAcceptedFaults(
  stillAccepted: Readonly<Record<string, unknown>>,
  answers: Readonly<Record<string, unknown>>,
): string[] {
  const carried = executableOf(answers as Answers);
  return Object.entries(stillAccepted).flatMap(([id, accepted]) =>
    [...faultsOf(id as keyof StillAccepted, accepted, carried)].map((fault) => `${id}: ${fault}`),
  );
}

function* faultsOf(id: keyof StillAccepted, accepted: unknown, answers: Executable): Generator<string> {
  const { 'media-type': type = '', 'receiver-response': response, retry } = answers;
  const answer = id === 'receiver-response' ? response?.status : answers[id];
  if (answer === undefined || !Object.hasOwn(schemas, id)) {
    yield 'is not answered with a value beside which others can be accepted';
    return;
  }
  const faults = faultsIn(schemas[id], accepted);
  yield* faults;
  const { also } = faults.length > 0 ? { also: [] } : (accepted as NonNullable<StillAccepted[typeof id]>);
  for (const value of also) {
    if (value === answer) yield `also must not have ${value}, which is the answer`;
    if (id === 'media-type' && isJsonMediaType(String(value)) !== isJsonMediaType(type)) {
      yield `also must not have ${value}, because content is read as ${type}`;
    }
    if (id === 'receiver-response' && retry?.statuses !== 'all' && retry?.statuses.includes(Number(value))) {
      yield `also must not have ${value}, after which retry sends again`;
    }
  }
}

/** The questions whose time in `stillAccepted` is over, as `<question>: <fault>`. @param today such as `2026-01-31` */
export function overdueFaults(
  stillAccepted: Readonly<Record<string, { readonly until: string }>>,
  today: string,
): string[] {
  return Object.entries(stillAccepted)
    .filter(([, { until }]) => until < today)
    .map(([id, { until }]) => `${id}: until ${until} is over; remove it, or decide on a later day`);
}

/** Whether a text is a day of the calendar, as `2026-01-31`. */
export function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}
