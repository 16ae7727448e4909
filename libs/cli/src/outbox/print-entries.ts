import { isUtf8 } from 'node:buffer';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { escapeHidden } from '@plant-store/sdk/internal';
import type { OutboxEntry, OutboxStatus } from '@plant-store/sdk/outbox';
import stringWidth from 'string-width';
import type { CommandContext } from '../context.js';

// What `plant-inbox` prints of deliveries looks the same: a test compares both.

/** Colours of states. */
const colours = {
  waiting: 'yellow',
  sending: 'cyan',
  delivered: 'green',
  parked: 'red',
  discarded: 'gray',
} as const;

/** A state, if it is shown in colours there. */
const coloured = (state: OutboxEntry['state'], stream: Writable): string =>
  styleText(colours[state], state, { stream });

/** Entries as a table. A column without a cell is left out. Where a line is wider than the terminal, it ends in `…`. */
export function tableOf(entries: readonly OutboxEntry[], stdout: CommandContext['stdout']): string {
  const rows = entries.map(
    ({ id, state, enqueuedAt, bytes, attempts, eventId = '', outcome = '', error = '' }) => [
      ...[id, state, shortTime(enqueuedAt), bytes, attempts, eventId, outcome, error],
    ],
  );
  const headings = ['ID', 'STATE', 'ENQUEUED', 'BYTES', 'ATTEMPTS', 'EVENT', 'OUTCOME', 'ERROR'];
  const lines = layOut([headings, ...rows], stdout.columns || Infinity, 1);
  return lines
    .map((line, index) => {
      const state = entries[index - 1]?.state;
      return state === undefined ? line : line.replace(state, coloured(state, stdout));
    })
    .join('');
}

/** The counts of an outbox, as `plant-inbox stats` has those of an inbox. */
export function statusText({ waiting, sending, parked, waitingSince }: OutboxStatus): string {
  const counts = Object.entries({ waiting, sending, parked });
  return layOut([
    ...counts.map(([state, count]) => [state, count.toLocaleString('en-US')]),
    ...(waitingSince === undefined ? [] : [['oldest', `waits since ${shortTime(waitingSince)}`]]),
  ]).join('');
}

const shortTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** Lays out rows in columns. Numbers of the last row end in the same column. */
function layOut(rows: readonly (readonly (string | number)[])[], width = Infinity, headings = 0): string[] {
  const isShown = rows[0]!.map((_, column) => rows.slice(headings).some((row) => row[column] !== ''));
  const cells = rows.map((row) =>
    row.map((cell) => escapeHidden(String(cell))).filter((_, column) => isShown[column]),
  );
  const isNumber = rows
    .at(-1)!
    .filter((_, column) => isShown[column])
    .map((cell) => typeof cell === 'number');
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => stringWidth(row[column]!))));
  const padded = (cell: string, column: number): string => {
    const space = ' '.repeat(widths[column]! - stringWidth(cell));
    return isNumber[column] ? space + cell : cell + space;
  };
  return cells.map((row) => `${cut(row.map(padded).join('  ').trimEnd(), width)}\n`);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function cut(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let shown = '';
  for (const { segment } of graphemes.segment(line)) {
    if (stringWidth(shown + segment) >= width) break;
    shown += segment;
  }
  return `${shown}…`;
}

/**
 * A value as JSON that a terminal shows.
 *
 * @param indent spaces of each level; 0 for one line
 */
export function jsonOf(value: object, indent: 0 | 2 = 2): string {
  return `${escapeHidden(JSON.stringify(value, undefined, indent), '\n')}\n`;
}

/** What each member of an entry is called. */
const labels = {
  id: 'id',
  state: 'state',
  enqueuedAt: 'enqueued',
  attempts: 'attempts',
  settledAt: 'settled',
  outcome: 'outcome',
  code: 'code',
  error: 'error',
  eventId: 'event',
  mediaType: 'media type',
  bytes: 'bytes',
} as const;

/** An entry without its content. */
export function headOf(entry: OutboxEntry, stdout: Writable): string {
  const facts = Object.entries(labels).map(([name, label]) => {
    const value = entry[name as keyof typeof labels];
    const text = value instanceof Date ? value.toISOString() : value;
    const shown = name === 'state' ? coloured(entry.state, stdout) : escapeHidden(String(text));
    return text === undefined ? '' : `${label.padEnd(12)}${shown}\n`;
  });
  return facts.join('');
}

/** A content after an empty line; `undefined` if it isn't text. */
export function textOf(content: Buffer): string | undefined {
  if (!isUtf8(content) || content.includes(0)) return undefined;
  const text = escapeHidden(content.toString().replaceAll('\r\n', '\n'), '\n\t');
  return text && `\n${text.replace(/\n?$/, '\n')}`;
}
