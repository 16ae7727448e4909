import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A repository of git that a test made. */
export interface Repository {
  readonly folder: string;
  /** Runs git and returns what it printed. */
  readonly git: (...args: readonly string[]) => string;
  /** Writes files, by path. */
  readonly write: (files: Readonly<Record<string, string>>) => void;
  /** Writes files and commits everything. Returns the name of the commit. */
  readonly commit: (files: Readonly<Record<string, string>>) => string;
}

const made: string[] = [];

afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** An empty repository on the branch `main`, for one test. */
export function makeRepository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-review-'));
  made.push(folder);
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' }).trim();
  const write: Repository['write'] = (files) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
  };
  git('init', '--quiet', '--initial-branch', 'main');
  const commit: Repository['commit'] = (files) => {
    write(files);
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'A commit');
    return git('rev-parse', 'HEAD');
  };
  return { folder, git, write, commit };
}
