import { spawnSync } from 'node:child_process';
import { platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How the disk of a process flushes, as environment variables of the process. */
export interface FlushFaults {
  /** How much longer each flush takes, in milliseconds. */
  readonly FLUSH_DELAY_MS?: string;
  /** A file: while it exists, flushes fail. */
  readonly FLUSH_FAILS_IF?: string;
}

const SOURCE = fileURLToPath(new URL('../preload/flush.c', import.meta.url));

/**
 * Compiles a library that gives a process {@link FlushFaults}, if `LD_PRELOAD` names it.
 *
 * @param folder where it is put
 * @returns undefined where that isn't possible: it needs Linux and a C compiler
 */
export function compileFlushFaults(folder: string): string | undefined {
  if (platform() !== 'linux') return undefined;
  const library = join(folder, 'flush.so');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl']);
  return status === 0 ? library : undefined;
}
