import { exitCodes, type Result } from '../command-line/exit-codes.js';

/** The results, from the worst. The worst one of all lines decides the exit code. */
const results = [
  'unknown',
  'notAcknowledged',
  'badInput',
  'notSent',
  'acknowledged',
] as const satisfies readonly Result[];

const texts: { readonly [Each in Result]: string } = {
  acknowledged: 'acknowledged',
  notAcknowledged: 'not acknowledged',
  badInput: 'bad input',
  notSent: 'not sent',
  unknown: 'unknown',
};

/** Counts the results of lines. */
export class Tally {
  readonly counts: Record<Result, number> = {
    acknowledged: 0,
    notAcknowledged: 0,
    badInput: 0,
    notSent: 0,
    unknown: 0,
  };
  /** How many of the acknowledged lines were so before this run. */
  acknowledgedBefore = 0;
  /** Whether the input was read to its end. */
  isComplete = false;

  get lines(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count);
  }

  get failed(): number {
    return this.lines - this.counts.acknowledged;
  }

  get exitCode(): number {
    // Whatever should have made the lines has failed.
    if (this.isComplete && this.lines === 0) return exitCodes.badInput;
    const worst = results.find((result) => this.counts[result] > 0) ?? 'acknowledged';
    // Lines that weren't read were not sent.
    return exitCodes[worst === 'acknowledged' && !this.isComplete ? 'notSent' : worst];
  }

  /** The counts as JSON, for scripts. */
  record(): object {
    const { counts, lines, acknowledgedBefore, isComplete } = this;
    return { complete: isComplete, lines, ...counts, acknowledgedBefore };
  }

  /** Such as `3 lines: 1 acknowledged, 2 unknown`. */
  toString(): string {
    const { counts, acknowledgedBefore, lines } = this;
    const before = acknowledgedBefore === 0 ? '' : ` (${inEnglish(acknowledgedBefore)} by earlier runs)`;
    const others = results.toReversed().slice(1);
    const failed = others.filter((result) => counts[result] > 0);
    return [
      `${inEnglish(lines)} ${lines === 1 ? 'line' : 'lines'}: ${inEnglish(counts.acknowledged)} acknowledged${before}`,
      ...failed.map((result) => `${inEnglish(counts[result])} ${texts[result]}`),
    ].join(', ');
  }
}

function inEnglish(count: number): string {
  return count.toLocaleString('en-US');
}
