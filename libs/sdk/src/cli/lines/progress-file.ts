import { rmSync } from 'node:fs';
import { AppendFile } from './append-file.js';
import type { EarlierRuns } from './earlier-runs.js';
import { formatHeader, formatRecord, type ProgressHeader, type ProgressRecord } from './progress-record.js';

/**
 * The record of a run, from which another run can continue: each line before it is sent, and each result. If the
 * process is killed, no record is lost.
 */
export class ProgressFile {
  readonly #file: AppendFile;
  /** Lines that are done, but whose record couldn't be written. A later run calls them unknown. */
  readonly notRecorded: number[] = [];
  #isBroken = false;

  private constructor(file: AppendFile) {
    this.#file = file;
  }

  /**
   * Begins a new file.
   *
   * @throws WriteError
   */
  static begin(path: string, header: ProgressHeader): ProgressFile {
    const file = new ProgressFile(new AppendFile('The progress file', path, 'ax'));
    try {
      file.#file.append(formatHeader(header));
      return file;
    } catch (error) {
      file.remove();
      throw error;
    }
  }

  /**
   * Continues the file of earlier runs.
   *
   * @throws WriteError
   */
  static continue(path: string, { length }: EarlierRuns): ProgressFile {
    const file = new AppendFile('The progress file', path, 'a');
    file.truncate(length);
    return new ProgressFile(file);
  }

  get path(): string {
    return this.#file.path;
  }

  /**
   * Records that a line will be sent. It must not be sent before.
   *
   * @param fingerprint of the file up to the end of the line
   * @throws WriteError
   */
  start(line: number, fingerprint: string): void {
    try {
      this.#file.append(formatRecord({ line, event: 'started', fingerprint }));
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  /**
   * Records the result of a line.
   *
   * @returns Why it can't be recorded, the first time.
   */
  end(line: number, event: Exclude<ProgressRecord['event'], 'started'>): Error | undefined {
    // A record after one that was not written whole would damage the file.
    if (this.#isBroken) {
      this.notRecorded.push(line);
      return undefined;
    }
    try {
      this.#file.append(formatRecord({ line, event }));
      return undefined;
    } catch (error) {
      this.#isBroken = true;
      this.notRecorded.push(line);
      return error as Error;
    }
  }

  /** @throws WriteError */
  close(): void {
    this.#file.close();
  }

  /** Removes the file. */
  remove(): void {
    this.#file.close();
    rmSync(this.path, { force: true });
  }
}
