import { renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a file whole. A command that starts meanwhile in another terminal, or a receiver that starts again, reads the
 * old text or the new one, and not half of it.
 *
 * @param {string} path
 * @param {string} text
 */
export function replaceFile(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
