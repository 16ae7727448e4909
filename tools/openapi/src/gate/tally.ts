import { capped, countText } from '../facts/places.js';
import type { FindingState } from './finding.js';
import type { GateReport } from './gate.js';

/**
 * How many facts are in each state; a fact in several places counts once for each. Answers are counted by question: an
 * unmatched one is not the same in the overlay and in the code, or its actions are wrong.
 */
export type Tally = Readonly<Record<'specified' | FindingState | 'unmatched answer', number>>;

/** Counts the facts of a report. */
export function tally({ specified, findings, answers }: GateReport): Tally {
  const count = (state: FindingState) =>
    findings
      .filter((finding) => finding.state === state)
      .reduce((sum, finding) => capped(sum + finding.count), 0);
  const isStale = (question: string) =>
    findings.some(({ state, action }) => state === 'stale answer' && action?.question === question);
  return {
    specified,
    missing: count('missing'),
    contradicted: count('contradicted'),
    invented: count('invented'),
    answered: answers.filter(({ state, question }) => state === 'answered' && !isStale(question)).length,
    'stale answer': count('stale answer'),
    'unmatched answer': answers.filter(({ state }) => state !== 'answered' && state !== 'depends').length,
  };
}

/** `11 specified, 0 missing, 0 contradicted, 0 invented, 0 answered`, and `, 1 stale, 1 unmatched` if there are any. */
export function tallyLine(counts: Tally): string {
  const always = ['specified', 'missing', 'contradicted', 'invented', 'answered'] as const;
  const { 'stale answer': stale, 'unmatched answer': unmatched } = counts;
  return [
    ...always.map((state) => `${countText(counts[state])} ${state}`),
    ...(stale > 0 ? [`${countText(stale)} stale`] : []),
    ...(unmatched > 0 ? [`${unmatched} unmatched`] : []),
  ].join(', ');
}
