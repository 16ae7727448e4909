import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { compileLibrary } from './compile-library.js';

/** A wall clock that can be wrong, and be set while the processes run that have it. Their durations stay right. */
export class WallClock {
  /** Environment variables of a process that has this clock. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;

  private constructor(library: string, folder: string) {
    this.#file = join(folder, 'clock');
    this.environment = { LD_PRELOAD: library, CLOCK_AHEAD_FILE: this.#file };
    writeFileSync(this.#file, Buffer.alloc(8));
  }

  /**
   * Makes a clock that is right.
   *
   * @param folder for its files
   * @returns undefined where that isn't possible: it needs Linux and a C compiler
   */
  static make(folder: string): WallClock | undefined {
    const library = compileLibrary('clock', folder);
    return library === undefined ? undefined : new WallClock(library, folder);
  }

  /** Sets it so many seconds ahead. */
  setAhead(seconds: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    // Processes have the file mapped, so it must never be shorter.
    writeFileSync(this.#file, bytes, { flag: 'r+' });
  }
}
