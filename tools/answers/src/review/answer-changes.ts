import { isDeepStrictEqual } from 'node:util';

import { openQuestions } from '@plant-store/contract';
import { parse } from 'yaml';

/** An answer as the overlay states it. */
export interface StatedAnswer {
  /** Of a schema, its JSON Schema. */
  readonly answer: unknown;
  readonly answeredBy: string;
  readonly date: string;
  readonly reason: string;
}

/** Answers by question. */
export type StatedAnswers = ReadonlyMap<string, StatedAnswer>;

/** A question whose answer differs from that of the base. One side is undefined if it was open there. */
export interface AnswerChange {
  readonly question: string;
  readonly kind: 'new' | 'changed' | 'withdrawn' | 'stated again';
  readonly before: StatedAnswer | undefined;
  readonly after: StatedAnswer | undefined;
}

interface Action {
  readonly 'x-question'?: unknown;
  readonly 'x-answer'?: unknown;
  readonly 'x-answered-by'?: unknown;
  readonly 'x-date'?: unknown;
  readonly 'x-reason'?: unknown;
}

/**
 * The answers of an overlay. Without a text there are none.
 *
 * @throws Error if the text is no YAML
 */
export function statedAnswers(text: string | undefined): StatedAnswers {
  const overlay = parse(text ?? '') as { readonly actions?: readonly Action[] } | null;
  const stated = (overlay?.actions ?? []).filter((action) => action['x-answer'] !== undefined);
  return new Map(
    stated.map((action) => [
      String(action['x-question']),
      {
        answer: action['x-answer'],
        answeredBy: String(action['x-answered-by']),
        date: String(action['x-date']),
        reason: String(action['x-reason']),
      },
    ]),
  );
}

/** The answers that are new, changed or withdrawn, in the order of the register. */
export function answerChanges(before: StatedAnswers, after: StatedAnswers): AnswerChange[] {
  const known: readonly string[] = openQuestions.map(({ id }) => id);
  const questions = new Set([...before.keys(), ...after.keys()]);
  const unknown = [...questions].filter((question) => !known.includes(question));
  return [...known.filter((id) => questions.has(id)), ...unknown].flatMap((question) => {
    const sides = { before: before.get(question), after: after.get(question) };
    return isDeepStrictEqual(sides.before, sides.after) ? [] : [{ question, kind: kindOf(sides), ...sides }];
  });
}

function kindOf({ before, after }: Pick<AnswerChange, 'before' | 'after'>): AnswerChange['kind'] {
  if (before === undefined) return 'new';
  if (after === undefined) return 'withdrawn';
  return isDeepStrictEqual(before.answer, after.answer) ? 'stated again' : 'changed';
}
