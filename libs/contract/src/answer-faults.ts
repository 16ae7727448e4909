import { FAILURES } from './answer-kinds/failure.js';
import { isJsonMediaType } from './answer-kinds/media-type.js';
import type { RateLimit } from './answer-kinds/rate-limit.js';
import { type AnswerSchema, jsonSchemaOf } from './answer-kinds/schema.js';
import type { Answers, ExecutableAnswers, ExecutableId } from './answer-types.js';

/** Tells what is wrong with an answer, in the light of the others; nothing if it can be carried out. */
type Check<Id extends ExecutableId> = (answer: ExecutableAnswers[Id], answers: Answers) => readonly string[];

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;

/** Fields that frame a request or that the specification uses. */
const RESERVED = [
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
];

/** What the compiler cannot see of each answer. */
const checks: { readonly [Id in ExecutableId]: Check<Id> } = {
  'authentication-realm': (realm) => unless(VALUE.test(realm), 'is no text of printable ASCII'),
  'base-address': (url) =>
    unless(/^https?:\/\/[^\s?#]+$/.test(url), 'is no http or https URL, without query and fragment'),
  'error-codes': (codes) =>
    unless(
      Object.keys(codes).every(isFailure),
      `has a key that is none of ${Object.keys(FAILURES).join(', ')}`,
    ),
  'error-payloads': ({ mediaType, fields }) => [
    ...unless(isJsonMediaType(mediaType), `has a media type that is none of JSON: ${mediaType}`),
    ...unless(Object.keys(fields).length > 0, 'has no field'),
  ],
  'event-identity': (identity) => ('header' in identity ? headerFaults(identity.header) : []),
  'event-payload-fields': schemaFaults,
  'http-method': () => [],
  'media-type': (mediaType) =>
    unless(MEDIA_TYPE.test(mediaType), 'is no media type, as type/subtype without parameters'),
  payload: (shape) => unless(shape === 'plant' || shape.plantField !== '', 'has an empty `plantField`'),
  'plant-fields': schemaFaults,
  'rate-limits': rateFaults,
  'receiver-response': (response) => ('content' in response ? contentFaults(response.content) : []),
  'request-versioning': (scheme) =>
    'header' in scheme
      ? [
          ...headerFaults(scheme.header),
          ...unless(VALUE.test(scheme.value), 'has a value that is none of a header field'),
        ]
      : unless(/^(?:\/[\w.~-]+)+$/.test(scheme.pathPrefix), 'has a `pathPrefix` that is none, as in /v1'),
  retry: ({ delays, statuses }) => [
    ...unless(delays.every(isCount), 'has a delay that is no whole number of milliseconds'),
    ...unless(statuses === 'all' || statuses.every(isStatus), 'has a status that is none'),
  ],
  signing: (scheme, answers) => [
    ...headerFaults(scheme.signature.header),
    ...(scheme.timestamp === undefined ? [] : headerFaults(scheme.timestamp.header)),
    ...unless(scheme.signed.includes('content'), 'does not sign the content'),
    ...unless(
      !scheme.signed.includes('timestamp') || scheme.timestamp !== undefined,
      'signs a timestamp, and has no `timestamp`',
    ),
    ...unless(
      !scheme.signed.includes('event-id') || 'header' in (answers['event-identity'] ?? {}),
      'signs the identifier of the event: answer event-identity with a header',
    ),
  ],
  'size-limits': (bytes) => unless(isCount(bytes) && bytes > 0, 'is no whole number of bytes'),
  'status-codes': (codes) =>
    Object.entries(codes).flatMap(([name, { status, description }]) => [
      ...unless(isFailure(name), `has a key that is none of ${Object.keys(FAILURES).join(', ')}`),
      ...unless(
        status >= 400 && isStatus(status),
        `has ${status} for ${name}, which is no status of a failure`,
      ),
      ...unless(description.trim() !== '', `has no description for ${name}`),
    ]),
  'time-outs': ({ delivery, answer }) =>
    unless(
      [delivery, answer].every((time) => isCount(time) && time > 0),
      'has a time that is no whole number of milliseconds',
    ),
  'token-format': ({ name, pattern }) => [
    ...unless(name.trim() !== '', 'has no name'),
    ...unless(isPattern(pattern), 'has a `pattern` that is no regular expression'),
  ],
};

/** Everything in the answers that cannot be carried out, each with its question. */
export function answerFaults(answers: Answers): string[] {
  return Object.entries(answers).flatMap(([id, answer]) => {
    if (!isExecutable(id))
      return unless(typeof answer === 'string' && answer.trim() !== '', `${id} is no text`);
    const check = checks[id] as Check<ExecutableId>;
    return check(answer as never, answers).map((fault) => `${id} ${fault}`);
  });
}

function isExecutable(id: string): id is ExecutableId {
  return Object.hasOwn(checks, id);
}

function unless(isRight: boolean, fault: string): string[] {
  return isRight ? [] : [fault];
}

function headerFaults(name: string): string[] {
  return [
    ...unless(NAME.test(name), `has a header whose name is none: ${name}`),
    ...unless(!RESERVED.includes(name.toLowerCase()), `uses the header ${name}, which is taken`),
  ];
}

function schemaFaults(schema: AnswerSchema): string[] {
  try {
    jsonSchemaOf(schema);
    return [];
  } catch (error) {
    return [`has no JSON Schema: ${(error as Error).message}`];
  }
}

function contentFaults({ mediaType, text }: { mediaType: string; text: string }): string[] {
  return [
    ...unless(MEDIA_TYPE.test(mediaType), 'has content of no media type'),
    ...unless(!isJsonMediaType(mediaType) || isJson(text), 'has content that is not of its media type'),
  ];
}

function rateFaults({ deliveries, seconds }: RateLimit): string[] {
  return [
    ...unless(
      isCount(deliveries) && deliveries > 0 && deliveries <= 1_000_000,
      'is none from 1 to 1000000 deliveries',
    ),
    ...unless(seconds > 0 && Number.isFinite(seconds), 'is for no span of time'),
  ];
}

const isFailure = (name: string): boolean => Object.hasOwn(FAILURES, name);
const isStatus = (status: number): boolean => Number.isInteger(status) && status >= 100 && status <= 599;
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source).source !== '';
  } catch {
    return false;
  }
}
