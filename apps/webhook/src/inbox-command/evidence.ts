import { cut, type Row, table } from '@plant-store/command/table';

import type { Evidence } from '../evidence/evidence.js';
import type { FieldEvidence, JsonEvidence } from '../evidence/json-fields.js';
import type { Names, Spread } from '../evidence/tally.js';
import { deliveries } from './batches.js';
import type { Connection } from './connection.js';
import type { Output } from './printable.js';
import { filterOf, type Selection } from './options.js';
import type { Terminal } from './terminal.js';

/** No line is wider, in columns, nor wider than the terminal. */
const WIDTH = 80;

/** `plant-inbox evidence` */
export async function evidence(
  terminal: Terminal,
  { get }: Connection,
  { output, ...selection }: Selection & { output?: Output },
): Promise<void> {
  const found = await get<Evidence>('/evidence', filterOf(selection));
  await terminal.print(output, found, () => (found.deliveries > 0 ? evidenceText(terminal, found) : ''));
  if (found.deliveries === 0) terminal.report('No deliveries with a content.');
  if (found.stoppedAfter !== null)
    terminal.report(
      `The time was over after delivery ${found.stoppedAfter}. Choose fewer with --since or --id.`,
    );
}

/** What is found, for people. */
export function evidenceText(terminal: Terminal, found: Evidence): string {
  const { content, discarded, firstReceivedAt, lastReceivedAt, repeats, sizes, headerFields } = found;
  const [first, last] = [firstReceivedAt, lastReceivedAt].map((time) => new Date(time!).toISOString());
  const section = (part: keyof Evidence['questions'], what: string, lines: readonly string[]): string[] => [
    '',
    `${found.questions[part].join(', ')}: ${what}`,
    ...lines.map((line) => cut(`  ${line}`, Math.min(WIDTH, terminal.width))),
  ];
  const lines = [
    `${deliveries(found.deliveries)}, from ${first} to ${last}`,
    ...(discarded === 0 ? [] : [`${discarded} discarded left out: the content is deleted`]),
    ...section('methods', 'methods', namesTable(found.methods)),
    ...section('mediaTypes', 'media types', namesTable(found.mediaTypes)),
    ...section('contentEncodings', 'content encodings', namesTable(found.contentEncodings)),
    ...section('content', 'content', contentLines(content)),
    ...section('sizes', 'bytes of a content', spreadTable(sizes, String)),
    ...section('repeats', 'the same bytes again', [
      ...table([
        [repeats.contents, 'contents that came again'],
        [repeats.deliveries, 'deliveries with a content that came before'],
        ...(repeats.forgotten === 0
          ? []
          : [[repeats.forgotten, 'deliveries that were not compared with later ones'] as const]),
      ]),
      ...(repeats.between === null ? [] : ['time between two of them:']),
      ...spreadTable(repeats.between, durationText),
    ]),
    ...section('headerFields', 'names of header fields', namesTable(headerFields, found.deliveries)),
    '',
    'Of a delivery, its path, its access token and the fields of its connection are',
    'not kept. Requests that the receiver refused are not kept either.',
  ];
  return `${lines.join('\n')}\n`;
}

/** @param all a name that so many deliveries have comes always; undefined if that doesn't matter */
function namesTable({ names, further }: Names, all?: number): string[] {
  const often = (count: number): string => {
    if (all === undefined) return '';
    return count === all ? 'always' : 'sometimes';
  };
  const rows = names.map(({ name, deliveries: count }): Row => [count, often(count), name]);
  return table([...rows, ...(further === 0 ? [] : [[further, '', 'further names'] as const])]);
}

function contentLines({ json, other, unread, inPart, further, fields }: JsonEvidence): string[] {
  const counts: [count: number, what: string][] = [
    [json, 'JSON'],
    [other, 'not JSON in UTF-8'],
    [unread, 'not read: encoded, or larger than 1 MiB'],
    [inPart, 'with more values than are looked at'],
    [further, 'values that are not looked at: too deep, or too many fields'],
  ];
  const rows = fields.flatMap(rowsOf);
  const hidden = rows.some(([, , , , path]) => String(path).endsWith('{}'));
  return [
    ...table(counts.filter(([count]) => count > 0)),
    ...(rows.length === 0 ? [] : table(rows, ['VALUES', 'OF', 'TYPE', 'FORMAT', 'FIELD'])),
    ...(hidden ? ['{} stands for further names, which are not shown.'] : []),
  ];
}

/** A row for each type. */
function rowsOf({ path, of, types, formats }: FieldEvidence): Row[] {
  return Object.entries(types).map(([type, count]) => [
    count,
    of,
    type,
    type === 'string' ? formats.join(', ') : '',
    path || '(the content)',
  ]);
}

function spreadTable(spread: Spread | null, textOf: (value: number) => string): string[] {
  if (spread === null) return [];
  const { least, p50, p90, p99, most } = spread;
  return table([[least, p50, p90, p99, most].map(textOf)], ['LEAST', 'P50', 'P90', 'P99', 'MOST']);
}

const UNITS: readonly [name: string, milliseconds: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** A duration of milliseconds with its unit, such as `1.5 s`. */
export function durationText(milliseconds: number): string {
  const unit = UNITS.find(([, length]) => milliseconds >= length);
  return unit === undefined ? `${milliseconds} ms` : `${(milliseconds / unit[1]).toFixed(1)} ${unit[0]}`;
}
