import { spawnSync } from 'node:child_process';
import { systemReason, ToolError } from '../tool-error.js';

/** What the working tree is compared with. */
export interface Base {
  /** A commit, or an empty tree if there is none: then everything is new. */
  readonly revision: string;
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
 * @throws ToolError `usage` if `reference` is a name that git doesn't know
 */
export function findBase(reference: string): Base {
  const label = COMMIT.test(reference) ? short(reference) : reference;
  const nothing = (why: string): Base => ({
    revision: git('hash-object', '-t', 'tree', '/dev/null') ?? '',
    label: 'nothing',
    note: `${why} Everything is compared with an empty document.`,
  });
  if (NO_REVISION.test(reference)) return nothing('This is the first push.');
  // A clone of one branch has the others only at its remote.
  const asked = commitOf(reference) ?? commitOf(`origin/${reference}`);
  if (asked === undefined) {
    if (COMMIT.test(reference)) return nothing(`The commit ${label} is gone, as after a force-push.`);
    throw new ToolError(
      'usage',
      `git knows no revision "${reference}". Fetch it, or name another with --base`,
    );
  }
  const revision = git('merge-base', asked, 'HEAD');
  if (revision === undefined) return nothing(`The working tree has no commit in common with ${label}.`);
  if (revision === asked) return { revision, label };
  const note = `The working tree isn't based on ${label}. It is compared with ${short(revision)}, the last commit that both have.`;
  return { revision, label, note };
}

function commitOf(reference: string): string | undefined {
  return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`);
}

/** A file of the base; undefined if it has no such file. */
export function fileAt({ revision }: Base, file: string): string | undefined {
  return git('cat-file', 'blob', `${revision}:${file}`);
}

/** The lines of a file that differ from the base, as `git diff` shows them. Empty if there are none. */
export function diffSince({ revision }: Base, file: string): string {
  const diff = git('diff', '--no-color', '--no-ext-diff', '--unified=1', revision, '--', file) ?? '';
  const hunks = diff.indexOf('\n@@');
  return hunks === -1 ? '' : diff.slice(hunks + 1);
}

/** What git prints, without the last line break. Undefined if git refuses. */
function git(...args: readonly string[]): string | undefined {
  const { error, status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  if (error)
    throw new ToolError('unreadable', `git could not be run: ${systemReason(error)}`, { cause: error });
  return status === 0 ? stdout.replace(/\n$/, '') : undefined;
}

function short(commit: string): string {
  return commit.slice(0, 7);
}
