/** `npm run bench [receiver|sender|openapi] [-- options]`: builds what is measured, then measures it. */
import { spawnSync } from 'node:child_process';
import { root, runNx } from './nx.mjs';

const benchmarks = ['receiver', 'sender', 'openapi'];
const args = process.argv.slice(2);
const [named] = args;
const chosen = named === undefined || named.startsWith('-') ? benchmarks : [named];

if (chosen.some((name) => !benchmarks.includes(name))) {
  console.error(`No benchmark is named ${named}. There are ${benchmarks.join(', ')}.`);
  process.exit(2);
}

process.exitCode = runNx('run-many', '-t', 'build', '-p', 'bench', 'webhook', 'openapi');
if (!process.exitCode) {
  const options = args.slice(chosen.length === 1 ? 1 : 0);
  for (const name of chosen) {
    const { status } = spawnSync(process.execPath, [`tools/bench/dist/${name}.js`, ...options], {
      cwd: root,
      stdio: 'inherit',
    });
    process.exitCode ||= status ?? 1;
  }
}
