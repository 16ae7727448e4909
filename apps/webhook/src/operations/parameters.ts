import { z } from 'zod';

import { CHANGEABLE } from '../inbox/acts.js';
import { type ChangeKind, DELIVERY_STATES } from '../inbox/inbox-operations.js';
import { parseTime } from '../inbox/parse-time.js';
import { errorGroupOf } from '../logging/error-group.js';

/** Most deliveries in one response. */
export const MAX_LIMIT = 500;

/** Longest name of an operator, in UTF-16 code units. */
export const MAX_NAME = 200;

/** The end of the last year that ISO 8601 has in four digits. */
const LAST_TIME = Date.UTC(10_000, 0) - 1;

/** Where a parameter is sent. A query has texts, and a list of one value as that value. */
type Part = 'query' | 'content';

const rangeText = (least: number, most: number): string =>
  `must be a whole number from ${least.toLocaleString('en-US')} to ${most.toLocaleString('en-US')}`;

/**
 * A safe integer between two bounds. A content has it as a number, and a query in decimal digits, without a sign, spaces,
 * an exponent or zeros in front.
 */
function wholeNumber(part: Part, least: number, most: number, error = rangeText(least, most)) {
  const number = z
    .number({ error })
    .refine((sent) => Number.isSafeInteger(sent) && sent >= least && sent <= most && !Object.is(sent, -0), {
      error,
    });
  if (part === 'content') return number;
  return z
    .string({ error })
    .regex(/^(?:0|[1-9]\d*)$/, { error })
    .transform(Number)
    .pipe(number);
}

const idIn = (part: Part) => wholeNumber(part, 1, Number.MAX_SAFE_INTEGER);

function idsIn(part: Part) {
  const error = `must be a list of 1 to ${MAX_LIMIT} ids`;
  const ids = z
    .array(idIn(part), { error })
    .min(1, { error })
    .max(MAX_LIMIT, { error })
    .transform((given) => [...new Set(given)]);
  return part === 'content' ? ids : z.preprocess((sent) => [sent].flat(), ids);
}

/** Milliseconds since 1970, or ISO 8601. */
function timeIn(part: Part) {
  const error = 'must be a time, in milliseconds since 1970 or in ISO 8601, such as 2026-01-31T12:00:00Z';
  const iso = z.string().max(100).transform(parseTime).pipe(z.number());
  return z.union([wholeNumber(part, 0, LAST_TIME, error), iso], { error });
}

function text(most: number, least = 0) {
  const atLeast = least === 0 ? 'at most ' : `${least} to `;
  const error = `must be one text of ${atLeast}${most.toLocaleString('en-US')} characters`;
  return z.string({ error }).min(least, { error }).max(most, { error });
}

function choice<const Choices extends readonly string[]>(choices: Choices) {
  return z.enum(choices, { error: `must be one of ${choices.join(', ')}` });
}

/** An object with these members and no other. */
const object = <Members extends z.core.$ZodShape>(members: Members) =>
  z.strictObject(members, { error: 'must be a JSON object' });

/** No parameters, or no members. */
export const NOTHING = object({});

/** One state, or several. One that is given twice counts once. */
function statesIn<const States extends readonly [string, ...string[]]>(states: States) {
  const one = choice(states);
  const error = `must be one of ${states.join(', ')}, or a list of these`;
  const several = z
    .array(one)
    .min(1)
    .transform((given) => [...new Set(given)]);
  return z.union([one, several], { error });
}

const filterIn = (part: Part) => ({
  state: statesIn(DELIVERY_STATES).exactOptional(),
  // The group, or one of its messages: whoever has seen an error looks for it.
  errorGroup: text(1_000).transform(errorGroupOf).exactOptional(),
  ids: idsIn(part).exactOptional(),
  firstId: idIn(part).exactOptional(),
  lastId: idIn(part).exactOptional(),
  receivedFrom: timeIn(part).exactOptional(),
  receivedBefore: timeIn(part).exactOptional(),
});
const afterIn = (part: Part) => wholeNumber(part, 0, Number.MAX_SAFE_INTEGER).default(0);
const limitIn = (part: Part) => wholeNumber(part, 1, MAX_LIMIT).default(50);

const filter = filterIn('query');
const page = { after: idIn('query').exactOptional(), limit: limitIn('query') };

/** Query of a list, of a count, of a search, of a part of an export, and of a list of acts. */
export const LIST_QUERY = object({
  ...filter,
  ...page,
  order: choice(['newest', 'oldest']).default('newest'),
});
export const COUNT_QUERY = object(filter);
export const SEARCH_QUERY = object({ ...filter, ...page, text: text(200, 1) });
export const BATCH_QUERY = object({ ...filter, after: afterIn('query'), limit: limitIn('query') });
export const ACTS_QUERY = object(page);

/** Who acts, and why. */
const origin = { operator: text(MAX_NAME).exactOptional(), reason: text(1_000).exactOptional() };

/** Content of what is done with the handler. */
export const HANDLER_CONTENT = object(origin);

const changeable = (kind: ChangeKind) => ({
  kind: z.literal(kind),
  filter: object({ ...filterIn('content'), state: statesIn(CHANGEABLE[kind]).exactOptional() }),
});

/** What a page of the inspector can show beside the deliveries, and in which form a content. */
export const VIEWS = ['errors', 'acts', 'refused', 'keys'] as const;
export const FORMS = ['json', 'text', 'hex', 'base64'] as const;

/** Query of a page of the inspector. */
export const PAGE_QUERY = object({
  ...filter,
  view: choice(VIEWS).exactOptional(),
  text: text(200).exactOptional(),
  // The deliveries that this act changed last.
  act: idIn('query').exactOptional(),
  // The page of the list ends above this id, or begins below it.
  newerThan: idIn('query').exactOptional(),
  olderThan: idIn('query').exactOptional(),
  delivery: idIn('query').exactOptional(),
  form: choice(FORMS).exactOptional(),
  // What is asked, of which deliveries; without any, of all that the list has.
  ask: choice(['replay', 'discard', 'pause', 'resume']).exactOptional(),
  chosen: idsIn('query').exactOptional(),
  // The act whose result is shown.
  done: idIn('query').exactOptional(),
  // The rows that a browser shows, which stay: ids with commas between them.
  rows: z
    .string({ error: 'must be one list of ids with commas' })
    .transform((ids): unknown => [...new Set(ids.split(',').filter(Boolean))])
    .pipe(z.array(idIn('query')).max(MAX_LIMIT, { error: `must have at most ${MAX_LIMIT} ids` }))
    .exactOptional(),
});

/** Content of a form of the inspector: what is done, to which deliveries in JSON, how many, and the page to go on with. */
export const FORM_CONTENT = z.object({
  kind: choice(['replay', 'discard', 'pause', 'resume']),
  filter: z.string().default('{}'),
  count: wholeNumber('query', 0, Number.MAX_SAFE_INTEGER).exactOptional(),
  operator: text(MAX_NAME).default(''),
  reason: text(1_000).default(''),
  back: z.string().default(''),
});

/** Content of a request to change deliveries. */
export const ACT_CONTENT = z.discriminatedUnion(
  'kind',
  [
    object({ ...changeable('replay'), ...origin }),
    object({
      ...changeable('discard'),
      ...origin,
      reason: text(1_000).regex(/\S/, { error: 'must not be blank' }),
    }),
  ],
  {
    error: ({ code }: { readonly code?: string }) =>
      code === 'invalid_union' ? 'must be one of replay, discard' : 'must be a JSON object',
  },
);
