import type { Answers } from './answer-types.js';
import { isJsonMediaType, mediaTypeFaults, textFaults, unless } from './answers/checks.js';
import type { ReceiverResponse } from './answers/responses.js';
import { CONTENT_METHODS, type ContentMethod } from './standards.js';

/** Values that are accepted beside the answer to a question, until a day. */
export interface Accepted<Value> {
  /** The values. The answer itself isn't among them. */
  readonly also: readonly Value[];
  /** The last day, such as `2026-01-31`. The gate fails on the day after it. Nothing that runs looks at it. */
  readonly until: string;
  /** Who decided it, for the reviewer. */
  readonly decidedBy: string;
  /** Why, for the reviewer. */
  readonly reason: string;
}

/** What is accepted beside the answers. A question that is left out is as answered. */
export interface Accepts {
  /** Methods that receivers take too. */
  readonly 'http-method'?: Accepted<ContentMethod>;
  /** Media types that receivers take too. */
  readonly 'media-type'?: Accepted<string>;
  /** Statuses that senders take as an acknowledgement too. */
  readonly 'receiver-response'?: Accepted<ReceiverResponse['status']>;
}

/** Everything in `accepts` that can't be carried out with these answers, as `<question>: <fault>`. */
export function acceptFaults(accepts: Accepts, answers: Answers): string[] {
  return Object.entries(accepts).flatMap(([id, accepted]: [string, Accepted<string | number>]) =>
    faultsOf(id, accepted, answers).map((fault) => `${id}: ${fault}`),
  );
}

/** The questions whose time in `accepts` is over, as `<question>: <fault>`. @param today such as `2026-01-31` */
export function overdueFaults(accepts: Accepts, today: string): string[] {
  return Object.entries(accepts).flatMap(([id, { until }]: [string, Accepted<unknown>]) =>
    unless(today <= until, `${id}: until ${until} is over; remove it, or decide on a later day`),
  );
}

function faultsOf(
  id: string,
  { also, until, decidedBy, reason }: Accepted<string | number>,
  answers: Answers,
): string[] {
  const answer = answeredValue(id, answers);
  if (answer === undefined) return ['is not answered with a value beside which others can be accepted'];
  return [
    ...unless(also.length > 0, 'also must have a value'),
    ...unless(!also.includes(answer), `also must not have ${answer}, which is the answer`),
    ...also.flatMap((value) => valueFaults(id, value, answers)),
    ...unless(isDay(until), `until must be a day such as 2026-01-31 (got ${until})`),
    ...textFaults('decidedBy', decidedBy),
    ...textFaults('reason', reason),
  ];
}

function answeredValue(id: string, answers: Answers): string | number | undefined {
  if (id === 'http-method' || id === 'media-type') return answers[id];
  return id === 'receiver-response' ? answers[id]?.status : undefined;
}

function valueFaults(id: string, value: string | number, answers: Answers): string[] {
  if (id === 'http-method') {
    return unless(
      CONTENT_METHODS.includes(value as ContentMethod),
      `also must have methods of ${CONTENT_METHODS.join(', ')} (got ${value})`,
    );
  }
  if (id === 'media-type') {
    const mediaType = String(value);
    const faults = mediaTypeFaults('each of also', mediaType);
    if (faults.length > 0) return faults;
    return unless(
      isJsonMediaType(mediaType) === isJsonMediaType(answers['media-type'] ?? ''),
      `also must not have ${mediaType}, because content is read as ${answers['media-type']}`,
    );
  }
  const { retry } = answers;
  const status = Number(value);
  return [
    ...unless(status >= 200 && status <= 299, `also must have statuses from 200 to 299 (got ${value})`),
    ...unless(
      retry === undefined || retry.statuses === 'all' || !retry.statuses.includes(status),
      `also must not have ${value}, after which retry sends again`,
    ),
  ];
}

function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}
