import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { countBytes } from './limits.js';
import { realPathInside } from './reference-fence.js';
import { ToolError } from './tool-error.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'this user may not read it',
  ELOOP: 'it is a symbolic link that leads to itself',
  ENXIO: 'it is not a regular file',
};

/**
 * The text of a regular UTF-8 file.
 *
 * @param document for a file that a `$ref` leads to: the document in whose folder or repository it must be
 * @throws ToolError `unreadable`, `not-text` or `too-large`; `outside`, without a look at what is there
 */
export function readTextFile(path: string, document?: string): string {
  const bytes = readBytes(path, document);
  try {
    // A byte order mark is a difference of two files. What parses a text leaves it out.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ToolError('not-text', `${path}: not UTF-8 text`, { cause: error });
  }
}

function readBytes(path: string, document: string | undefined): Buffer {
  try {
    const found = document === undefined ? path : realPathInside(path, document);
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    const file = openSync(found, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readOpen(file, path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ToolError('unreadable', `${path}: cannot be read: ${REASONS[code] ?? code}`, { cause: error });
  }
}

function readOpen(file: number, path: string): Buffer {
  const status = fstatSync(file);
  if (!status.isFile()) {
    const reason = status.isDirectory() ? 'it is a directory' : 'it is not a regular file';
    throw new ToolError('unreadable', `${path}: cannot be read: ${reason}`);
  }
  countBytes(path, status.size);
  const bytes = Buffer.alloc(status.size);
  let length = 0;
  for (let more = -1; more !== 0 && length < bytes.length; length += more) {
    more = readSync(file, bytes, length, bytes.length - length, null);
  }
  return bytes.subarray(0, length);
}
