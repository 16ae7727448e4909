/** `npm run answered [-- --all | SET...]`: builds what enters sets of answers into clones, then runs it. */
import { spawnSync } from 'node:child_process';
import { environment, root, runNx } from './nx.mjs';

process.exitCode = runNx('build', 'answers');
if (!process.exitCode) {
  const program = ['tools/answers/dist/answered/main.js', ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, program, { cwd: root, env: environment, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
