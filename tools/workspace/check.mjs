/**
 * `npm run check`: runs every gate, or those that are named as in `npm run check lint format`. A gate that
 * fails doesn't keep the others from running.
 */
import { spawnSync } from 'node:child_process';
import { gates } from './gates.mjs';
import { root } from './nx.mjs';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !gates.some((gate) => gate.name === name));
if (unknown.length > 0) {
  console.error(
    `No gate is named ${unknown.join(', ')}. There are ${gates.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}

const chosen = names.length > 0 ? gates.filter(({ name }) => names.includes(name)) : gates;
const width = Math.max(...chosen.map(({ name }) => name.length));
const summary = [];

for (const { name, command, mend } of chosen) {
  console.log(`${name}: ${command}`);
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: root,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 0) {
    summary.push(`${name.padEnd(width)}  ok`);
  } else {
    console.log(`${stdout}${stderr}`);
    process.exitCode = 1;
    summary.push(
      `${name.padEnd(width)}  failed; ${mend ? `mend with: ${mend}` : `again with: npm run check ${name}`}`,
    );
  }
}

console.log(['', ...summary].join('\n'));
