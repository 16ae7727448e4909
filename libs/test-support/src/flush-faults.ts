import { compileLibrary } from './compile-library.js';

/** How the disk of a process flushes, as environment variables of the process. */
export interface FlushFaults {
  /** How much longer each flush takes, in milliseconds. */
  readonly FLUSH_DELAY_MS?: string;
  /** A file: while it exists, flushes fail. */
  readonly FLUSH_FAILS_IF?: string;
}

/**
 * Compiles a library that gives a process {@link FlushFaults}, if `LD_PRELOAD` names it.
 *
 * @param folder where it is put
 * @returns undefined where that isn't possible: it needs Linux and a C compiler
 */
export const compileFlushFaults = (folder: string): string | undefined => compileLibrary('flush', folder);
