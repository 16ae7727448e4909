import type { Finding, FindingState } from './finding.js';
import type { GateReport } from './gate.js';

/** How many facts are in each state; a fact in several places counts once for each. */
export type Tally = Readonly<Record<'specified' | FindingState, number>>;

/** Counts the facts of a report. */
export function tally({ specified, findings }: GateReport): Tally {
  const count = (state: FindingState) =>
    findings.filter((finding) => finding.state === state).reduce((sum, finding) => sum + places(finding), 0);
  return {
    specified,
    missing: count('missing'),
    contradicted: count('contradicted'),
    invented: count('invented'),
    answered: count('answered'),
    'stale answer': count('stale answer'),
  };
}

/** `11 specified, 0 missing, 0 contradicted, 0 invented, 0 answered`, and `, 1 stale` if there are any. */
export function tallyLine(counts: Tally): string {
  const { specified, missing, contradicted, invented, answered, 'stale answer': stale } = counts;
  const line = `${specified} specified, ${missing} missing, ${contradicted} contradicted, ${invented} invented, ${answered} answered`;
  return stale > 0 ? `${line}, ${stale} stale` : line;
}

/** Whether the document shows exactly what is stated and answered. */
export function isClean({ findings }: GateReport): boolean {
  return findings.every(({ state }) => state === 'answered');
}

function places({ alsoAt }: Finding): number {
  return 1 + alsoAt.length;
}
