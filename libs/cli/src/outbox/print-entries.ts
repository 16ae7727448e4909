import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { escapeHidden, printable, shortTime } from '@plant-store/command/printable';
import { table } from '@plant-store/command/table';
import type { OutboxEntry, OutboxStatus } from '@plant-store/sdk/outbox';
import type { CommandContext } from '../context.js';

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
  if (entries.length === 0) return '';
  const rows = entries.map(
    ({ id, state, enqueuedAt, bytes, attempts, eventId = '', outcome = '', error = '' }) => [
      ...[id, state, shortTime(enqueuedAt), bytes, attempts, eventId, outcome, error],
    ],
  );
  const headings = ['ID', 'STATE', 'ENQUEUED', 'BYTES', 'ATTEMPTS', 'EVENT', 'OUTCOME', 'ERROR'];
  const [heading, ...lines] = table(rows, headings, stdout.columns || Infinity);
  const shown = lines.map((line, index) => {
    const { state } = entries[index]!;
    return line.replace(state, coloured(state, stdout));
  });
  return [heading, ...shown].map((line) => `${line}\n`).join('');
}

/** The counts of an outbox, as `plant-inbox stats` has those of an inbox. */
export function statusText({ waiting, sending, parked, waitingSince }: OutboxStatus): string {
  const counts = Object.entries({ waiting, sending, parked });
  const rows = [
    ...counts.map(([state, count]) => [state, count.toLocaleString('en-US')]),
    ...(waitingSince === undefined ? [] : [['oldest', `waits since ${shortTime(waitingSince)}`]]),
  ];
  return table(rows)
    .map((line) => `${line}\n`)
    .join('');
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

/** The text of a content after an empty line; nothing if there is none. */
export function contentText(text = ''): string {
  return text && `\n${printable(text).replace(/\n?$/, '\n')}`;
}
