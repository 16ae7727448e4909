import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** A flush that takes no longer than this may block the event loop, in milliseconds. */
const MAX_BLOCKING = 1;

/** After so many flushes in a row that took longer, the loop waits for none. One alone may be an accident. */
const MAX_SLOW = 3;

/** Then one flush blocks it now and then, to find out whether the disk is fast again: this part of the time. */
const PROBE_SHARE = 1 / 200;

const flushAsync = promisify(fdatasync);

/**
 * Flushes the write-ahead log of a database to the disk.
 *
 * On a fast disk it blocks the event loop, because the next request would be ready no sooner: handing a flush to another
 * thread takes as long as the flush. On a slow one it doesn't, so that requests are read and refused meanwhile.
 */
export class LogFlush {
  readonly #descriptor: number;
  #slowInARow = 0;
  #nextProbe = 0;

  /** @param file the log, which exists */
  constructor(file: string) {
    this.#descriptor = openSync(file, 'r+');
  }

  /** Whether the last flushes took so long that the loop waits for none. */
  get isSlow(): boolean {
    return this.#slowInARow >= MAX_SLOW;
  }

  /** What was written before is durable when it resolves. If it rejects, nobody knows what is durable. */
  async flush(): Promise<void> {
    const start = performance.now();
    if (this.isSlow && start < this.#nextProbe) return flushAsync(this.#descriptor);
    fdatasyncSync(this.#descriptor);
    const end = performance.now();
    this.#slowInARow = end - start > MAX_BLOCKING ? this.#slowInARow + 1 : 0;
    this.#nextProbe = end + (end - start) / PROBE_SHARE;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
