import { existsSync, readFileSync } from 'node:fs';
import { openQuestions } from '@plant-store/contract';
import { child, descend, formatPlace, listOf, mapOf, parse, plain, type SourceNode } from './read.js';
import { ToolError } from '../tool-error.js';

/** The file in which answers are entered on the code's side. */
export const ANSWERS_SOURCE = 'libs/contract/src/answers.ts';

/** The file that says what is accepted beside the answers for a while. */
export const ACCEPTS_SOURCE = 'libs/contract/src/accepts.ts';

/** Every question, in the order of the register. */
export const QUESTIONS: readonly string[] = openQuestions.map(({ id }) => id);

/** The questions that are answered with a schema, which is code. Their plain answer is its JSON Schema. */
export const SCHEMA_QUESTIONS: readonly string[] = ['plant-fields', 'event-payload-fields'];

/** The answers of the code, as a file holds them. */
export interface CodeAnswers {
  /** The source in which answers are entered. */
  readonly source: string;
  /** Every known question. */
  readonly questions: readonly string[];
  readonly entered: ReadonlyMap<string, EnteredAnswer>;
}

/** One answer of the code. */
export interface EnteredAnswer {
  readonly value: SourceNode;
  readonly file: string;
  /** Where the source names the question first, if it does. */
  readonly line?: number | undefined;
}

/** The text for `readCodeAnswers`. @param answers as `plainAnswers` gives them */
export function writeCodeAnswers(answers: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ source: ANSWERS_SOURCE, questions: QUESTIONS, answers }, null, 2)}\n`;
}

/** Answers of the code, as the gate takes them. @param answers as `plainAnswers` gives them */
export function codeAnswersOf(answers: Readonly<Record<string, unknown>>): CodeAnswers {
  return readCodeAnswers(writeCodeAnswers(answers), ANSWERS_SOURCE);
}

/**
 * Reads `{ "source": PATH, "questions": [ID], "answers": { ID: VALUE } }`, as `openapi answers` writes it.
 *
 * @param file is named in errors
 * @throws ToolError `syntax` or `bad-answers`
 */
export function readCodeAnswers(text: string, file: string): CodeAnswers {
  const root = parse(text, file);
  const source = child(root, 'source')?.value;
  const questions = listOf(child(root, 'questions'))?.map((item) => String(plain(item)));
  const answers = mapOf(descend(root, ['answers']));
  if (typeof source !== 'string' || questions === undefined || answers === undefined)
    throw new ToolError(
      'bad-answers',
      `${file}: not a file of answers. Write it with: openapi answers --output FILE`,
    );
  for (const [id, { place }] of answers) {
    if (!questions.includes(id))
      throw new ToolError(
        'bad-answers',
        `${formatPlace(place)}: ${id} has an answer and is not one of the questions`,
      );
  }
  const lines = existsSync(source) ? readFileSync(source, 'utf8').split('\n') : [];
  const lineOf = (id: string): number | undefined => {
    const index = lines.findIndex((line) => /^\s*['"]?([\w-]+)['"]?:/.exec(line)?.[1] === id);
    return index === -1 ? undefined : index + 1;
  };
  const entered = Array.from(answers, ([id, value]): [string, EnteredAnswer] => [
    id,
    { value, file: source, line: lineOf(id) },
  ]);
  return { source, questions, entered: new Map(entered) };
}
