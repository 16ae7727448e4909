import type { ExecutableAnswers, ExecutableId } from './answer-types.js';
import type { SchemaNames } from './answers/components.js';
import type {
  ErrorCodes,
  ErrorPayload,
  FailureResponse,
  SettledResponse,
  StatusCodes,
} from './answers/failures.js';
import type { RateLimit, TimeOuts } from './answers/limits.js';
import type { PayloadDescription } from './answers/payload.js';
import type { TokenFormat } from './answers/requests.js';
import type { ReceiverResponse, RetryPolicy } from './answers/responses.js';
import { schema } from './answers/schema.js';
import {
  ANSWER,
  boolean,
  either,
  has,
  isObject,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from './answers/shape.js';
import type { SigningScheme } from './answers/signing.js';
import { CONTENT_METHODS } from './standards.js';

interface Content {
  readonly mediaType: string;
  readonly text: string;
}

const payloadDescription = {
  description: optional(text),
  names: optional(
    object<SchemaNames>({ plant: optional(text), event: optional(text), payload: optional(text) }),
  ),
};

/**
 * The shape of the answer to each executable question, for answers that the compiler has not checked: those of
 * JavaScript, and those behind `as any`. The compiler keeps it in step with the types.
 */
const answerShapes: { readonly [Id in ExecutableId]: Shape<ExecutableAnswers[Id]> } = {
  'authentication-realm': text,
  'base-address': text,
  'error-codes': mapOf<ErrorCodes>(text),
  'error-payloads': object<ErrorPayload>({
    mediaType: text,
    fields: mapOf<ErrorPayload['fields']>(oneOf('status', 'code', 'description')),
    required: optional(listOf(text)),
    name: optional(text),
  }),
  'event-identity': either(
    has('pointer'),
    object({ pointer: text as Shape<`/${string}`> }),
    object({ header: text }),
  ),
  'event-payload-fields': schema,
  'http-method': oneOf(...CONTENT_METHODS),
  'media-type': text,
  payload: either(
    isObject,
    either(
      has('shape'),
      object<{ shape: 'plant' } & PayloadDescription>({ shape: oneOf('plant'), ...payloadDescription }),
      object<{ plantField: string } & PayloadDescription>({ plantField: text, ...payloadDescription }),
    ),
    oneOf('plant'),
  ),
  'plant-fields': schema,
  'rate-limits': object<RateLimit>({ deliveries: number, seconds: number }),
  // Whether content goes with the status is left to the check.
  'receiver-response': object<{ status: ReceiverResponse['status']; description: string; content?: Content }>(
    {
      status: oneOf(200, 201, 202, 203, 204, 205),
      description: text,
      content: optional(object({ mediaType: text, text })),
    },
  ),
  'request-versioning': either(
    has('pathPrefix'),
    object({ pathPrefix: text as Shape<`/${string}`> }),
    object({ header: text, value: text }),
  ),
  retry: object<RetryPolicy>({
    delays: listOf(number),
    statuses: either(Array.isArray, listOf(number), oneOf('all')),
    withoutResponse: boolean,
  }),
  signing: object<SigningScheme>({
    algorithm: oneOf('hmac-sha256', 'hmac-sha512'),
    signed: listOf(oneOf('event-id', 'timestamp', 'content')),
    separator: text,
    signature: object({ header: text, prefix: text, encoding: oneOf('base64', 'hex') }),
    timestamp: optional(object({ header: text, toleranceSeconds: number })),
    key: object({ prefix: text, encoding: oneOf('base64', 'utf8') }),
  }),
  'size-limits': number,
  'status-codes': mapOf<StatusCodes>(
    either(
      has('status'),
      object<FailureResponse>({ status: number, description: text }),
      object<SettledResponse>({ description: text }),
    ),
  ),
  'time-outs': object<TimeOuts>({ delivery: number, response: number }),
  'token-format': object<TokenFormat>({ name: text, pattern: text }),
};

/** What is wrong with the shape of an answer to an executable question. */
export function shapeFaults(id: ExecutableId, answer: unknown): readonly string[] {
  return answerShapes[id](answer, ANSWER);
}
