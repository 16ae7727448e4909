/**
 * `npm run bench [NAME…]`: runs these benchmarks, or all, each in a process of its own. What is measured has every
 * question open: the processes pass the option on to the receivers that they start.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { answers } from '@plant-store/contract';

const BENCHMARKS = [
  'receiver',
  'full-inbox',
  'postgres',
  'slow-disk',
  'connections',
  'strangers',
  'sender',
  'lines',
  'outbox',
];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !BENCHMARKS.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark is named ${unknown.join(', ')}. The benchmarks: ${BENCHMARKS.join(', ')}.`);
  process.exit(2);
}

const isOpen = Object.keys(answers).length === 0;
const options = isOpen ? [] : ['--import', './libs/test-support/everything-open.mjs'];
const program = fileURLToPath(new URL('run.js', import.meta.url));
for (const name of named.length > 0 ? named : BENCHMARKS) {
  const { status } = spawnSync(process.execPath, [...options, program, name], { stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}
