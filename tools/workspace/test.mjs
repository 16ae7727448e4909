/**
 * `npm test`, `npm run nightly`, `npm run browser` and the like: runs a target that tests, in every project that has it
 * or in those that the arguments select (`npm test -- -p sdk`). `nightly` is every target that takes long; with
 * `--affected` and a revision in NX_BASE, only where something has changed since. In the end, adds up the reports of the
 * runners, of this run or from the cache: prints a line for each project, then each failed test, then the total. The names
 * of the failed tests and the total are also written to a file in `test-output`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askNx, hasBase, root, runNx } from './nx.mjs';
import { count, describe, describeFailures, totalLine } from './report.mjs';

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

const exitCode = runNx(...command, '--outputStyle=static');
const results = Array.from(reports, ([task, path]) => ({
  task,
  report: existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined,
}));

const width = Math.max(0, ...results.map(({ task }) => task.length));
const total = { passed: 0, failed: 0 };
for (const { task, report } of results) {
  const { passed, failed } = count(report);
  total.passed += passed;
  total.failed += failed;
  console.log(`${task.replace(/:test$/, '').padEnd(width)}  ${describe(report)}`);
}
// CI shows the end of the output.
const failures = results.flatMap(({ task, report }) => describeFailures(task, report));
for (const failure of failures) console.log(`\n${failure}\n`);
console.log(totalLine(total));

mkdirSync(join(root, 'test-output'), { recursive: true });
const titles = failures.map((failure) => failure.split('\n', 1)[0]);
writeFileSync(join(root, 'test-output', `${name}.txt`), `${[...titles, totalLine(total)].join('\n')}\n`);
process.exitCode = exitCode || (total.failed > 0 ? 1 : 0);
