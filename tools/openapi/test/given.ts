import { type Answers, plainAnswers } from '@plant-store/contract';
import type { GivenAnswer, GivenAnswers } from '../src/pages/questions.js';

/** Answers of a test as a page takes them, with what else is known of some of them. */
export function given(
  answers: Answers,
  known: Readonly<Record<string, Omit<GivenAnswer, 'value'>>> = {},
): GivenAnswers {
  const values = Object.entries(plainAnswers(answers));
  return Object.fromEntries(values.map(([question, value]) => [question, { value, ...known[question] }]));
}
