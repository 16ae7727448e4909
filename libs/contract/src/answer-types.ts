import type { QuestionId } from './register/register.js';
import type { ContentMethod } from './standards.js';

/** The questions whose answer the software carries out, and the type of each answer. */
export interface ExecutableAnswers {
  /** An absolute URL. */
  'base-address': string;
  'http-method': ContentMethod;
  /** As in a `Content-Type` field (RFC 9110 §8.3.1). */
  'media-type': string;
}

/** Answers by question; a question that is not there is open. An answer that cannot be carried out is text. */
export type Answers = {
  readonly [Id in QuestionId]?: Id extends keyof ExecutableAnswers ? ExecutableAnswers[Id] : string;
};

/** `Options`, required while `Id` is open under `Given` and optional once it is answered. */
export type RequiredWhileOpen<Given extends Answers, Id extends QuestionId, Options> =
  Given extends Readonly<Record<Id, unknown>> ? Partial<Options> : Options;
