import { z } from 'zod';

import { DELIVERY_STATES } from '../inbox/inbox-operations.js';
import { RequestFault } from './request-fault.js';

/** Most deliveries in one response, or in one part of a change. */
const MAX_LIMIT = 500;

/** A whole number, as JSON has it or in decimal digits. */
const wholeNumber = (least: number, most: number) =>
  z
    .union([z.number(), z.string().transform((digits) => (/^\d+$/.test(digits) ? Number(digits) : NaN))], {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    });

const id = wholeNumber(1, Number.MAX_SAFE_INTEGER);
const limit = wholeNumber(1, MAX_LIMIT).default(50);

/** A time of day without an offset would mean another time on another machine. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i;

/** `Date.parse` takes 30 February, as 2 March. */
const DAY = z.iso.date();

/** Milliseconds since 1970 of a day, or of a time with its offset, in ISO 8601. NaN if it is none, or doesn't exist. */
function parseIsoTime(text: string): number {
  return ISO_TIME.test(text) && DAY.safeParse(text.slice(0, 10)).success ? Date.parse(text) : NaN;
}

const time = z
  .union([z.number(), z.string().transform(millisecondsOf)])
  .refine((value) => Number.isSafeInteger(value) && value >= 0, {
    error: 'must be milliseconds since 1970, or ISO 8601 as in 2026-01-31 or 2026-01-31T12:00:00Z',
  });

function millisecondsOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : parseIsoTime(text);
}

const ORDERS = ['newest', 'oldest'] as const;

const oneOf = <Value extends string>(values: readonly Value[]) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

const filter = {
  state: oneOf(DELIVERY_STATES).exactOptional(),
  firstId: id.exactOptional(),
  lastId: id.exactOptional(),
  receivedFrom: time.exactOptional(),
  receivedBefore: time.exactOptional(),
};
const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: 'must be a JSON object' });

const batch = { filter: object(filter), after: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0), limit };

const reason = z
  .string({ error: 'must be text' })
  .trim()
  .min(1, { error: 'must not be empty' })
  .max(1_000, { error: 'must not have more than 1000 characters' });

/** Query of a list of deliveries. */
export const LIST_QUERY = object({
  ...filter,
  order: oneOf(ORDERS).default('newest'),
  after: id.exactOptional(),
  limit,
}).transform(({ order, after, limit: most, ...conditions }) => ({
  filter: conditions,
  page: { order: `${order} first`, limit: most, ...(after !== undefined && { after }) } as const,
}));

/** Query of a count. */
export const COUNT_QUERY = object(filter);

/** Query of a part of an export. */
export const BATCH_QUERY = object({ ...filter, after: batch.after, limit }).transform(
  ({ after, limit: most, ...conditions }) => ({ filter: conditions, after, limit: most }),
);

/** Content of a change of many deliveries. */
export const REPLAY_CONTENT = object(batch);
export const DISCARD_CONTENT = object({ ...batch, reason }).transform(({ reason: why, ...part }) => ({
  batch: part,
  reason: why,
}));

/** No parameters, or no members. */
export const NOTHING = object({});

/**
 * Checks the query of a request.
 *
 * @throws RequestFault that names every fault
 */
export function parseQuery<Output>(schema: z.ZodType<Output>, query: unknown): Output {
  const repeated = Object.entries(query as object).filter(([, value]) => Array.isArray(value));
  if (repeated.length > 0) {
    const names = repeated.map(([name]) => name).join(', ');
    throw new RequestFault('INVALID_QUERY', `The query is wrong: ${names} is given more than once.`);
  }
  return parse(schema, { ...(query as object) }, 'INVALID_QUERY', 'The query is wrong');
}

/**
 * Checks the content of a request.
 *
 * @throws RequestFault that names every fault
 */
export function parseContent<Output>(schema: z.ZodType<Output>, content: unknown): Output {
  return parse(schema, content, 'INVALID_CONTENT', 'The content is wrong');
}

function parse<Output>(
  schema: z.ZodType<Output>,
  given: unknown,
  code: 'INVALID_QUERY' | 'INVALID_CONTENT',
  what: string,
): Output {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const faults = result.error.issues.map(describe);
  throw new RequestFault(code, `${what}: ${faults.join('; ')}.`);
}

function describe(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${[...issue.path, key].join('.')} is not known`).join('; ');
  return path === '' ? issue.message : `${path} ${issue.message}`;
}
