/**
 * `npm run enter-examples [-- SET]`: enters a set of example answers into the working tree, on both sides, and writes
 * every generated file. Tests, gates and guides must pass then, too. `git checkout .` takes the answers out again.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from '../clone.js';
import { answerSets, enterAnswers } from './answer-sets.js';

const sets = answerSets();
const [name = 'all-together'] = process.argv.slice(2);
const set = sets.find((one) => one.name === name);
if (set === undefined) {
  console.error(`There is no set ${name}. The sets: ${sets.map((one) => one.name).join(', ')}`);
  process.exit(2);
}

const written = enterAnswers(ROOT, set);
const commands = `npx prettier --write ${written.join(' ')} && npm run generate`;
process.exitCode = spawnSync(commands, { cwd: ROOT, shell: true, stdio: 'inherit' }).status ?? 1;
