import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'dist-dev', 'out-tsc', 'test-output', 'data']);

/**
 * The source files in a folder and below, as relative paths.
 *
 * @param {string} folder
 * @param {(path: string) => boolean} wanted
 * @returns {string[]}
 */
export function findFiles(folder, wanted) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) {
      if (skipped.has(entry.name) || entry.name.startsWith('.')) return [];
      return findFiles(join(folder, entry.name), wanted).map((path) => `${entry.name}/${path}`);
    }
    return wanted(entry.name) ? [entry.name] : [];
  });
}
