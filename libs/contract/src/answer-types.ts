import { headerValueFaults, mediaTypeFaults } from './answers/checks.js';
import { errorCodeFaults, errorPayloadFaults, statusCodeFaults } from './answers/failures.js';
import { rateLimitFaults, sizeLimitFaults, timeOutFaults } from './answers/limits.js';
import { payloadFaults } from './answers/payload.js';
import {
  baseAddressFaults,
  eventIdentityFaults,
  tokenFormatFaults,
  versionSchemeFaults,
} from './answers/requests.js';
import { receiverResponseFaults, retryFaults } from './answers/responses.js';
import { schemaFaults } from './answers/schema.js';
import { signingFaults } from './answers/signing.js';
import type { Surface } from './register/open-question.js';
import type { openQuestions, QuestionId } from './register/register.js';
import type { ContentMethod } from './standards.js';

/** Returns what is wrong with an answer that its type cannot exclude. */
type Check<Answer> = (answer: Answer) => readonly string[];

/** The type excludes every fault. */
const methodFaults: Check<ContentMethod> = () => [];

/**
 * The executable questions: those whose answer the software carries out, each with the check of an answer. The
 * parameter of the check is the type of the answer. **Add a new kind of answer here.** CONTRIBUTING.md says what else to
 * change. The compiler asks for the example answer first, then for a row in the table of each surface that the
 * register's `shows` names.
 */
export const answerChecks = {
  /** The name of a realm (RFC 9110 §11.5). */
  'authentication-realm': (realm: string) => headerValueFaults('the realm', realm),
  /** An absolute URL. */
  'base-address': baseAddressFaults,
  'error-codes': errorCodeFaults,
  'error-payloads': errorPayloadFaults,
  'event-identity': eventIdentityFaults,
  /** The fields beside those of the plant. */
  'event-payload-fields': schemaFaults,
  'http-method': methodFaults,
  /** As in a `Content-Type` field, without parameters (RFC 9110 §8.3.1). */
  'media-type': (mediaType: string) => mediaTypeFaults('the answer', mediaType),
  payload: payloadFaults,
  'plant-fields': schemaFaults,
  'rate-limits': rateLimitFaults,
  'receiver-response': receiverResponseFaults,
  'request-versioning': versionSchemeFaults,
  retry: retryFaults,
  signing: signingFaults,
  /** The largest content of a delivery, in bytes. */
  'size-limits': sizeLimitFaults,
  'status-codes': statusCodeFaults,
  'time-outs': timeOutFaults,
  'token-format': tokenFormatFaults,
} as const satisfies { readonly [Id in QuestionId]?: Check<never> };

/** The type of the answer to each executable question. */
export type ExecutableAnswers = {
  readonly [Id in keyof typeof answerChecks]: Parameters<(typeof answerChecks)[Id]>[0];
};

/** Id of an executable question. */
export type ExecutableId = keyof ExecutableAnswers;

/** Whether the software carries out the answer to a question. It can't carry out an answer in words. */
export function isExecutable(id: string): id is ExecutableId {
  return Object.hasOwn(answerChecks, id);
}

/** Answers by question. A question that is left out is open. The answer to a question that is not executable is text. */
export type Answers = {
  readonly [Id in QuestionId]?: Id extends ExecutableId ? ExecutableAnswers[Id] : string;
};

/** Ids of the executable questions whose answer shows on a surface, by the register's `shows`. */
export type ShownOn<Where extends Surface> = {
  [
    Question in (typeof openQuestions)[number] as Where extends Question['shows'][number]
      ? Question['id']
      : never
  ]: Question['id'];
} extends infer Shown
  ? keyof Shown & ExecutableId
  : never;

/** `Options`, required while `Id` is open under `Given` and optional once it is answered. */
export type RequiredWhileOpen<Given extends Answers, Id extends QuestionId, Options> =
  Given extends Readonly<Record<Id, unknown>> ? Partial<Options> : Options;

/** `Options` once `Id` is answered under `Given`; nothing while it is open. */
export type OnceAnswered<Given extends Answers, Id extends QuestionId, Options> =
  Given extends Readonly<Record<Id, unknown>> ? Options : unknown;
