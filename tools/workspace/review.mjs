/**
 * `node tools/workspace/review.mjs --base REVISION`: builds what makes the reviewer's page, then runs it.
 * tools/answers/src/review/main.ts has the options.
 */
import { spawnSync } from 'node:child_process';
import { environment, root } from './nx.mjs';

// The output of Nx goes to stderr: stdout is the page.
const { status } = spawnSync('nx', ['run-many', '-t', 'build', '-p', 'answers', 'openapi', 'webhook'], {
  cwd: root,
  env: environment,
  stdio: ['ignore', process.stderr, process.stderr],
});
if (status === 0) {
  const program = ['tools/answers/dist/review/main.js', ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 2;
} else {
  console.error('review: tools/answers, tools/openapi and apps/webhook could not be built');
  process.exitCode = 2;
}
