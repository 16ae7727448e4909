import { existsSync } from 'node:fs';
import { openQuestions } from '@plant-store/contract';
import { mapOf, parse, type Position, readText, type SourceNode } from './read.js';

/** The file in which answers are entered on the code's side. */
export const ANSWERS_SOURCE = 'libs/contract/src/answers.ts';

/** The file that says what is accepted beside the answers for a while. */
export const STILL_ACCEPTED_SOURCE = 'libs/contract/src/still-accepted.ts';

/** Every question, in the order of the register. */
export const QUESTIONS: readonly string[] = openQuestions.map(({ id }) => id);

/** The questions that are answered with a schema, which is code. Their plain answer is its JSON Schema. */
export const SCHEMA_QUESTIONS: readonly string[] = ['plant-fields', 'event-payload-fields'];

/** The answers of the code, by question. */
export type CodeAnswers = ReadonlyMap<string, EnteredAnswer>;

/** One answer of the code. */
export interface EnteredAnswer extends Position {
  readonly value: SourceNode;
}

/** Answers of the code, each with the line where answers.ts names it. @param answers as `plainAnswers` gives them */
export function codeAnswersOf(answers: Readonly<Record<string, unknown>>): CodeAnswers {
  const lines = existsSync(ANSWERS_SOURCE) ? readText(ANSWERS_SOURCE).split('\n') : [];
  const lineOf = (id: string): number | undefined => {
    const index = lines.findIndex((line) => /^\s*['"]?([\w-]+)['"]?:/.exec(line)?.[1] === id);
    return index === -1 ? undefined : index + 1;
  };
  return new Map(
    Array.from(mapOf(parse(JSON.stringify(answers), ANSWERS_SOURCE))!, ([id, value]) => [
      id,
      { value, file: ANSWERS_SOURCE, line: lineOf(id) },
    ]),
  );
}
