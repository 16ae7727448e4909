/**
 * `npm run enter-examples [-- SET]`: enters a set of example answers into the working tree, and writes every generated
 * file. Tests, gates and guides must pass then, too. `git checkout .` takes the answers out again.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from '../clone.js';
import { enterAnswers, setNames } from './answer-sets.js';

const [asked = 'all-together'] = process.argv.slice(2);
const name = setNames.find((one) => one === asked);
if (name === undefined) {
  console.error(`There is no set ${asked}. The sets: ${setNames.join(', ')}`);
  process.exit(2);
}

const written = enterAnswers(ROOT, name);
const commands = `npx prettier --write ${written.join(' ')} && npm run generate`;
process.exitCode = spawnSync(commands, { cwd: ROOT, shell: true, stdio: 'inherit' }).status ?? 1;
