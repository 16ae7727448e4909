/**
 * `npm test`, `npm run browser`, `npm run proxy`, `npm run postgres` and `npm run package`: runs a target that tests, in
 * every project that has it or in those that the arguments select (`npm test -- -p sdk`). Prints a line for each project
 * as its tests end. Adds up the reports of the runners, of this run or from the cache, and writes the total to a file in
 * `test-output`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, describe, totalLine } from './report.mjs';
import { askNx, root, watchNx } from './nx.mjs';

const [target = 'test', ...args] = process.argv.slice(2);
const [reportFile, totalFile] =
  target === 'test' ? ['results.json', 'total.txt'] : [`${target}.json`, `${target}.txt`];

const command = ['run-many', '-t', target, ...args];
/** @type {Array<{ target: { project: string, target: string }, projectRoot: string }>} */
const tasks = Object.values(askNx(...command, '--graph=stdout').tasks.tasks);
/** The report of each project. */
const reports = new Map(
  tasks
    .filter((task) => task.target.target === target)
    .map(({ target: { project }, projectRoot }) => [
      project,
      join(root, projectRoot, 'test-output', reportFile),
    ]),
);

// A misspelt project would pass.
if (reports.size === 0) {
  console.error(`No project has tests to run: ${[target, ...args].join(' ')}`);
  process.exit(2);
}

// The report of an earlier run must not count for a project whose tests don't run now.
for (const path of reports.values()) rmSync(path, { force: true });

const width = Math.max(...Array.from(reports.keys(), ({ length }) => length));
const total = { passed: 0, failed: 0 };
const exitCode = await watchNx(command, (task) => {
  const [project = '', name] = task.split(':');
  // Nx prints a task when it has ended, unless there is only one.
  if (name === target && existsSync(reports.get(project) ?? '')) end(project);
});
for (const project of reports.keys()) end(project);
console.log(totalLine(total));

mkdirSync(join(root, 'test-output'), { recursive: true });
writeFileSync(join(root, 'test-output', totalFile), `${totalLine(total)}\n`);
process.exitCode = exitCode || (total.failed > 0 ? 1 : 0);

/** @param {string} project */
function end(project) {
  const path = reports.get(project) ?? '';
  reports.delete(project);
  const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  const { passed, failed } = count(report);
  total.passed += passed;
  total.failed += failed;
  console.log(`${project.padEnd(width)}  ${describe(report)}`);
}
