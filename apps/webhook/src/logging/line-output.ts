import { constants, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';

import type { DestinationStream } from 'pino';

/** Most bytes that wait to be written: the log of about a second at `debug` under full load. */
const MAX_WAITING = 4_194_304;

/** Longest time between two attempts to write, in milliseconds. */
const MAX_DELAY = 1_000;

/** How often, and how many milliseconds apart, `flushSync` tries again while a reader is slow. */
const MAX_PAUSES = 25;
const PAUSE = 20;

/**
 * Writes lines to a file, a pipe, a socket or a terminal, and never waits for it: neither for a reader that doesn't
 * read nor for a disk that is slow or full. Lines that can't be written yet wait in memory, up to 4 MiB. Further ones are
 * dropped, until all that wait have been written. Then a line says how many are missing: `dropped`.
 *
 * What can't be written is tried again after 1 ms, then after twice as long each time, up to a second.
 */
export class LineOutput implements DestinationStream {
  readonly #fd: number;
  /** Whether a system call that writes may take long. It then runs in a thread. */
  readonly #blocks: boolean;
  #waiting: Uint8Array[] = [];
  /** Bytes that wait or that a thread is writing. */
  #size = 0;
  #dropped = 0;
  #isInThread = false;
  #retry: NodeJS.Timeout | undefined;
  #delay = 1;

  /** @param fd a file descriptor, which stays open for as long as the process runs */
  constructor(fd: number) {
    const unblocked = openUnblocked(fd);
    this.#fd = unblocked ?? fd;
    this.#blocks = unblocked === undefined;
  }

  /** @param line with its line end */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#dropped > 0 || this.#size + bytes.length > MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    if (!this.#isInThread && this.#retry === undefined) this.#writeWaiting();
  }

  /**
   * Writes what waits before the process ends, for half a second at most if a reader is slow. Pino calls it after a
   * fatal line.
   */
  flushSync(): void {
    // A thread goes on without the event loop.
    if (this.#isInThread) pause();
    for (let pauses = 0; this.#waiting.length > 0 && pauses < MAX_PAUSES;) {
      const code = this.#writeSync(this.#takeWaiting());
      if (code === undefined) continue;
      if (code !== 'EAGAIN') return;
      pauses += 1;
      pause();
    }
  }

  #writeWaiting(): void {
    this.#retry = undefined;
    while (this.#waiting.length > 0) {
      const bytes = this.#takeWaiting();
      if (this.#blocks) return this.#writeInThread(bytes);
      if (this.#writeSync(bytes) !== undefined) return this.#writeLater();
    }
  }

  #writeInThread(bytes: Uint8Array): void {
    this.#isInThread = true;
    write(this.#fd, bytes, (error, written) => {
      this.#isInThread = false;
      this.#onWritten(bytes, error === null ? written : 0);
      if (error === null) this.#writeWaiting();
      else this.#writeLater();
    });
  }

  /** @returns the code of the error, if nothing could be written */
  #writeSync(bytes: Uint8Array): string | undefined {
    try {
      this.#onWritten(bytes, writeSync(this.#fd, bytes));
      return undefined;
    } catch (error) {
      this.#onWritten(bytes, 0);
      return String((error as NodeJS.ErrnoException).code);
    }
  }

  #takeWaiting(): Uint8Array {
    const taken = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    this.#waiting = [];
    return taken;
  }

  /** @param count how many of the bytes were written; the others wait again, before all that came meanwhile */
  #onWritten(bytes: Uint8Array, count: number): void {
    this.#size -= count;
    if (count < bytes.length) this.#waiting.unshift(bytes.subarray(count));
    if (count > 0) this.#delay = 1;
    if (this.#size === 0 && this.#dropped > 0) this.#reportDropped();
  }

  #reportDropped(): void {
    const time = new Date().toISOString();
    const msg = 'the log could not be written; lines are missing before this one';
    const report = Buffer.from(`${JSON.stringify({ level: 'warn', time, dropped: this.#dropped, msg })}\n`);
    this.#dropped = 0;
    this.#waiting.push(report);
    this.#size = report.length;
  }

  #writeLater(): void {
    this.#retry = setTimeout(() => this.#writeWaiting(), this.#delay).unref();
    this.#delay = Math.min(this.#delay * 2, MAX_DELAY);
  }
}

/**
 * Opens standard output or standard error so that it never stops the process. What waits is written before the process
 * ends.
 */
export function openOutput(stream: NodeJS.WriteStream & { readonly fd: number }): LineOutput {
  // What a handler itself prints may fail too.
  stream.on('error', () => undefined);
  const output = new LineOutput(stream.fd);
  process.on('exit', () => output.flushSync());
  return output;
}

/**
 * Makes a pipe, a socket or a terminal refuse what would have to wait (EAGAIN).
 *
 * @returns the file descriptor to write to, or undefined if writing may block, as to a file
 */
function openUnblocked(fd: number): number | undefined {
  try {
    if (isatty(fd)) {
      // Opened again, because the shell has the same terminal.
      return openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    }
    // Node.js sets O_NONBLOCK for its sockets. It throws for a file.
    new Socket({ fd, readable: false, writable: true }).unref();
    return fd;
  } catch {
    return undefined;
  }
}

/** Lets the thread wait. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
}
