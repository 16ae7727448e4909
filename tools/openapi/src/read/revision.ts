import { spawnSync } from 'node:child_process';
import { bytesLeft, countBytes } from './limits.js';
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
      const text = git('cat-file', 'blob', `${found.trim()}:./${file}`);
      if (text === undefined)
        throw new ToolError('unreadable', `${file}: cannot be read: it is not in revision ${reference}`);
      countBytes(file, Buffer.byteLength(text));
      return text;
    },
  };
}

/** What git prints, cut off after what this run may read; undefined if git fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout, error } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: bytesLeft() + 1 });
  if (error !== undefined && 'code' in error && error.code === 'ENOBUFS') return stdout;
  if (error !== undefined)
    throw new ToolError('unreadable', `git cannot be run: ${error.message}`, { cause: error });
  return status === 0 ? stdout : undefined;
}
