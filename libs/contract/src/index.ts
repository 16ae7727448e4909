export type { Answers, ExecutableAnswers, RequiredWhileOpen } from './answer-types.js';
export { answers } from './answers.js';
export * as facts from './facts.js';
export type { OpenQuestion, Surface } from './register/open-question.js';
export { openQuestions, type QuestionId } from './register/register.js';
export {
  ACCESS_TOKEN_PATTERN,
  BEARER,
  type BearerError,
  CONTENT_METHODS,
  type ContentMethod,
} from './standards.js';
