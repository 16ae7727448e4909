/**
 * `npm run check`: runs every gate, or those that are named as in `npm run check lint format`. A gate that
 * fails doesn't keep the others from running. `--summary FILE` appends to a Markdown page which gates failed and
 * what mends them, if any did.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gates } from './gates.mjs';
import { root } from './nx.mjs';

const { values, positionals: names } = argumentsGiven();
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
const failed = [];

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
    const advice = mend ? `mend with: ${mend}` : `again with: npm run check ${name}`;
    summary.push(`${name.padEnd(width)}  failed; ${advice}`);
    failed.push(`- **${name}** failed; ${advice.replace(/: (.*)/, ': `$1`')}`);
  }
}

console.log(['', ...summary].join('\n'));
if (values.summary && failed.length > 0) {
  appendFileSync(values.summary, `## Gates that failed\n\n${failed.join('\n')}\n\n`);
}

function argumentsGiven() {
  try {
    return parseArgs({ options: { summary: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    process.exit(2);
  }
}
