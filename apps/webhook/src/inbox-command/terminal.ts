import { createInterface } from 'node:readline';

import stringWidth from 'string-width';

import { printable, printableLine } from './printable.js';

/** What a person got wrong, or what can't be done. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** @param exitCode 1 if it failed, 2 if the command line is wrong */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

// What can't be written fails where it is written. Without a listener, it would also end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/**
 * Writes to standard output. Resolves when everything is written.
 *
 * @throws what the system reports; `EPIPE` if nobody reads it any more, as with `| head`
 */
export function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

let isProgressShown = false;

/** Shows how far long work has come, on the last line of a terminal. An empty text clears the line. */
export function showProgress(text: string): void {
  if (!process.stderr.isTTY || (text === '' && !isProgressShown)) return;
  process.stderr.write(`\r\u001b[K${text}`);
  isProgressShown = text !== '';
}

/** Writes a line for people to standard error. */
export function report(line: string): void {
  showProgress('');
  process.stderr.write(`${printable(line)}\n`);
}

/** Whether somebody is there to be asked. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks a question on the terminal. Anything but `y` or `yes` means no. */
export async function confirm(question: string): Promise<boolean> {
  // The terminal edits the line and turns Ctrl-C into a signal, which ends the process.
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stderr.write(`${printable(question)} [y/N] `);
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}

/** Aborts at the first Ctrl-C or SIGTERM. A second one ends the process. */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
  return interrupted.signal;
}

/** The cells of a row. Numbers end in the same column. */
export type Row = readonly (string | number)[];

/**
 * Lays out rows in columns, and leaves out columns that are empty. On a terminal no line is wider than that: what doesn't
 * fit is cut off with `…`.
 *
 * @returns lines without their ends; the first one has the headings, if there are any
 */
export function table(rows: readonly Row[], headings?: readonly string[]): string[] {
  const columns = (rows[0] ?? []).map((_, column) => column);
  const shown = columns.filter((column) => rows.some((row) => row[column] !== ''));
  const cells = [...(headings === undefined ? [] : [headings]), ...rows].map((row) =>
    shown.map((column) => printableLine(String(row[column]))),
  );
  const widths = shown.map((_, index) => Math.max(...cells.map((row) => stringWidth(row[index]!))));
  return cells.map((row) => {
    const padded = row.map((cell, index) => {
      const space = ' '.repeat(widths[index]! - stringWidth(cell));
      return typeof rows[0]![shown[index]!] === 'number' ? space + cell : cell + space;
    });
    return cut(padded.join('  ').trimEnd());
  });
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Cuts off what is wider than so many columns.
 *
 * @param width by default that of the terminal; without one, nothing is cut off
 */
export function cut(line: string, width = process.stdout.isTTY ? process.stdout.columns : Infinity): string {
  if (stringWidth(line) <= width) return line;
  let shown = '';
  for (const { segment } of graphemes.segment(line)) {
    if (stringWidth(shown + segment) >= width) break;
    shown += segment;
  }
  return `${shown}…`;
}
