import {
  type AnswerSchema,
  type AnswerValues,
  CONTENT_METHODS,
  type ExecutableId,
  jsonSchemaOf,
  type SigningScheme,
} from '@plant-store/contract';

/** The key with which the deliveries are signed. */
const SIGNING_KEY = `whsec_${Buffer.from('an example key of 32 bytes here!').toString('base64')}`;

/** The defaults of `REQUEST_TIMEOUT_MS` of the receiver and of `attemptTimeout` of the sender. */
const TIMES_WHILE_OPEN = { delivery: 30_000, response: 15_000 };

/** One way in which a sender may deliver a plant under its answers. Open questions leave it more ways. */
export interface Way {
  readonly name: string;
  /** Options of the sender, beside those that every caller passes. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The plant. It has the mark by which the delivery is found again, as text or as a number. */
  readonly plant?: (mark: string) => unknown;
  readonly send?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  /** How many deliveries are sent at once. */
  readonly atOnce?: number;
  /** How often the same event is sent, one after the other. */
  readonly times?: number;
  /** How long the network holds back the end of the request, or the response, in milliseconds. */
  readonly slow?: { readonly request?: number; readonly response?: number };
  /** A stand-in for the receiver responds with these. `none` breaks the connection. */
  readonly standIn?: readonly (Reply | 'none')[];
}

/** A response of the stand-in. */
export interface Reply {
  readonly status: number;
  readonly mediaType?: string;
  readonly content?: string;
}

/** A mark: text that is a number too. */
export const SAMPLE_MARK = '1.5';

const MORE_DELIVERIES = 41;
const PLANTS = {
  'a name': (mark: string) => ({ name: mark }),
  'a long name and a height': (mark: string) => ({ name: mark.padEnd(30, 'x'), heightInCentimetres: 20 }),
  'a name and a height': (mark: string) => ({ name: mark, heightInCentimetres: 20 }),
  'a height': (mark: string) => ({ heightInCentimetres: Number(mark) }),
  'a name and a colour': (mark: string) => ({ name: mark, colour: 'green' }),
  'a colour': (mark: string) => ({ colour: mark }),
  'a name that is no text': (mark: string) => ({ name: 1, note: mark }),
};
const EVENTS = {
  'a date': { addedOn: '2026-01-31' },
  'a person': { addedBy: 'Ada' },
  nothing: {},
};
const SIZES = [400, 900, 1_400, 1_900, 1_900_000];

/** In milliseconds; far from what the answers allow, because a receiver looks at its clock once a second. */
const SLOW = { request: 3_500, response: 5_500 };

export const TOKENS_OF_A_FORMAT = 40;

/** Tokens, of which a receiver lists those that its format allows. */
export const TOKENS = ['example', 'other'].flatMap((format) =>
  Array.from({ length: TOKENS_OF_A_FORMAT }, (_, index) => `${format}-${index}`),
);

/** Refusals that some answers explain, and others don't. */
const REFUSALS: readonly Reply[] = [
  { status: 409 },
  { status: 422 },
  { status: 400, mediaType: 'application/problem+json', content: '{"code":"EXAMPLE_PLANT"}' },
  { status: 400, mediaType: 'application/problem+json', content: '{"code":"OTHER_PLANT"}' },
  { status: 400, mediaType: 'application/json', content: '{"error":"EXAMPLE_PLANT"}' },
];

/** The ways of a caller, as the answers allow them, by the question that decides. A question without one has one way. */
const WAYS: { readonly [Id in ExecutableId]?: (answers: AnswerValues) => Way[] } = {
  'http-method': ({ 'http-method': method }) =>
    method === undefined
      ? CONTENT_METHODS.map((option) => ({ name: option, options: { method: option } }))
      : [{ name: 'the answer' }],
  'media-type': ({ 'media-type': mediaType }) =>
    mediaType === undefined
      ? ['application/json', 'application/vnd.plant+json', 'text/plain'].map((option) => ({
          name: option,
          options: { encode: (plant: unknown) => ({ content: JSON.stringify(plant), mediaType: option }) },
        }))
      : [{ name: 'the answer' }],
  payload: ({ payload }) =>
    payload === undefined
      ? [
          { name: 'the plant', options: encodeWith((plant) => JSON.stringify(plant)) },
          { name: 'an envelope', options: encodeWith((plant) => JSON.stringify({ plant })) },
          { name: 'text', options: encodeWith((plant) => `plant ${JSON.stringify(plant)}`) },
        ]
      : [{ name: 'the answer' }],
  'plant-fields': ({ 'plant-fields': schema }) =>
    Object.entries(PLANTS).flatMap(([name, plant]) =>
      schema === undefined || allows(schema, plant(SAMPLE_MARK)) ? [{ name, plant }] : [],
    ),
  'event-payload-fields': ({ 'event-payload-fields': schema }) =>
    schema === undefined
      ? [
          { name: 'no event' },
          {
            name: 'a date that is no text',
            options: encodeWith((plant) => JSON.stringify({ addedOn: 1, plant })),
          },
        ]
      : Object.entries(EVENTS).flatMap(([name, event]) =>
          allows(schema, event) ? [{ name, send: { event } }] : [],
        ),
  'receiver-response': ({ 'receiver-response': response }) => [
    { name: 'as the receiver responds' },
    // While the question is open, a receiver that isn't ours may choose.
    { name: 'after a 202', standIn: [{ status: response?.status ?? 202 }] },
  ],
  'token-format': ({ 'token-format': format }) =>
    ['example', 'other']
      .filter((name) => format === undefined || new RegExp(format.pattern).test(`${name}-1`))
      .map((token) => ({ name: token, token })),
  retry: () => [
    { name: 'at once' },
    { name: 'after a 503', standIn: [{ status: 503 }, { status: 204 }] },
    { name: 'after a 500', standIn: [{ status: 500 }, { status: 204 }] },
    { name: 'after no response', standIn: ['none', { status: 204 }] },
    {
      name: 'after three 503',
      standIn: [{ status: 503 }, { status: 503 }, { status: 503 }, { status: 204 }],
    },
  ],
  'event-identity': ({ 'event-identity': identity }) => [
    {
      name: 'twice',
      times: 2,
      ...(identity !== undefined && 'pointer' in identity && { plant: (mark: string) => ({ id: mark }) }),
    },
  ],
  'error-codes': refused,
  'status-codes': refused,
  'error-payloads': refused,
  'rate-limits': ({ 'rate-limits': limit }) => [
    {
      name: 'as many as allowed',
      atOnce: Math.min(MORE_DELIVERIES, limit?.deliveries ?? Infinity),
      // Only a sender that waits for the limit's next minute is stopped by it, and no slow machine.
      options: { attemptTimeout: 45_000, totalTimeout: 45_000 },
    },
  ],
  'size-limits': ({ 'size-limits': bytes = Infinity }) => [
    ...SIZES.filter((size) => size <= bytes).map((size) => ({ name: `${size} bytes`, plant: plantOf(size) })),
    // While the question is open, a receiver may take more than ours does by default.
    ...(bytes === Infinity
      ? [{ name: 'more bytes', plant: plantOf(2_100_000), standIn: [{ status: 204 }] }]
      : []),
  ],
  'time-outs': ({ 'time-outs': { delivery, response } = TIMES_WHILE_OPEN }) => [
    { name: 'quick' },
    ...(delivery < SLOW.request ? [] : [{ name: 'a slow request', slow: { request: SLOW.request } }]),
    ...(response < SLOW.response ? [] : [{ name: 'a slow response', slow: { response: SLOW.response } }]),
  ],
};

/** The ways of a sender with these answers. */
export function waysOf(id: ExecutableId, answers: AnswerValues): Way[] {
  return WAYS[id]?.(answers) ?? [{ name: 'as any caller' }];
}

/** The same key, written in the form of each scheme. */
export function keyFor({ key }: SigningScheme): string {
  return key.encoding === 'base64' ? SIGNING_KEY : 'an example key of 32 bytes here!';
}

/** The options that a caller passes to its sender, and with each plant, as the compiler asks for them. */
export function callerOf(answers: AnswerValues, eventId: string): Required<Pick<Way, 'options' | 'send'>> {
  const isOpen = (id: ExecutableId): boolean => answers[id] === undefined;
  const mediaType = answers['media-type'] ?? 'application/json';
  return {
    options: {
      ...(isOpen('http-method') && { method: 'PUT' }),
      ...((isOpen('payload') || isOpen('media-type')) && {
        encode: (plant: unknown) => ({
          content: JSON.stringify(plant),
          ...(isOpen('media-type') && { mediaType }),
        }),
      }),
      ...(answers.signing && { signingKey: keyFor(answers.signing) }),
    },
    send: {
      ...(answers['event-identity'] && 'header' in answers['event-identity'] && { eventId }),
      ...(!isOpen('event-payload-fields') && { event: { addedOn: '2026-01-31' } }),
    },
  };
}

/** A plant whose JSON has so many bytes. */
function plantOf(bytes: number): NonNullable<Way['plant']> {
  return (mark) => ({ name: mark.padEnd(bytes - '{"name":""}'.length) });
}

function encodeWith(encode: (plant: unknown) => string): NonNullable<Way['options']> {
  return { encode: (plant: unknown) => ({ content: encode(plant) }) };
}

/** Whether the types that come from a schema allow an object literal: it has no other fields. */
function allows(schema: AnswerSchema, value: object): boolean {
  const { properties = {} } = jsonSchemaOf(schema) as { properties?: object };
  if (!Object.keys(value).every((name) => Object.hasOwn(properties, name))) return false;
  const result = schema['~standard'].validate(value);
  return !(result instanceof Promise) && result.issues === undefined;
}

function refused(): Way[] {
  const ways = REFUSALS.map((reply) => ({
    name: [reply.status, reply.content].join(' '),
    standIn: [reply],
  }));
  return [{ name: 'accepted' }, ...ways];
}
