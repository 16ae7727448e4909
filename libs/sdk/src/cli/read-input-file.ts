import { readFile } from 'node:fs/promises';
import { BadInput } from './bad-input.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read by this user',
  EISDIR: 'it is a directory; name a file in it',
  ENOTDIR: 'a part of its path is not a directory',
};

/**
 * Reads a file whole.
 *
 * @throws BadInput saying why it can't be read.
 */
export async function readInputFile(what: string, path: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await readFile(path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BadInput(`${what} ${path} can't be read: ${reasons[code ?? ''] ?? message}.`);
  }
}
