import type { Totals } from './ledger.js';
import type { Measurement, Measurements } from './measurements.js';

/** How many lines the table over time has at most. */
const LINES_OVER_TIME = 12;

/** What a report is about. */
export interface Reported {
  readonly seed: number;
  readonly rounds: ReadonlyMap<string, number>;
  /** Whether power cuts were simulated. */
  readonly cutsPower: boolean;
  readonly totals: Totals;
  readonly measurements: Measurements;
}

/** The tables of a soak, in Markdown. */
export function report(reported: Reported): string {
  return [
    table(['', ''], summary(reported)),
    table(OVER_TIME_COLUMNS, overTime(reported.measurements.all)),
  ].join('\n\n');
}

function summary({ seed, rounds, cutsPower, totals, measurements }: Reported): string[][] {
  const { all, most, latency } = measurements;
  const count = (value: number): string => value.toLocaleString('en');
  const refused = Array.from(totals.refused, ([status, times]) => `${status}: ${count(times)}`).join(', ');
  const roundCount = Array.from(rounds.values()).reduce((sum, times) => sum + times, 0);
  const usage = (of: (measurement: Measurement) => string): string =>
    `${all[0] ? of(all[0]) : '?'} / ${all.at(-1) ? of(all.at(-1)!) : '?'}`;
  return [
    ['Duration', `${duration(measurements.seconds)}, seed ${seed}`],
    ['Rounds', count(roundCount)],
    ...Array.from(rounds, ([name, times]) => [`– ${name}`, count(times)]),
    ...(cutsPower ? [] : [['– power cuts', 'left out: no C compiler']]),
    ['Acknowledged', count(totals.acknowledged)],
    ['Lost', count(totals.lost)],
    ['Stored with other bytes', count(totals.changed)],
    ['Stored though not sent, refused, or twice', count(totals.unexpected)],
    ['Handled', count(totals.handled)],
    ['Handled more than once', `${count(totals.handledAgain)}, all after a crash`],
    ['Parked', count(totals.parked)],
    ['Refused by status', refused || '0'],
    ['Unknown outcome: the connection was cut', count(totals.unknown)],
    ['Memory in MB, first / last / most', `${usage(memoryOf)} / ${megabytes(most.memory)}`],
    ['Descriptors, first / last / most', `${usage(descriptorsOf)} / ${most.descriptors}`],
    [
      'Latency in ms, p50 / p99 / most',
      [latency.p50, latency.p99, latency.max].map(milliseconds).join(' / '),
    ],
  ];
}

const OVER_TIME_COLUMNS = ['Time', 'Memory in MB', 'Descriptors', 'p50 in ms', 'p99 in ms', 'Most in ms'];

/** At most so many measurements, evenly spread. */
function overTime(all: readonly Measurement[]): string[][] {
  const step = Math.ceil(all.length / LINES_OVER_TIME);
  return all
    .filter((_, index) => (all.length - 1 - index) % step === 0)
    .map((measurement) => [
      duration(measurement.at),
      memoryOf(measurement),
      descriptorsOf(measurement),
      ...[measurement.p50, measurement.p99, measurement.max].map(milliseconds),
    ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
    '\n',
  );
}

const memoryOf = ({ usage }: Measurement): string => megabytes(usage?.memory ?? NaN);
const descriptorsOf = ({ usage }: Measurement): string => String(usage?.descriptors ?? '?');
const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(0);
const milliseconds = (value: number): string => value.toFixed(1);
const duration = (seconds: number): string =>
  `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
