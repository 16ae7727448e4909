import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** How many lines of a failure are printed from its start, and from its end. */
const SHOWN_LINES = 15;

/**
 * @typedef {object} JestReport A part of what `jest --json` writes.
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites suites that failed before their tests could run
 * @property {number} startTime in milliseconds
 * @property {SuiteResult[]} testResults
 *
 * @typedef {object} SuiteResult
 * @property {string} name the path of the suite
 * @property {number} endTime
 * @property {string} message what failed; the only trace of a suite that couldn't run
 * @property {Array<{ status: string, ancestorTitles: string[], title: string, failureMessages: string[] }>} assertionResults
 */

/**
 * The counts of one project. A suite that couldn't run counts as a failure, and so does a missing report.
 *
 * @param {JestReport | undefined} report
 */
export function count(report) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * What is printed about a project: its counts, and how long its tests took when they ran.
 *
 * @param {JestReport | undefined} report
 * @returns {string}
 */
export function describe(report) {
  if (!report) return 'no report: the tests did not run; counted as 1 failed';
  const { passed, failed, skipped } = count(report);
  const end = Math.max(report.startTime, ...report.testResults.map(({ endTime }) => endTime));
  const seconds = ((end - report.startTime) / 1_000).toFixed(1);
  return `${passed} passed, ${failed} failed, ${skipped} skipped, ${seconds} s`;
}

/**
 * What is printed in the end about each failed test of a task, and about each suite that couldn't run.
 *
 * @param {string} task such as `sdk:test`
 * @param {JestReport | undefined} report
 * @returns {string[]}
 */
export function describeFailures(task, report) {
  if (!report) return [`failed: ${task}, which left no report`];
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message) return [`failed: ${task} › ${name}\n${shorten(message)}`];
    return failed.map(({ ancestorTitles, title, failureMessages }) => {
      const path = [task, ...ancestorTitles, title].join(' › ');
      return `failed: ${path}\n${shorten(failureMessages.join('\n'))}`;
    });
  });
}

/**
 * Without the places in packages, of which a stack has many.
 *
 * @param {string} message
 */
function shorten(message) {
  const lines = stripVTControlCharacters(message)
    .trim()
    .split('\n')
    .filter((line) => !/^\s+at .*node_modules/.test(line));
  if (lines.length <= 2 * SHOWN_LINES) return lines.join('\n');
  return [...lines.slice(0, SHOWN_LINES), '…', ...lines.slice(-SHOWN_LINES)].join('\n');
}

/**
 * @param {{ passed: number, failed: number }} total
 * @returns {string}
 */
export function totalLine({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}

/**
 * The total line of several runs, from their total lines. A run without one counts as a failure.
 *
 * @param {Array<string | undefined>} lines
 * @returns {string}
 */
export function addTotals(lines) {
  const total = { passed: 0, failed: 0 };
  for (const line of lines) {
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(line?.trim() ?? '') ?? [];
    total.passed += Number(passed ?? 0);
    total.failed += Number(failed ?? 1);
  }
  return totalLine(total);
}

// `node tools/workspace/report.mjs FILE...` prints the last line of `.ci/run`, and names on stderr what failed.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const runs = process.argv.slice(2).map((file) => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    return { total: lines.pop(), failures: lines };
  });
  for (const line of runs.flatMap(({ failures }) => failures)) console.error(line);
  console.log(addTotals(runs.map(({ total }) => total)));
}
