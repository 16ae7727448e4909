import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { WriteError } from '../command-line/write-error.js';

/**
 * A file to which lines are appended. A line that was appended survives the end of the process: it is handed to the
 * operating system before `append` returns.
 */
export class AppendFile {
  readonly path: string;
  readonly #what: string;
  readonly #fd: number;

  /**
   * @param what What the file is, for messages.
   * @param flags `a` for a file that may exist, `ax` for one that must not.
   * @throws WriteError
   */
  constructor(what: string, path: string, flags: 'a' | 'ax') {
    this.path = path;
    this.#what = what;
    this.#fd = this.#attempt(() => openSync(path, flags));
  }

  /**
   * Appends a line: all of it or, in a regular file, nothing.
   *
   * @throws WriteError
   */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    let written = 0;
    this.#attempt(() => {
      try {
        while (written < bytes.byteLength) written += writeSync(this.#fd, bytes, written);
      } catch (error) {
        const stats = fstatSync(this.#fd);
        if (stats.isFile()) ftruncateSync(this.#fd, stats.size - written);
        throw error;
      }
    });
  }

  /** Removes what follows the last whole line. */
  truncate(length: number): void {
    this.#attempt(() => ftruncateSync(this.#fd, length));
  }

  /**
   * Writes the file to disk, if it is on one.
   *
   * @throws WriteError
   */
  close(): void {
    try {
      if (fstatSync(this.#fd).isFile()) this.#attempt(() => fsyncSync(this.#fd));
    } finally {
      closeSync(this.#fd);
    }
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new WriteError(`${this.#what} ${this.path}`, cause);
    }
  }
}
