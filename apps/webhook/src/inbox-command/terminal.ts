import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

import { printable } from '@plant-store/command/printable';
import { type Row, table } from '@plant-store/command/table';

import { onFirstSignal, type Signalled } from '../first-signal.js';
import { DELIVERY_STATES, type DeliveryState } from '../inbox/inbox-operations.js';
import { jsonLines, jsonText, type Output } from './printable.js';

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

/** What a command uses of its process. */
export interface CommandProcess extends Signalled {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  exitCode?: typeof process.exitCode;
}

/** What a command reads and writes: a terminal, or files and pipes. */
export class Terminal {
  readonly #process: CommandProcess;
  #isProgressShown = false;

  constructor(process: CommandProcess) {
    this.#process = process;
    // What can't be written fails where it is written. Without a listener, it would also end the process.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  }

  /** Not opened before it is used. */
  get stdin(): Readable {
    return this.#process.stdin;
  }

  /** Whether standard output is a terminal. */
  get isTTY(): boolean {
    return this.#process.stdout.isTTY === true;
  }

  /** Columns of a line of standard output; Infinity without a terminal, or if that doesn't know: it says 0. */
  get width(): number {
    return (this.isTTY && this.#process.stdout.columns) || Infinity;
  }

  /** Whether somebody is there to be asked. */
  get canAsk(): boolean {
    return this.#process.stdin.isTTY === true && this.#process.stderr.isTTY === true;
  }

  /** The exit code of the process, once it ends: 0 unless it is set. */
  set exitCode(code: number) {
    this.#process.exitCode = code;
  }

  /**
   * Writes to standard output. Resolves when everything is written.
   *
   * @throws what the system reports; `EPIPE` if nobody reads it any more, as with `| head`
   */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#process.stdout.write(data, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Prints what was found: a text, or JSON, in which each of a list is a line. @throws what {@link write} throws */
  print(output: Output | undefined, found: object, text: () => string): Promise<void> {
    const json = (): string => (Array.isArray(found) ? jsonLines(found as object[]) : jsonText(found, 2));
    return this.write(output === 'json' ? json() : text());
  }

  /** Shows how far long work has come, on the last line of a terminal. An empty text clears the line. */
  showProgress(text: string): void {
    const { stderr } = this.#process;
    if (!stderr.isTTY || (text === '' && !this.#isProgressShown)) return;
    stderr.write(`\r\u001b[K${text}`);
    this.#isProgressShown = text !== '';
  }

  /** Writes a line for people to standard error. */
  report(line: string): void {
    this.showProgress('');
    this.#process.stderr.write(`${printable(line)}\n`);
  }

  /** Asks a question on the terminal. Anything but `y` or `yes` means no. */
  async confirm(question: string): Promise<boolean> {
    // The terminal edits the line and turns Ctrl-C into a signal, which ends the process.
    const lines = createInterface({ input: this.#process.stdin, terminal: false });
    this.#process.stderr.write(`${printable(question)} [y/N] `);
    try {
      for await (const line of lines) return /^y(es)?$/i.test(line.trim());
      return false;
    } finally {
      lines.close();
    }
  }

  /** Aborts at the first Ctrl-C or SIGTERM. A second one ends the process. */
  interruption(): AbortSignal {
    const interrupted = new AbortController();
    onFirstSignal(this.#process, ['SIGINT', 'SIGTERM'], () => interrupted.abort());
    return interrupted.signal;
  }

  /**
   * Lays out rows as {@link table} does, and colours states where standard output shows that (`NO_COLOR`, `FORCE_COLOR`).
   *
   * @param isCut whether no line is wider than the terminal
   */
  table(rows: readonly Row[], headings?: readonly string[], isCut = true): string {
    if (rows.length === 0) return '';
    const lines = table(rows, headings, isCut ? this.width : Infinity);
    return lines.map((line) => `${line.replace(STATE_CELL, (text) => this.#coloured(text))}\n`).join('');
  }

  #coloured(text: string): string {
    const state = text.trim().split(/ +/).at(-1) as DeliveryState;
    return text.replace(state, styleText(COLOURS[state], state, { stream: this.#process.stdout }));
  }
}

/** Colours of states. */
const COLOURS: Readonly<Record<DeliveryState, Parameters<typeof styleText>[0]>> = {
  waiting: 'yellow',
  running: 'cyan',
  retrying: 'yellow',
  handled: 'green',
  parked: 'red',
  discarded: 'gray',
};

/** A state behind an id, or behind its name. */
const STATE_CELL = new RegExp(`^(?: *\\d+|state) +(?:${DELIVERY_STATES.join('|')})(?= |$)`);
