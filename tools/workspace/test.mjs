/**
 * `npm test`, `npm run nightly`, `npm run browser` and the like: runs a target that tests, in every project that has it
 * or in those that the arguments select (`npm test -- -p sdk`). `nightly` is every target that takes long; with
 * `--affected` and a revision in NX_BASE, only where something has changed since. Prints a line for each project as its
 * tests end. Adds up the reports of the runners, of this run or from the cache, and writes the total to a file in
 * `test-output`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, describe, totalLine } from './report.mjs';
import { askNx, hasBase, root, watchNx } from './nx.mjs';

/** What takes long and rarely breaks. */
const NIGHTLY = ['nightly', 'browser', 'proxy', 'postgres', 'package', 'rollout', 'guide', 'answered'];

const [name = 'test', ...options] = process.argv.slice(2);
const targets = name === 'nightly' ? NIGHTLY : [name];
const isAffected = options.includes('--affected') && hasBase;
const args = options.filter((option) => option !== '--affected');
const command = [isAffected ? 'affected' : 'run-many', '-t', ...targets, ...args];
/** @type {Array<{ target: { project: string, target: string }, projectRoot: string }>} */
const tasks = Object.values(askNx(...command, '--graph=stdout').tasks.tasks);
/** The report of each task, as `sdk:test`. */
const reports = new Map(
  tasks
    .filter((task) => targets.includes(task.target.target))
    .map(({ target: { project, target }, projectRoot }) => [
      `${project}:${target}`,
      join(root, projectRoot, 'test-output', target === 'test' ? 'results.json' : `${target}.json`),
    ]),
);

// A misspelt project would pass.
if (reports.size === 0 && !isAffected) {
  console.error(`No project has tests to run: ${[name, ...args].join(' ')}`);
  process.exit(2);
}

// The report of an earlier run must not count for a project whose tests don't run now.
for (const path of reports.values()) rmSync(path, { force: true });

const width = Math.max(0, ...Array.from(reports.keys(), ({ length }) => length));
const total = { passed: 0, failed: 0 };
const exitCode = await watchNx(command, (task) => {
  // Nx prints a task when it has ended, unless there is only one.
  if (existsSync(reports.get(task) ?? '')) end(task);
});
for (const task of reports.keys()) end(task);
console.log(totalLine(total));

mkdirSync(join(root, 'test-output'), { recursive: true });
writeFileSync(join(root, 'test-output', `${name}.txt`), `${totalLine(total)}\n`);
process.exitCode = exitCode || (total.failed > 0 ? 1 : 0);

/** @param {string} task */
function end(task) {
  const path = reports.get(task) ?? '';
  reports.delete(task);
  const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  const { passed, failed } = count(report);
  total.passed += passed;
  total.failed += failed;
  console.log(`${task.replace(/:test$/, '').padEnd(width)}  ${describe(report)}`);
}
