import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The folders of the packages that are published, each after those that it depends on. */
export const libraries = ['libs/contract', 'libs/sdk', 'libs/cli'];

/**
 * @typedef {object} Entry An entry point of a package.
 * @property {string} library the folder of the package
 * @property {string} path as in `exports`, such as `.` or `./outbox`
 * @property {string} name what its report is called: `index`, `outbox`
 * @property {string} types its declarations, below the folder of the package
 */

/**
 * The entry points of the packages that are published, from their `exports`. `./internal` promises nothing, so it isn't
 * one, and the command has none.
 *
 * @returns {Entry[]}
 */
export function readEntries() {
  return libraries.flatMap((library) => {
    /** @type {{ exports?: Record<string, string | Record<string, string>> }} */
    const { exports = {} } = JSON.parse(readFileSync(join(root, library, 'package.json'), 'utf8'));
    return Object.entries(exports).flatMap(([path, target]) => {
      if (typeof target === 'string' || path === './internal') return [];
      const { types = '' } = target;
      return [{ library, path, name: path === '.' ? 'index' : path.slice(2), types }];
    });
  });
}

/**
 * The file of the API report of an entry point.
 *
 * @param {Entry} entry
 */
export function reportOf({ library, name }) {
  return `${library}/api/${name}.api.md`;
}
