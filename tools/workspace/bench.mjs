/** `npm run bench [NAME…]`: builds what is measured, then runs these benchmarks, or all. */
import { spawnSync } from 'node:child_process';
import { root, runNx } from './nx.mjs';

const benchmarks = [
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
const unknown = named.filter((name) => !benchmarks.includes(name));

if (unknown.length > 0) {
  console.error(`No benchmark is named ${unknown.join(', ')}. The benchmarks: ${benchmarks.join(', ')}.`);
  process.exit(2);
}

process.exitCode = runNx('run-many', '-t', 'build', '-p', 'bench', 'webhook');
if (!process.exitCode) {
  // What is measured has every question open. The programs pass the option on to the receivers that they start.
  const { answers } = await import(new URL('../../libs/contract/dist/answers.js', import.meta.url).href);
  const options =
    Object.keys(answers).length > 0 ? ['--import', './libs/test-support/everything-open.mjs'] : [];
  for (const name of named.length > 0 ? named : benchmarks) {
    const { status } = spawnSync(process.execPath, [...options, 'tools/bench/dist/run.js', name], {
      cwd: root,
      stdio: 'inherit',
    });
    process.exitCode ||= status ?? 1;
  }
}
