/**
 * `npm test`: runs the tests of every project through Nx, or of those that the arguments select as in
 * `npm test -- -p sdk`, and adds up what the runner reported, whether it ran or came from the cache.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askNx, root, runNx } from './nx.mjs';
import { summarise } from './report.mjs';

const command = ['run-many', '-t', 'test', ...process.argv.slice(2)];
/** @type {Array<{ target: { project: string, target: string }, projectRoot: string }>} */
const tasks = Object.values(askNx(...command, '--graph=stdout').tasks.tasks);
const projects = tasks
  .filter(({ target }) => target.target === 'test')
  .map(({ target, projectRoot }) => ({
    project: target.project,
    path: join(root, projectRoot, 'test-output/results.json'),
  }));

// A report of an earlier run must not stand in for one that this run didn't make.
for (const { path } of projects) rmSync(path, { force: true });

const exitCode = runNx(...command);

const reports = projects.map(({ project, path }) => ({
  project,
  report: existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined,
}));
const { lines, total } = summarise(reports);
const totalLine = `${total.passed} passed, ${total.failed} failed`;
console.log([...lines, totalLine].join('\n'));

mkdirSync(join(root, 'test-output'), { recursive: true });
writeFileSync(join(root, 'test-output/total.txt'), `${totalLine}\n`);

process.exitCode = exitCode || (total.failed > 0 ? 1 : 0);
