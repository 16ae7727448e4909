import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFiles } from './files.mjs';

const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * What the document should have: each dependency with the folders that declare it. Packages of the workspace
 * don't count.
 *
 * @param {Record<string, any>} packages by folder
 * @returns {Map<string, string>} the folders by dependency
 */
export function declared(packages) {
  const own = Object.values(packages).map(({ name }) => name);
  /** @type {Map<string, string>} */
  const users = new Map();
  for (const folder of Object.keys(packages).sort()) {
    const names = new Set(kinds.flatMap((kind) => Object.keys(packages[folder][kind] ?? {})));
    for (const name of names) {
      if (!own.includes(name)) users.set(name, [users.get(name), folder].filter(Boolean).join(', '));
    }
  }
  return users;
}

/**
 * A line for each difference from the document, whose items are "- `name`, `name`: what for".
 *
 * @param {ReturnType<typeof declared>} users
 * @param {string} markdown
 * @returns {string[]}
 */
export function differences(users, markdown) {
  const items = markdown.matchAll(/^- (`[^`]+`(?:, `[^`]+`)*): +\S/gm);
  const named = Array.from(items, ([, names = '']) => names.slice(1, -1).split('`, `')).flat();
  return [
    ...named.filter((name) => !users.has(name)).map((name) => `${name}: is listed, but nothing declares it`),
    ...Array.from(users.keys())
      .filter((name) => !named.includes(name))
      .map((name) => `${name}: declared in ${users.get(name)}, but not listed with what it is for`),
  ];
}

/**
 * Gate: docs/reference/dependencies.md lists each dependency of each package.json, and no other.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function undocumented(root) {
  const packages = listFiles(root, 'package.json').map((file) => [
    file === 'package.json' ? 'root' : dirname(file),
    JSON.parse(readFileSync(join(root, file), 'utf8')),
  ]);
  return differences(
    declared(Object.fromEntries(packages)),
    readFileSync(join(root, 'docs/reference/dependencies.md'), 'utf8'),
  );
}

/**
 * Gate: no package-lock.json names an address to download from, so that each installs from any registry. The root's
 * package.json denies each install script of the root's lock file.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function lockFileFaults(root) {
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const tied = listFiles(root, 'package-lock.json').flatMap((file) =>
    tiedToAddress(read(file)).map((path) => `${file}: ${path} has a "resolved" address`),
  );
  return [...tied, ...notDenied(read('package-lock.json'), read('package.json'))];
}

/**
 * The packages of a lock file that name an address.
 *
 * @param {{ packages: Record<string, { resolved?: string }> }} lockFile
 * @returns {string[]}
 */
export function tiedToAddress({ packages }) {
  return Object.keys(packages).filter((path) => /^(https?|git)/.test(packages[path]?.resolved ?? ''));
}

/**
 * A line for each package of a lock file that has an install script, unless a manifest's `allowScripts` denies it.
 *
 * @param {{ packages: Record<string, { hasInstallScript?: boolean }> }} lockFile
 * @param {{ allowScripts?: Record<string, boolean> }} manifest
 * @returns {string[]}
 */
export function notDenied({ packages }, { allowScripts = {} }) {
  const names = Object.keys(packages)
    .filter((path) => packages[path]?.hasInstallScript)
    .map((path) => path.replace(/^.*node_modules\//, ''));
  return names
    .filter((name) => allowScripts[name] !== false)
    .map((name) => `package.json: allowScripts doesn't deny the install script of ${name}`);
}
