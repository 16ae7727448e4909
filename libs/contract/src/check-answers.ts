import { headerFaults } from './answer-checks/header-faults.js';
import { isCount } from './answer-checks/is-count.js';
import { MEDIA_TYPE_PATTERN } from './answer-checks/media-type-pattern.js';
import { responseFaults } from './answer-checks/response-faults.js';
import { signingFaults } from './answer-checks/signing-faults.js';
import { unless } from './answer-checks/unless.js';
import { answerConflicts } from './answer-conflicts.js';
import { FAILURES } from './answer-kinds/failure.js';
import { isJsonMediaType } from './answer-kinds/media-type.js';
import type { RateLimit } from './answer-kinds/rate-limit.js';
import { type AnswerSchema, jsonSchemaOf } from './answer-kinds/schema.js';
import { MAX_SIZE_LIMIT } from './answer-kinds/size-limit.js';
import type { Answers, ExecutableAnswers, ExecutableId } from './answer-types.js';

/** Tells what is wrong with an answer, in the light of the others; nothing if it can be carried out. */
type Check<Id extends ExecutableId> = (answer: ExecutableAnswers[Id], answers: Answers) => readonly string[];

const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;

/** JSON Pointer to a part of a value (RFC 6901 §3). */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** Statuses that want a field beside them that nobody has answered (RFC 9110 §15.5.2, §15.5.6, §15.5.8, §15.5.22). */
const WITH_A_FIELD = [401, 405, 407, 426];

/** The longest time that a timer takes, in milliseconds. */
const MAX_TIME = 2_147_483_647;

/** What the compiler cannot see of each answer. */
const checks: { readonly [Id in ExecutableId]: Check<Id> } = {
  'authentication-realm': (realm) => unless(VALUE.test(realm), 'is no text of printable ASCII'),
  'base-address': (url) => [
    ...unless(/^https?:\/\/[^\s?#]+$/.test(url), 'is no http or https URL, without query and fragment'),
    ...unless(!/^[^/]*\/\/[^/]*@/.test(url), 'holds credentials, and is published'),
  ],
  'error-codes': (codes) => [
    ...unless(
      Object.keys(codes).every(isFailure),
      `has a key that is none of ${Object.keys(FAILURES).join(', ')}`,
    ),
    ...unless(!Object.values(codes).includes(''), 'has an empty code'),
  ],
  'error-payloads': ({ mediaType, fields }) => [
    ...unless(
      MEDIA_TYPE_PATTERN.test(mediaType) && isJsonMediaType(mediaType),
      `has a media type that is none of JSON, without parameters: ${mediaType}`,
    ),
    ...unless(Object.keys(fields).length > 0, 'has no field'),
  ],
  'event-identity': (identity) =>
    'header' in identity
      ? headerFaults(identity.header)
      : unless(POINTER.test(identity.pointer), 'has a `pointer` that is no JSON Pointer, as in /id'),
  'event-payload-fields': schemaFaults,
  'http-method': () => [],
  'media-type': (mediaType) =>
    unless(MEDIA_TYPE_PATTERN.test(mediaType), 'is no media type, as type/subtype without parameters'),
  payload: (shape) => unless(shape === 'plant' || shape.plantField !== '', 'has an empty `plantField`'),
  'plant-fields': schemaFaults,
  'rate-limits': rateFaults,
  'receiver-response': responseFaults,
  'request-versioning': (scheme) =>
    'header' in scheme
      ? [
          ...headerFaults(scheme.header),
          ...unless(VALUE.test(scheme.value), 'has a value that is none of a header field'),
        ]
      : unless(
          /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/.test(scheme.pathPrefix),
          'has a `pathPrefix` that is none, as in /v1',
        ),
  retry: ({ delays, statuses }) => [
    ...unless(delays.every(isTime), `has a delay that is no whole number of milliseconds up to ${MAX_TIME}`),
    ...unless(statuses === 'all' || statuses.every(isStatus), 'has a status that is none'),
  ],
  signing: signingFaults,
  'size-limits': (bytes) => [
    ...unless(isCount(bytes) && bytes > 0, 'is no whole number of bytes'),
    ...unless(!(bytes > MAX_SIZE_LIMIT), `is more than a receiver can take: ${MAX_SIZE_LIMIT} bytes at most`),
  ],
  'status-codes': (codes) =>
    Object.entries(codes).flatMap(([name, { status, description }]) => [
      ...unless(isFailure(name), `has a key that is none of ${Object.keys(FAILURES).join(', ')}`),
      ...unless(
        status >= 400 && isStatus(status),
        `has ${status} for ${name}, which is no status of a failure`,
      ),
      ...unless(
        !WITH_A_FIELD.includes(status),
        `has ${status} for ${name}, which wants a field beside it that is not answered`,
      ),
      ...unless(description.trim() !== '', `has no description for ${name}`),
    ]),
  'time-outs': ({ delivery, response }) =>
    unless(
      [delivery, response].every((time) => isTime(time) && time > 0),
      `has a time that is no whole number of milliseconds up to ${MAX_TIME}`,
    ),
  'token-format': ({ name, pattern }) => [
    ...unless(name.trim() !== '', 'has no name'),
    ...unless(isPattern(pattern), 'has a `pattern` that is no regular expression'),
  ],
};

/**
 * Everything in the answers that cannot be carried out, each with its question. What contradicts is told once each
 * answer is right by itself.
 */
export function answerFaults(answers: Answers): string[] {
  const faults = Object.entries(answers).flatMap(([id, answer]) => {
    if (!isExecutable(id))
      return unless(typeof answer === 'string' && answer.trim() !== '', `${id} is no text`);
    const check = checks[id] as Check<ExecutableId>;
    return check(answer as never, answers).map((fault) => `${id} ${fault}`);
  });
  return faults.length > 0 ? faults : answerConflicts(answers);
}

function isExecutable(id: string): id is ExecutableId {
  return Object.hasOwn(checks, id);
}

function schemaFaults(schema: AnswerSchema): string[] {
  try {
    jsonSchemaOf(schema);
    return [];
  } catch (error) {
    return [`has no JSON Schema: ${(error as Error).message}`];
  }
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
const isTime = (value: number): boolean => isCount(value) && value <= MAX_TIME;

function isPattern(source: string): boolean {
  try {
    return new RegExp(source).source !== '';
  } catch {
    return false;
  }
}
