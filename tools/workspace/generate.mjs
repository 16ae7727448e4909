/** `npm run generate`: writes every generated file, in the order of the gates that check them, and says which changed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gates } from './gates.mjs';
import { environment, root } from './nx.mjs';

const generated = gates.flat().filter(({ generates }) => generates);
const width = Math.max(...generated.flatMap(({ generates = [] }) => generates.map(({ length }) => length)));

for (const { fix = '', generates = [] } of generated) {
  const before = generates.map(contentOf);
  const { status, stdout, stderr } = spawnSync(fix, {
    cwd: root,
    env: environment,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) {
    console.error(`${stdout}${stderr}\nFailed: ${fix}`);
    process.exit(1);
  }
  generates.forEach((file, index) => {
    console.log(`${file.padEnd(width)}  ${contentOf(file) === before[index] ? 'unchanged' : 'changed'}`);
  });
}

/** @param {string} file */
function contentOf(file) {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
