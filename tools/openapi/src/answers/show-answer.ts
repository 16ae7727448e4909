import { ANSWER_KINDS } from './answer-kinds.js';

/** How a page shows an answer. */
export type ShownAnswer =
  /** In words, where whatever stands between back quotes is literal. */
  | { readonly kind: 'words'; readonly text: string }
  /** As a literal in the line. */
  | { readonly kind: 'literal'; readonly text: string }
  /** As JSON on lines of its own. */
  | { readonly kind: 'json'; readonly value: unknown }
  /** As the fields of this JSON Schema. */
  | { readonly kind: 'schema'; readonly schema: unknown };

/** @param answer as `plainAnswers` gives it */
export function showAnswer(id: string, answer: unknown): ShownAnswer {
  const kinds: Readonly<Record<string, 'value' | 'schema'>> = ANSWER_KINDS;
  const kind = Object.hasOwn(kinds, id) ? kinds[id] : 'words';
  if (kind === 'schema') return { kind, schema: answer };
  if (typeof answer === 'object' && answer !== null) return { kind: 'json', value: answer };
  return { kind: kind === 'words' ? kind : 'literal', text: String(answer) };
}
