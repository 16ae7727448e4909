import { spawnSync } from 'node:child_process';

/** What the working tree is compared with. */
export interface Base {
  /** A commit. Undefined if there is nothing to compare with: then everything is new. */
  readonly revision: string | undefined;
  /** For the reader: what is compared with, if it isn't the revision that was asked for. */
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
 * @throws Error if `reference` is a name that git doesn't know
 */
export function findBase(reference: string, folder: string): Base {
  if (NO_REVISION.test(reference)) return nothing('This is the first push.');
  const asked = git(folder, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`);
  if (asked === undefined) {
    if (!COMMIT.test(reference))
      throw new Error(`git knows no revision "${reference}". Fetch it, or name another with --base.`);
    return nothing(`The commit ${short(reference)} is gone, as after a force-push.`);
  }
  const revision = git(folder, 'merge-base', asked, 'HEAD');
  if (revision === undefined)
    return nothing(`The working tree has no commit in common with ${label(reference)}.`);
  if (revision === asked) return { revision };
  return {
    revision,
    note: `The working tree isn't based on ${label(reference)}. It is compared with ${short(revision)}, the last commit that both have.`,
  };
}

/** A file of a revision; undefined if it has no such file. */
export function fileAt({ revision }: Base, file: string, folder: string): string | undefined {
  return revision === undefined ? undefined : git(folder, 'cat-file', 'blob', `${revision}:${file}`);
}

/** A revision for a reader: commits in short. */
export function label(reference: string): string {
  return COMMIT.test(reference) ? short(reference) : reference;
}

/** What git prints, without the last line break. Undefined if git refuses. */
export function git(folder: string, ...args: readonly string[]): string | undefined {
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const { error, status, stdout } = spawnSync('git', args, options);
  if (error) throw new Error(`git could not be run: ${error.message}`, { cause: error });
  return status === 0 ? stdout.replace(/\n$/, '') : undefined;
}

function nothing(why: string): Base {
  return { revision: undefined, note: `${why} Everything is compared with an empty document.` };
}

function short(commit: string): string {
  return commit.slice(0, 7);
}
