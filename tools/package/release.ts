import { cpSync, existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterThisFile, makeFolder } from '@plant-store/test-support';
import type { Registry } from './registry.js';
import { ROOT, succeed } from './run.js';

/** The address of a repository, as the workflow takes it from GitHub. */
export const ADDRESS = 'https://git.example.test/plants/store';

/** Commits have an author, and Nx runs without a daemon that would outlive the test. */
const ENVIRONMENT = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.test',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.test',
  NX_DAEMON: 'false',
};

/**
 * Releases the packages in a clone of the working tree, as docs/releasing.md says: a version plan, a version, the
 * address of the repository, and publishing.
 *
 * @returns the folder of the clone
 */
export async function release({ env }: Registry, step: string, message: string): Promise<string> {
  const clone = await cloneWorkingTree();
  const options = { cwd: clone, env: { ...env, ...ENVIRONMENT } };
  const nx = (...args: string[]): Promise<string> => succeed('node_modules/.bin/nx', args, options);
  await nx('release', 'plan', step, '--only-touched=false', '--message', message);
  await commit(clone);
  await nx('release', '--skip-publish');
  await succeed('node', ['tools/workspace/package/set-address.mjs', ADDRESS], options);
  await nx('release', 'publish');
  return clone;
}

/** A copy of the working tree under version control, with links to what is installed here. */
async function cloneWorkingTree(): Promise<string> {
  const folder = makeFolder(afterThisFile);
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  for (const file of (await succeed('git', listed, { cwd: ROOT })).split('\0')) {
    if (file === '' || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  const projects = ['apps', 'libs', 'tools'].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => join(group, name)),
  );
  for (const project of ['.', ...projects]) {
    const installed = join(ROOT, project, 'node_modules');
    if (existsSync(installed)) linkInstalled(installed, join(folder, project, 'node_modules'));
  }
  await succeed('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: folder });
  await commit(folder);
  return folder;
}

/** Links every installed package. Links to packages of the workspace, and to commands, lead into the clone. */
function linkInstalled(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (/^@|^\.bin$/.test(entry.name)) linkInstalled(source, target);
    else if (entry.name !== '.cache') symlinkSync(source, target);
  }
}

async function commit(folder: string): Promise<void> {
  const options = { cwd: folder, env: ENVIRONMENT };
  await succeed('git', ['add', '--all'], options);
  await succeed('git', ['commit', '--quiet', '--message', 'All'], options);
}
