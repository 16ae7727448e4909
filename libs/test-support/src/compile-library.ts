import { spawnSync } from 'node:child_process';
import { platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles a library of the folder `preload`, which `LD_PRELOAD` loads into a process.
 *
 * @param folder where it is put
 * @returns undefined where that isn't possible: it needs Linux and a C compiler
 */
export function compileLibrary(name: 'flush' | 'clock', folder: string): string | undefined {
  if (platform() !== 'linux') return undefined;
  const source = fileURLToPath(new URL(`../preload/${name}.c`, import.meta.url));
  const library = join(folder, `${name}.so`);
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  return status === 0 ? library : undefined;
}
