/** Gate: docs/dependencies.md has a row for each dependency of each package.json, and no other row. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../nx.mjs';
import { findFiles } from './files.mjs';

const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * What the packages of a workspace depend on beside each other: for each name, the folders that declare it.
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
 * What the document says: rows of "`name` | folders | what for".
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
    const said = [...row.folders].sort();
    if (said.join() !== folders.join()) {
      return [`${name}: declared in ${folders.join(', ')}, but its row says ${said.join(', ')}`];
    }
    return row.purpose === '' ? [`${name}: its row doesn't say what it is for`] : [];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const packages = Object.fromEntries(
    findFiles(root, (name) => name === 'package.json').map((file) => [
      file === 'package.json' ? 'root' : dirname(file),
      JSON.parse(readFileSync(join(root, file), 'utf8')),
    ]),
  );
  const document = 'docs/dependencies.md';
  const found = differences(declared(packages), documented(readFileSync(join(root, document), 'utf8')));
  if (found.length > 0) {
    console.error([`${document} differs from what the packages declare:`, ...found].join('\n'));
    process.exitCode = 1;
  }
}
