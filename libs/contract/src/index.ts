export { accepts } from './accepts.js';
export {
  type Answers,
  type ExecutableAnswers,
  type ExecutableId,
  isExecutable,
  type OnceAnswered,
  type RequiredWhileOpen,
  type ShownOn,
} from './answer-types.js';
export { answers } from './answers.js';
export { isJsonMediaType } from './answers/checks.js';
export { type Components, componentsOf, referenceTo } from './answers/components.js';
export {
  type ErrorCodes,
  type ErrorPayload,
  errorPayloadNameOf,
  type Failure,
  FAILURES,
  requiredFieldsOf,
  type StatusCodes,
  statusOf,
} from './answers/failures.js';
export { MAX_SIZE_LIMIT, type RateLimit, RateWindow, type TimeOuts } from './answers/limits.js';
export { isPointer, keysOf, partAt } from './answers/json-pointer.js';
export { type PayloadAnswer, payloadDescriptionOf, plantFieldOf } from './answers/payload.js';
export { type JsonSchema } from './answers/references.js';
export type { EventIdentity, TokenFormat, VersionScheme } from './answers/requests.js';
export type { ReceiverResponse, RetryPolicy } from './answers/responses.js';
export {
  type AnswerSchema,
  isSchema,
  jsonSchemaOf,
  plainAnswers,
  type SchemaInput,
} from './answers/schema.js';
export { KEY_PATTERNS, type SignedPart, signedPieces, type SigningScheme } from './answers/signing.js';
export { type Accepts, acceptFaults, overdueFaults } from './check-accepts.js';
export { answerFaults } from './check-answers.js';
export * as facts from './facts.js';
// Also by its own name: a bundle of the sender has this fact, and not all of them.
export { DELIVERY_PATH } from './facts.js';
export type { OpenQuestion, Surface } from './register/open-question.js';
export { type PromptId, prompts } from './register/prompts.js';
export { openQuestions, type QuestionId } from './register/register.js';
export {
  ACCESS_TOKEN_PATTERN,
  BEARER,
  type BearerError,
  CONNECTION_FIELDS,
  CONTENT_METHODS,
  type ContentMethod,
  RESERVED_FIELDS,
} from './standards.js';
