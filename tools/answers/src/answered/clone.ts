import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * A copy of the repository as it is in the working tree, under version control, with what is installed and built here.
 */
export function cloneRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-clone-'));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...args], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  for (const file of git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')) {
    if (file === '') continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { errorOnExist: false });
  }
  for (const project of ['.', ...projects()]) {
    const installed = join(ROOT, project, 'node_modules');
    if (existsSync(installed)) linkInstalled(installed, join(folder, project, 'node_modules'));
    // The compiler then builds only what an answer changes.
    const built = join(ROOT, project, 'dist');
    if (existsSync(built)) cpSync(built, join(folder, project, 'dist'), { recursive: true });
  }
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: folder });
  commitAll(folder);
  return folder;
}

/** Commits everything in a clone. */
export function commitAll(folder: string): void {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  execFileSync('git', ['add', '--all'], { cwd: folder });
  execFileSync('git', [...author, 'commit', '--quiet', '--message', 'All'], { cwd: folder });
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

function projects(): string[] {
  return ['apps', 'libs', 'tools'].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => join(group, name)),
  );
}
