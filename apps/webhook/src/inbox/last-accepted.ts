import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';

/** Digits of the largest id. */
const DIGITS = 16;

/**
 * The id of the last delivery that was accepted, in a small file beside the database.
 *
 * It is written after each commit, and not flushed: whatever ends the process, the system keeps it. After a power cut
 * it may be older than the database, and never newer. So if the database ends before this id, deliveries are missing.
 */
export class LastAccepted {
  readonly #descriptor: number;
  readonly #text = Buffer.alloc(DIGITS + 1, '\n');

  /** Opens the file, or creates it. */
  constructor(file: string) {
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT);
  }

  write(id: number): void {
    this.#text.write(String(id).padStart(DIGITS, '0'), 'latin1');
    try {
      writeSync(this.#descriptor, this.#text, 0, this.#text.length, 0);
    } catch {
      // The deliveries are stored. The file is older than the database, as after a power cut.
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The id in a file; 0 if there is no such file, or if it has something else. */
export function readLastAccepted(file: string): number {
  try {
    const text = readFileSync(file, 'latin1');
    return /^\d{16}\n$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}
