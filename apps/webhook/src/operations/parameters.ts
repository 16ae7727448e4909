import {
  type Change,
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryState,
} from '../inbox/inbox-operations.js';
import { parseTime } from '../inbox/parse-time.js';
import { RequestFault, type RequestFaultCode } from './request-fault.js';

/** Most deliveries in one response, or in one part of a change. */
export const MAX_LIMIT = 500;

const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const after = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 };
const limit = { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: 50 };
/** Milliseconds since 1970, up to the last ones of a `Date`, or ISO 8601. */
const time = {
  anyOf: [
    { type: 'integer', minimum: 0, maximum: 8_640_000_000_000_000 },
    { type: 'string', maxLength: 100 },
  ],
};
const filter = {
  state: { enum: DELIVERY_STATES },
  errorGroup: { type: 'string', maxLength: 1_000 },
  ids: { type: 'array', items: id, minItems: 1, maxItems: MAX_LIMIT },
  firstId: id,
  lastId: id,
  receivedFrom: time,
  receivedBefore: time,
};

/** What is wrong if it isn't what is asked for: of a query, or of a content. */
type Fault = Extract<RequestFaultCode, 'INVALID_QUERY' | 'INVALID_CONTENT'>;

/** The JSON Schema of an object with these members and no other. */
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** No parameters, or no members. */
export const NOTHING = object({});

/** Query of a list, of a count, of a search, and of a part of an export. */
export const LIST_QUERY = object({
  ...filter,
  order: { enum: ['newest', 'oldest'], default: 'newest' },
  after: id,
  limit,
});
export const COUNT_QUERY = object(filter);
export const SEARCH_QUERY = object(
  { ...filter, text: { type: 'string', minLength: 1, maxLength: 200 }, after: id, limit },
  ['text'],
);
export const BATCH_QUERY = object({ ...filter, after, limit });

const batch = { filter: object(filter), after, limit };

/** Longest name of an operator, in UTF-16 code units. */
export const MAX_NAME = 200;

/** Who acts, and why. */
const origin = {
  operator: { type: 'string', maxLength: MAX_NAME },
  reason: { type: 'string', maxLength: 1_000 },
};

/** Content of each change of many deliveries: a part of an act, or else the first part of a new one. */
export const CHANGE_CONTENTS: Readonly<Record<Change['kind'], object>> = {
  replay: object({ ...batch, ...origin, act: id }, ['filter']),
  discard: object({ ...batch, ...origin, act: id, reason: { ...origin.reason, pattern: '\\S' } }, [
    'filter',
    'reason',
  ]),
};

/** Content of what is done with the handler. */
export const HANDLER_CONTENT = object(origin);

/** Query of a list of acts. */
export const ACTS_QUERY = object({ after: id, limit });

/** Who acts as it is sent, and why. */
export interface SentOrigin {
  readonly operator?: string;
  readonly reason?: string;
}

/** A filter as it is sent. Times are milliseconds or ISO 8601. */
export interface SentFilter {
  readonly state?: DeliveryState;
  readonly errorGroup?: string;
  readonly ids?: readonly number[];
  readonly firstId?: number;
  readonly lastId?: number;
  readonly receivedFrom?: number | string;
  readonly receivedBefore?: number | string;
}

/** A part of an export or of a change as it is sent, and a part of a list. */
export interface SentBatch {
  readonly after: number;
  readonly limit: number;
}
export interface SentPage {
  readonly order: 'newest' | 'oldest';
  readonly after?: number;
  readonly limit: number;
}

export interface SentSearch {
  readonly text: string;
  readonly after?: number;
  readonly limit: number;
}

/**
 * The filter that was sent.
 *
 * @param code of the fault if a time is none
 * @throws RequestFault
 */
export function filterOf(
  { receivedFrom, receivedBefore, ...conditions }: SentFilter,
  code: Fault = 'INVALID_QUERY',
): DeliveryFilter {
  return {
    ...conditions,
    ...(receivedFrom !== undefined && { receivedFrom: timeOf(receivedFrom, code) }),
    ...(receivedBefore !== undefined && { receivedBefore: timeOf(receivedBefore, code) }),
  };
}

function timeOf(sent: number | string, code: Fault): number {
  const time = typeof sent === 'number' ? sent : parseTime(sent);
  if (time === undefined)
    throw new RequestFault(code, `${sent} is no time in ISO 8601, such as 2026-01-31T12:00:00Z.`);
  return time;
}
