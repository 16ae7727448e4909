/**
 * `npm run check`: runs every gate, or those that are named as in `npm run check lint format`, even after one has
 * failed. Each is printed as it ends, with its time, and those that failed once more in the end. `--summary FILE`
 * appends the gates that failed to a Markdown page, with what fixes them.
 */
import { exec } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gates } from './gates.mjs';
import { environment, root } from './nx.mjs';

const { values, positionals: names } = readArguments();
const known = gates.flat().map(({ name }) => name);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) fail(`No gate is named ${unknown.join(', ')}. The gates: ${known.join(', ')}.`);

const lists = gates.map((list) => list.filter(({ name }) => names.length === 0 || names.includes(name)));
const width = Math.max(...lists.flat().map(({ name }) => name.length));
const results = (await Promise.all(lists.map(runInTurn))).flat();

const failed = results.filter(({ isFailed }) => isFailed);
if (failed.length > 0) {
  process.exitCode = 1;
  console.log(['', ...failed.map(({ name, text }) => `${name.padEnd(width)}  ${text}`)].join('\n'));
  if (values.summary) {
    const lines = failed.map(({ name, text }) => `- **${name}** ${text.replace(/: (.*)/, ': `$1`')}`);
    appendFileSync(values.summary, `## Gates that failed\n\n${lines.join('\n')}\n\n`);
  }
}

/** @param {import('./gates.mjs').Gate[]} list */
async function runInTurn(list) {
  const results = [];
  for (const { name, command, findings, fix } of list) {
    const start = performance.now();
    const output = command ? await outputOfFailure(command) : findings?.(root).join('\n');
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    console.log(`${name.padEnd(width)}  ${output ? 'failed' : 'ok'}  ${seconds} s`);
    if (output) console.log(`${command ?? ''}\n${output}\n`);
    const advice = fix ? `fix with: ${fix}` : `run again with: npm run check ${name}`;
    results.push({ name, isFailed: Boolean(output), text: `failed; ${advice}` });
  }
  return results;
}

/**
 * @param {string} command
 * @returns {Promise<string | undefined>} undefined if it succeeds
 */
function outputOfFailure(command) {
  return new Promise((resolve) => {
    exec(command, { cwd: root, env: environment, maxBuffer: 2 ** 28 }, (error, stdout, stderr) =>
      resolve(error ? stdout + stderr || error.message : undefined),
    );
  });
}

function readArguments() {
  try {
    return parseArgs({ options: { summary: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    return fail(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(2);
}
