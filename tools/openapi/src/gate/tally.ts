import type { Finding, FindingState } from './finding.js';
import type { GateReport } from './gate.js';

/**
 * How many facts are in each state; a fact in several places counts once for each. An unmatched answer is a question
 * of which overlay and code don't say the same.
 */
export type Tally = Readonly<Record<'specified' | FindingState | 'unmatched answer', number>>;

/** Counts the facts of a report. */
export function tally({ specified, findings, answers }: GateReport): Tally {
  const count = (state: FindingState) =>
    findings.filter((finding) => finding.state === state).reduce((sum, finding) => sum + places(finding), 0);
  return {
    specified,
    missing: count('missing'),
    contradicted: count('contradicted'),
    invented: count('invented'),
    answered: count('answered'),
    'stale answer': count('stale answer'),
    'unmatched answer': answers.filter(({ state }) => state !== 'answered').length,
  };
}

/** `11 specified, 0 missing, 0 contradicted, 0 invented, 0 answered`, and `, 1 stale, 1 unmatched` if there are any. */
export function tallyLine(counts: Tally): string {
  const { specified, missing, contradicted, invented, answered } = counts;
  const line = `${specified} specified, ${missing} missing, ${contradicted} contradicted, ${invented} invented, ${answered} answered`;
  const { 'stale answer': stale, 'unmatched answer': unmatched } = counts;
  return [
    line,
    ...(stale > 0 ? [`${stale} stale`] : []),
    ...(unmatched > 0 ? [`${unmatched} unmatched`] : []),
  ].join(', ');
}

/** Whether the document shows exactly what is stated and answered, and both sides of each answer say the same. */
export function isClean({ findings, answers }: GateReport): boolean {
  return [...findings, ...answers].every(({ state }) => state === 'answered');
}

function places({ alsoAt }: Finding): number {
  return 1 + alsoAt.length;
}
