import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { cloneWorkingTree, commitAll } from '@plant-store/test-support/clone';
import type { Registry } from './registry.js';
import { ROOT, succeed } from './run.js';

/** The address of a repository, as the workflow takes it from GitHub. */
export const ADDRESS = 'https://git.example.test/plants/store';

/**
 * Releases the packages in a clone of the working tree, as docs/how-to/release.md says: a version plan, a version, the
 * address of the repository, and publishing.
 *
 * @returns the folder of the clone
 */
export async function release({ env }: Registry, step: string, message: string): Promise<string> {
  const clone = makeFolder(afterThisFile);
  cloneWorkingTree(ROOT, clone);
  // A daemon would outlive the test.
  const options = { cwd: clone, env: { ...env, NX_DAEMON: 'false' } };
  const nx = (...args: string[]): Promise<string> => succeed('node_modules/.bin/nx', args, options);
  await nx('release', 'plan', step, '--only-touched=false', '--message', message);
  commitAll(clone);
  await nx('release', '--skip-publish');
  for (const library of ['libs/contract', 'libs/sdk', 'libs/cli']) {
    const address = [
      `repository.url=git+${ADDRESS}.git`,
      `bugs.url=${ADDRESS}/issues`,
      `homepage=${ADDRESS}/tree/main/${library}#readme`,
    ];
    await succeed('npm', ['pkg', 'set', '--workspace', library, ...address], options);
  }
  await nx('release', 'publish');
  return clone;
}
