import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFiles } from './files.mjs';

const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * The folders that declare each dependency, by its name. Packages of the workspace don't count.
 *
 * @param {Record<string, any>} packages by folder
 * @returns {Map<string, Set<string>>}
 */
export function declared(packages) {
  const own = new Set(Object.values(packages).map(({ name }) => name));
  const users = new Map();
  for (const [folder, content] of Object.entries(packages)) {
    for (const name of kinds.flatMap((kind) => Object.keys(content[kind] ?? {}))) {
      if (!own.has(name)) users.set(name, (users.get(name) ?? new Set()).add(folder));
    }
  }
  return users;
}

/**
 * The rows of the document: "`name` | folders | what for".
 *
 * @param {string} markdown
 * @returns {Map<string, { folders: Set<string>, purpose: string }>}
 */
export function documented(markdown) {
  const rows = markdown.matchAll(/^\|\s*`([^`]+)`\s*\|([^|]*)\|([^|]*)\|/gm);
  return new Map(
    Array.from(rows, ([, name = '', folders = '', purpose = '']) => [
      name,
      { folders: new Set(folders.split(',').map((folder) => folder.trim())), purpose: purpose.trim() },
    ]),
  );
}

/**
 * A line for each difference between the two.
 *
 * @param {ReturnType<typeof declared>} users
 * @param {ReturnType<typeof documented>} rows
 * @returns {string[]}
 */
export function differences(users, rows) {
  const names = [...new Set([...users.keys(), ...rows.keys()])].sort();
  return names.flatMap((name) => {
    const row = rows.get(name);
    const folders = [...(users.get(name) ?? [])].sort();
    if (!row) return [`${name}: declared in ${folders.join(', ')}, without a row`];
    if (folders.length === 0) return [`${name}: has a row, but nothing declares it`];
    const listed = [...row.folders].sort();
    if (listed.join() !== folders.join()) {
      return [`${name}: declared in ${folders.join(', ')}, but its row says ${listed.join(', ')}`];
    }
    return row.purpose === '' ? [`${name}: its row doesn't say what it is for`] : [];
  });
}

/**
 * Gate: docs/dependencies.md has a row for each dependency of each package.json, and no other row.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function undocumented(folder) {
  const packages = Object.fromEntries(
    findFiles(folder, (name) => name === 'package.json').map((file) => [
      file === 'package.json' ? 'root' : dirname(file),
      JSON.parse(readFileSync(join(folder, file), 'utf8')),
    ]),
  );
  const document = readFileSync(join(folder, 'docs/dependencies.md'), 'utf8');
  return differences(declared(packages), documented(document));
}

/**
 * The packages of a lock file that name an address to download from.
 *
 * @param {{ packages: Record<string, { resolved?: string }> }} lockFile
 * @returns {string[]}
 */
export function tiedToAddress({ packages }) {
  return Object.keys(packages).filter((path) => /^(https?|git)/.test(packages[path]?.resolved ?? ''));
}

/**
 * Gate: no package-lock.json names an address, so that each installs from any registry.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function tiedPackages(folder) {
  return findFiles(folder, (name) => name === 'package-lock.json').flatMap((file) => {
    const lockFile = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    return tiedToAddress(lockFile).map((path) => `${file}: ${path} has a "resolved" address`);
  });
}
