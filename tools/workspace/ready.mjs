// Runs first in each command of package.json: says in one line what is missing before the command can run. It imports
// no package, and also runs on versions of Node.js that are too old for everything else.
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const needed = engines.node.replace('>=', '');
const { node } = process.versions;

if (node.localeCompare(needed, 'en', { numeric: true }) < 0) {
  stop(
    `This workspace needs Node.js ${needed} or newer (this is ${node}). Install it, for example with "nvm install".`,
  );
}
// npm writes this file last. It isn't there after an installation that was interrupted.
if (!existsSync(new URL('node_modules/.package-lock.json', root))) {
  stop('The packages of this workspace are not installed. Run npm ci first.');
}

/** @param {string} fault */
function stop(fault) {
  console.error(fault);
  process.exit(1);
}
