import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cloneWorkingTree, projectsOf } from '@plant-store/test-support/clone';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A clone of the repository as it is in the working tree, with what is installed and built here. */
export function cloneRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-clone-'));
  cloneWorkingTree(ROOT, folder);
  for (const project of projectsOf(ROOT)) {
    // The compiler then builds only what an answer changes.
    const built = join(project, 'dist');
    if (existsSync(join(ROOT, built))) cpSync(join(ROOT, built), join(folder, built), { recursive: true });
  }
  return folder;
}

/**
 * Runs commands in a clone, as in a terminal: without the variables of this test run. Nx starts no daemon.
 *
 * @param more variables
 */
export function runInClone(
  clone: string,
  commands: string,
  more: NodeJS.ProcessEnv = {},
): { readonly failed: boolean; readonly output: string } {
  const { PATH, HOME } = process.env;
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: clone,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { PATH, HOME, NX_DAEMON: 'false', ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { failed: status !== 0, output: stdout + stderr };
}
