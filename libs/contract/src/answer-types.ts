import type { EventIdentity } from './answer-kinds/event-identity.js';
import type { ErrorCodes, ErrorPayload, StatusCodes } from './answer-kinds/failure.js';
import type { PayloadShape } from './answer-kinds/payload.js';
import type { RateLimit } from './answer-kinds/rate-limit.js';
import type { ReceiverResponse } from './answer-kinds/receiver-response.js';
import type { RetryPolicy } from './answer-kinds/retry-policy.js';
import type { AnswerSchema } from './answer-kinds/schema.js';
import type { SigningScheme } from './answer-kinds/signing-scheme.js';
import type { TimeOuts } from './answer-kinds/time-outs.js';
import type { TokenFormat } from './answer-kinds/token-format.js';
import type { VersionScheme } from './answer-kinds/version-scheme.js';
import type { Surface } from './register/open-question.js';
import type { openQuestions, QuestionId } from './register/register.js';
import type { ContentMethod } from './standards.js';

/**
 * The questions whose answer the software carries out, and the type of each answer. **A new one is added here.** The
 * compiler then lists what it touches: the receiver, the sender, its options and the document each have a table with
 * a row for every key of this interface.
 */
export interface ExecutableAnswers {
  /** The name of a realm (RFC 9110 §11.5). */
  'authentication-realm': string;
  /** An absolute URL. */
  'base-address': string;
  'error-codes': ErrorCodes;
  'error-payloads': ErrorPayload;
  'event-identity': EventIdentity;
  /** The fields beside those of the plant. */
  'event-payload-fields': AnswerSchema;
  'http-method': ContentMethod;
  /** As in a `Content-Type` field, without parameters (RFC 9110 §8.3.1). */
  'media-type': string;
  payload: PayloadShape;
  'plant-fields': AnswerSchema;
  'rate-limits': RateLimit;
  'receiver-response': ReceiverResponse;
  'request-versioning': VersionScheme;
  retry: RetryPolicy;
  signing: SigningScheme;
  /** The largest content of a delivery, in bytes. */
  'size-limits': number;
  'status-codes': StatusCodes;
  'time-outs': TimeOuts;
  'token-format': TokenFormat;
}

/** Id of a question whose answer the software carries out. */
export type ExecutableId = keyof ExecutableAnswers;

/** Ids of the questions whose answer the software carries out and that the register says show on a surface. */
export type ShownOn<Where extends Surface> = {
  [
    Question in (typeof openQuestions)[number] as Where extends Question['shows'][number]
      ? Question['id']
      : never
  ]: Question['id'];
} extends infer Shown
  ? keyof Shown & ExecutableId
  : never;

/** Answers by question; a question that is not there is open. An answer that cannot be carried out is text. */
export type Answers = {
  readonly [Id in QuestionId]?: Id extends ExecutableId ? ExecutableAnswers[Id] : string;
};

/** `Options`, required while `Id` is open under `Given` and optional once it is answered. */
export type RequiredWhileOpen<Given extends Answers, Id extends QuestionId, Options> =
  Given extends Readonly<Record<Id, unknown>> ? Partial<Options> : Options;

/** `Options` once `Id` is answered under `Given`; nothing while it is open. */
export type OnceAnswered<Given extends Answers, Id extends QuestionId, Options> =
  Given extends Readonly<Record<Id, unknown>> ? Options : unknown;
