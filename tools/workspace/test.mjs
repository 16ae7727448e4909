/**
 * `npm test`, `npm run browser`, `npm run proxy`, `npm run postgres` and `npm run package`: runs a target that tests, in every project that
 * has it or in those that the arguments select (`npm test -- -p sdk`). Adds up the reports of the runners, of this run or
 * from the cache, and writes the total to a file in `test-output`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { summarise, totalLine } from './report.mjs';
import { askNx, root, runNx } from './nx.mjs';

const [target = 'test', ...args] = process.argv.slice(2);
const [reportFile, totalFile] =
  target === 'test' ? ['results.json', 'total.txt'] : [`${target}.json`, `${target}.txt`];

const command = ['run-many', '-t', target, ...args];
/** @type {Array<{ target: { project: string, target: string }, projectRoot: string }>} */
const tasks = Object.values(askNx(...command, '--graph=stdout').tasks.tasks);
const projects = tasks
  .filter((task) => task.target.target === target)
  .map(({ target: { project }, projectRoot }) => ({
    project,
    path: join(root, projectRoot, 'test-output', reportFile),
  }));

// A misspelt project would pass.
if (projects.length === 0) {
  console.error(`No project has tests to run: ${[target, ...args].join(' ')}`);
  process.exit(2);
}

// The report of an earlier run must not count for a project whose tests don't run now.
for (const { path } of projects) rmSync(path, { force: true });

const exitCode = runNx(...command);

const reports = projects.map(({ project, path }) => ({
  project,
  report: existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined,
}));
const { lines, total } = summarise(reports);
console.log([...lines, totalLine(total)].join('\n'));

mkdirSync(join(root, 'test-output'), { recursive: true });
writeFileSync(join(root, 'test-output', totalFile), `${totalLine(total)}\n`);
process.exitCode = exitCode || (total.failed > 0 ? 1 : 0);
