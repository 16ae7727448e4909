import { spawnSync } from 'node:child_process';
import { systemReason, ToolError } from '../tool-error.js';

/** What the working tree is compared with. */
export interface Base {
  /** A commit; undefined if there is none: then everything is new. */
  readonly revision: string | undefined;
  /** What the reader knows it by: `main`. */
  readonly label: string;
  /** What else the reader has to know about it. */
  readonly note?: string;
}

/** What GitHub names as the revision before the first push. */
const NO_REVISION = /^0{40,64}$/;

/** The whole name of a commit. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Finds what to compare with: the last commit that the working tree has in common with a revision, as GitHub compares
 * pull requests. There is none before the first push, after a force-push that took the revision away, and between
 * histories without a common commit.
 *
 * @throws ToolError `git` with what git says, if it can't be asked or doesn't know the revision
 */
export function findBase(reference: string): Base {
  // A folder without a repository, or one of another owner, is refused here.
  ask('rev-parse', '--git-dir');
  const label = COMMIT.test(reference) ? short(reference) : reference;
  const nothing = (why: string): Base => ({
    revision: undefined,
    label: 'nothing',
    note: `${why} Everything is compared with nothing.`,
  });
  if (NO_REVISION.test(reference)) return nothing('This is the first push.');
  const isShallow = ask('rev-parse', '--is-shallow-repository') === 'true';
  // A clone of one branch has the others only at its remote.
  const asked = commitOf(reference) ?? commitOf(`origin/${reference}`);
  if (asked === undefined && COMMIT.test(reference) && !isShallow)
    return nothing(`The commit ${label} is gone, as after a force-push.`);
  if (asked === undefined)
    throw new ToolError('git', `git knows no revision "${reference}". Fetch it, or name another with --base`);
  const { status, stdout, stderr } = git('merge-base', asked, 'HEAD');
  if (status === 0) return { revision: stdout, label, ...(stdout !== asked && noteOn(stdout, label)) };
  if (stderr !== '') throw new ToolError('git', `git merge-base: ${stderr}`);
  if (isShallow)
    throw new ToolError(
      'git',
      `this clone is shallow, and has no commit in common with ${label}. Run: git fetch --unshallow`,
    );
  return nothing(`The working tree has no commit in common with ${label}.`);
}

function noteOn(revision: string, label: string): { readonly note: string } {
  return {
    note: `The working tree isn't based on ${label}. It is compared with ${short(revision)}, the last commit that both have.`,
  };
}

function commitOf(reference: string): string | undefined {
  const { status, stdout } = git(
    ...['rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`],
  );
  return status === 0 ? stdout : undefined;
}

/** A file of the base; undefined if it has no such file. @throws ToolError `git`, as where a partial clone is offline */
export function fileAt({ revision }: Base, file: string): string | undefined {
  if (revision === undefined || ask('ls-tree', '--name-only', revision, '--', file) === '') return undefined;
  return ask('cat-file', 'blob', `${revision}:${file}`);
}

/** The lines of a file that differ from the base, as `git diff` shows them. Empty if there are none. */
export function diffSince({ revision }: Base, file: string): string {
  if (revision === undefined) return '';
  const diff = ask('diff', '--no-color', '--no-ext-diff', '--unified=1', revision, '--', file);
  const hunks = diff.indexOf('\n@@');
  return hunks === -1 ? '' : diff.slice(hunks + 1);
}

/** What git prints. @throws ToolError `git` with what it says if it refuses */
function ask(...args: readonly string[]): string {
  const { status, stdout, stderr } = git(...args);
  if (status === 0) return stdout;
  throw new ToolError('git', `git ${args[0]!}: ${stderr || `it exited with ${status}`}`);
}

/** @throws ToolError `git` if git can't be run */
function git(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { error, status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (error) throw new ToolError('git', `git can't be run: ${systemReason(error)}`, { cause: error });
  return { status, stdout: stdout.replace(/\n$/, ''), stderr: stderr.trim() };
}

function short(commit: string): string {
  return commit.slice(0, 7);
}
