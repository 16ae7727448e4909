import type { AnswerOf } from './kinds/kind.js';
import type { kinds } from './kinds/kinds.js';
import type { inWords } from './kinds/parts.js';
import type { Surface } from './register/open-question.js';
import { type ExecutableId, isExecutable, type openQuestions, type QuestionId } from './register/register.js';

/** The type of the answer to each executable question. */
export type ExecutableAnswers = {
  readonly [Id in ExecutableId]: AnswerOf<(typeof kinds)[Id]['schema']>;
};

/** An answer in words to an executable question. The software goes on as while the question is open. */
export type InWords = AnswerOf<typeof inWords>;

/**
 * Answers by question. A question that is left out is open. The answer to an executable question is of its kind, or in
 * words: `{ inWords: 'any 2xx' }`. The answer to any other question is text.
 */
export type Answers = {
  readonly [Id in QuestionId]?: Id extends ExecutableId ? ExecutableAnswers[Id] | InWords : string;
};

/** The answers of a set that the software carries out. */
export type Executable<Given extends Answers = Answers> = {
  readonly [
    Id in keyof Given as Id extends ExecutableId ? (Given[Id] extends InWords ? never : Id) : never
  ]: Exclude<Given[Id], InWords>;
};

/**
 * The answers of a set that the software carries out: those to executable questions that are not in words. A question
 * that is answered and not in it is answered, but not carried out: whatever reads answers goes on as while it is open.
 */
export function executableOf<const Given extends Answers>(answers: Given): Executable<Given> {
  return Object.fromEntries(
    Object.entries(answers).filter(
      ([id, answer]) => isExecutable(id) && (answer as Partial<InWords> | undefined)?.inWords === undefined,
    ),
  ) as Executable<Given>;
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
