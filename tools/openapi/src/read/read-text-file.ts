import { readFileSync } from 'node:fs';
import { ToolError } from './tool-error.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'this user may not read it',
};

/**
 * The text of a UTF-8 file.
 *
 * @throws ToolError `unreadable` or `not-text`
 */
export function readTextFile(path: string): string {
  const bytes = readBytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ToolError('not-text', `${path}: not UTF-8 text`, { cause: error });
  }
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ToolError('unreadable', `${path}: cannot be read: ${REASONS[code] ?? code}`, { cause: error });
  }
}
