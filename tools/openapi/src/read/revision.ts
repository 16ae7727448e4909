import { spawnSync } from 'node:child_process';
import type { ReadText } from './source-files.js';
import { ToolError } from './tool-error.js';

/** An earlier revision of the files below the current folder. */
export interface Revision {
  /** How a file of it is called: `main:openapi.json`. */
  readonly pathOf: (file: string) => string;
  /** Takes such paths, and those that references in such files lead to. */
  readonly readText: ReadText;
}

/**
 * A revision of the repository that the current folder is in.
 *
 * @throws ToolError `unreadable` if git does not know the revision
 */
export function revisionOf(reference: string): Revision {
  const found = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`);
  if (found === undefined) {
    throw new ToolError('unreadable', `git knows no revision "${reference}"; fetch it, or name another`);
  }
  const prefix = `${reference}:`;
  return {
    pathOf: (file) => prefix + file,
    readText: (path) => {
      const file = path.startsWith(prefix) ? path.slice(prefix.length) : path;
      const text = git('show', `${found.trim()}:./${file}`);
      if (text !== undefined) return text;
      throw new ToolError('unreadable', `${file}: cannot be read: it is not in revision ${reference}`);
    },
  };
}

/** What git prints; undefined if it fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout, error } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (error !== undefined)
    throw new ToolError('unreadable', `git cannot be run: ${error.message}`, { cause: error });
  return status === 0 ? stdout : undefined;
}
