/** Gate: the lock file names no address to download from, so that it installs from any registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../nx.mjs';

/**
 * The packages of a lock file that are tied to an address.
 *
 * @param {{ packages: Record<string, { resolved?: string }> }} lockFile
 * @returns {string[]}
 */
export function tiedToAddress({ packages }) {
  return Object.keys(packages).filter((path) => /^(https?|git)/.test(packages[path]?.resolved ?? ''));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const tied = tiedToAddress(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  if (tied.length > 0) {
    console.error(
      `package-lock.json ties ${tied.length} packages to an address, the first is ${tied[0]}. ` +
        'Delete their "resolved" lines; .npmrc keeps npm from writing new ones.',
    );
    process.exitCode = 1;
  }
}
