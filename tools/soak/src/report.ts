import type { Soak } from './soak.js';

/** The table of a soak, in Markdown. */
export function report({ seconds, count, rounds, totals, usages }: Soak, seed: number): string {
  const refused = Array.from(totals.refused, ([status, times]) => `${status}: ${thousands(times)}`);
  const ends = usages.filter((_, index) => index === 0 || index === usages.length - 1);
  return table(
    ['Soak', 'Result'],
    [
      ['Duration', `${duration(seconds)}, seed ${seed}`],
      ['Rounds', thousands(count)],
      ...Array.from(rounds, ([name, times]) => [`– ${name}`, thousands(times)]),
      ['Kills', thousands(totals.kills)],
      ['Acknowledged', thousands(totals.acknowledged)],
      ['Lost', thousands(totals.lost)],
      ['Stored or handled, and never sent like that', thousands(totals.invented)],
      ['Handled', thousands(totals.handled)],
      ['Handled again, after a fault', thousands(totals.handledAgain)],
      ['Parked', thousands(totals.parked)],
      ['Refused by status', refused.join(', ') || '0'],
      ['Unknown, because the connection was cut', thousands(totals.unknown)],
      ['Memory in MB, first / last', ends.map((usage) => Math.round(usage.memory / 1e6)).join(' / ')],
      ['Descriptors, first / last', ends.map((usage) => usage.descriptors).join(' / ')],
    ],
  );
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export const thousands = (value: number): string => value.toLocaleString('en');

export const duration = (seconds: number): string =>
  `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
