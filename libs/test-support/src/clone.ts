import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Copies a repository as it is in the working tree into an empty folder, under version control, with links to what is
 * installed.
 */
export function cloneWorkingTree(root: string, folder: string): void {
  for (const file of git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')) {
    if (file === '') continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    try {
      cpSync(join(root, file), join(folder, file));
    } catch (error) {
      // It was removed: from version control, or by another program that made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  for (const project of ['.', ...projectsOf(root)]) {
    const installed = join(root, project, 'node_modules');
    if (existsSync(installed)) linkInstalled(installed, join(folder, project, 'node_modules'));
  }
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  git(folder, 'config', 'user.name', 'A');
  git(folder, 'config', 'user.email', 'a@example.test');
  commitAll(folder);
}

/** Commits everything in a clone. */
export function commitAll(folder: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'All');
}

/** The folders of the projects, relative to the repository. */
export function projectsOf(root: string): string[] {
  return ['apps', 'libs', 'tools'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
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

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
}
