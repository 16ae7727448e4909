import type { AnswerOf } from './kinds/kind.js';
import type { kinds } from './kinds/kinds.js';
import type { Surface } from './register/open-question.js';
import type { ExecutableId, openQuestions, QuestionId } from './register/register.js';

/** The type of the answer to each executable question. */
export type ExecutableAnswers = { readonly [Id in ExecutableId]: AnswerOf<(typeof kinds)[Id]> };

/**
 * What the software carries out: answers by question, without who gave them. A question that is left out is open, or
 * answered in words: the software does what it does while the question is open.
 */
export type AnswerValues = Partial<ExecutableAnswers>;

/** Who answered a question, when, and why. */
export interface Provenance {
  /** A person or a group: `Ada Grower, Plants`. */
  readonly who: string;
  /** A day: `2026-01-31`. */
  readonly on: `${number}-${number}-${number}`;
  /** The reason, or where to read it. */
  readonly why: string;
}

/** An answer in words: the software doesn't carry it out. Any question can have one. */
export interface InWords extends Provenance {
  readonly inWords: string;
  readonly is?: never;
}

/** An answer that the software carries out. */
export interface Carried<Value> extends Provenance {
  readonly is: Value;
  readonly inWords?: never;
}

/** The answers, by question. A question that is left out is open. */
export type Answers = {
  readonly [Id in QuestionId]?: InWords | (Id extends ExecutableId ? Carried<ExecutableAnswers[Id]> : never);
};

/** What the software carries out of a set of answers. */
export type ValuesOf<All extends Answers> = {
  readonly [Id in keyof All as All[Id] extends { readonly is: unknown } ? Id : never]: All[Id] extends {
    readonly is: infer Value;
  }
    ? Value
    : never;
};

/** What the software carries out of a set of answers: those that aren't in words, and no entry of another form. */
export function valuesOf<const All extends Answers>(answers: All): ValuesOf<All> {
  const entries: Readonly<Record<string, { readonly is?: unknown } | null>> = answers;
  const carried = Object.entries(entries).flatMap(([id, answer]) =>
    answer?.is === undefined ? [] : [[id, answer.is] as const],
  );
  return Object.fromEntries(carried) as ValuesOf<All>;
}

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
