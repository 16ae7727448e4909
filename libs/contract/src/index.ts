export {
  type AnswerSchema,
  isSchema,
  jsonSchemaOf,
  plainAnswers,
  type SchemaInput,
} from './answer-schema.js';
export {
  type Answers,
  type AnswerValues,
  type ExecutableAnswers,
  type Provenance,
  type ShownOn,
  type ValuesOf,
  valuesOf,
} from './answer-types.js';
export { answerValues } from './answer-values.js';
export { answers } from './answers.js';
export * as facts from './facts.js';
export { type Failure, FAILURES, statusOf } from './failures.js';
export { isPointer, keysOf, partAt, pointerTo } from './json-pointer.js';
export { plantFieldOf } from './plant-field.js';
export { MAX_SIZE_LIMIT, RateWindow } from './limits.js';
export type { JsonSchema } from './references.js';
export type { Consequences, OpenQuestion, Rollout, Step, Surface } from './register/open-question.js';
export { type ExecutableId, isExecutable, openQuestions, type QuestionId } from './register/register.js';
export { readRetryAfter } from './retry-after.js';
export { KEY_PATTERNS, signedPieces, type SigningScheme } from './signing.js';
export {
  ACCESS_TOKEN_PATTERN,
  BEARER,
  CONNECTION_FIELDS,
  CONTENT_METHODS,
  type ContentMethod,
  isJsonMediaType,
  RESERVED_FIELDS,
} from './standards.js';
