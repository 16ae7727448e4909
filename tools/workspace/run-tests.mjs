import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askNx, root, runNx } from './nx.mjs';
import { summarise, totalLine } from './report.mjs';

/**
 * Runs a target that tests through Nx, in every project that has it or in those that the arguments select, and adds up
 * what the runner reported, whether it ran or came from the cache. The total goes to a file of `test-output` too.
 *
 * @param {{ target: string, report: string, total: string, args: string[] }} options names of the target, of the
 * report in each project's `test-output` and of the total
 * @returns {number} the exit code
 */
export function runTests({ target, report, total: totalFile, args }) {
  const command = ['run-many', '-t', target, ...args];
  /** @type {Array<{ target: { project: string, target: string }, projectRoot: string }>} */
  const tasks = Object.values(askNx(...command, '--graph=stdout').tasks.tasks);
  const projects = tasks
    .filter((task) => task.target.target === target)
    .map((task) => ({
      project: task.target.project,
      path: join(root, task.projectRoot, 'test-output', report),
    }));

  // A report of an earlier run must not stand in for one that this run didn't make.
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
  return exitCode || (total.failed > 0 ? 1 : 0);
}
