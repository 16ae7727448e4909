export { answerFaults } from './answer-faults.js';
export type { EventIdentity } from './answer-kinds/event-identity.js';
export {
  type ErrorCodes,
  type ErrorPayload,
  type Failure,
  FAILURES,
  type FailureResponse,
  type StatusCodes,
} from './answer-kinds/failure.js';
export { isJsonMediaType } from './answer-kinds/media-type.js';
export type { PayloadShape } from './answer-kinds/payload.js';
export { type RateLimit, RateWindow } from './answer-kinds/rate-limit.js';
export type { ReceiverResponse } from './answer-kinds/receiver-response.js';
export type { RetryPolicy } from './answer-kinds/retry-policy.js';
export { type AnswerSchema, isSchema, jsonSchemaOf, type SchemaInput } from './answer-kinds/schema.js';
export { type SignedPart, signedPieces, type SigningScheme } from './answer-kinds/signing-scheme.js';
export { MAX_SIZE_LIMIT } from './answer-kinds/size-limit.js';
export type { TimeOuts } from './answer-kinds/time-outs.js';
export type { TokenFormat } from './answer-kinds/token-format.js';
export type { VersionScheme } from './answer-kinds/version-scheme.js';
export type {
  Answers,
  ExecutableAnswers,
  ExecutableId,
  OnceAnswered,
  RequiredWhileOpen,
  ShownOn,
} from './answer-types.js';
export { answers } from './answers.js';
export * as facts from './facts.js';
export { plainAnswers } from './plain-answers.js';
export type { OpenQuestion, Surface } from './register/open-question.js';
export { openQuestions, type QuestionId } from './register/register.js';
export {
  ACCESS_TOKEN_PATTERN,
  BEARER,
  type BearerError,
  CONTENT_METHODS,
  type ContentMethod,
} from './standards.js';
