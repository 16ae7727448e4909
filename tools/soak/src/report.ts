import type { Measurement, Measurements } from './measurements.js';
import type { Soak } from './soak.js';

/** How many lines a table over time has at most. */
const LINES_OVER_TIME = 12;

/** The tables of a soak, in Markdown. */
export function report(soak: Soak, seed: number, cutsPower: boolean): string {
  const measurements = soak.steady?.measurements;
  if (measurements === undefined || measurements.all.length === 0)
    return table(['Soak', 'Result'], counted(soak, seed, cutsPower));
  return [
    table(['Soak', 'Result'], [...counted(soak, seed, cutsPower), ...measured(measurements)]),
    'Over time:',
    table(
      ['Time', 'Memory in MB', 'Descriptors', 'p50 in ms', 'p99 in ms', 'Most in ms'],
      overTime(measurements.all),
    ),
  ].join('\n\n');
}

function counted({ seconds, count, rounds, totals }: Soak, seed: number, cutsPower: boolean): string[][] {
  const refused = Array.from(totals.refused, ([status, times]) => `${status}: ${thousands(times)}`);
  return [
    ['Duration', `${duration(seconds)}, seed ${seed}`],
    ['Rounds', thousands(count)],
    ...Array.from(rounds, ([name, times]) => [`– ${name}`, thousands(times)]),
    ...(cutsPower ? [] : [['– power cuts', 'left out: they need Linux and a C compiler']]),
    ['Acknowledged', thousands(totals.acknowledged)],
    ['Lost', thousands(totals.lost)],
    ['Stored with other bytes', thousands(totals.changed)],
    ['Stored though not sent, refused, or twice', thousands(totals.unexpected)],
    ['Handled', thousands(totals.handled)],
    ['Handled again, after a crash or with a full disk', thousands(totals.handledAgain)],
    ['Parked', thousands(totals.parked)],
    ['Refused by status', refused.join(', ') || '0'],
    ['Unknown, because the connection was cut', thousands(totals.unknown)],
  ];
}

function measured({ all, most, latency }: Measurements): string[][] {
  const [first, last] = [all[0]!, all.at(-1)!];
  return [
    ['Memory in MB, first / last / most', [first, last, { usage: most }].map(memoryOf).join(' / ')],
    ['Descriptors, first / last / most', [first, last, { usage: most }].map(descriptorsOf).join(' / ')],
    ['Latency in ms, p50 / p99 / most', [latency.p50, latency.p99, latency.max].map(tenths).join(' / ')],
  ];
}

/** At most so many measurements, evenly spread. */
function overTime(all: readonly Measurement[]): string[][] {
  const step = Math.ceil(all.length / LINES_OVER_TIME);
  return all
    .filter((_, index) => (all.length - 1 - index) % step === 0)
    .map((measurement) => [
      duration(measurement.at),
      memoryOf(measurement),
      descriptorsOf(measurement),
      ...[measurement.p50, measurement.p99, measurement.max].map(tenths),
    ]);
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
    '\n',
  );
}

type Used = Pick<Measurement, 'usage'>;
const memoryOf = ({ usage }: Used): string => (usage ? (usage.memory / 1_000_000).toFixed(0) : '?');
const descriptorsOf = ({ usage }: Used): string => String(usage?.descriptors ?? '?');
export const thousands = (value: number): string => value.toLocaleString('en');
const tenths = (value: number): string => value.toFixed(1);
export const duration = (seconds: number): string =>
  `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
