import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * @typedef {object} JestReport The counts in what `jest --json` writes.
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites suites that failed before their tests could run
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Count
 */

/**
 * The counts of one project. A suite that couldn't run counts as a failure, and so does a missing report.
 *
 * @param {JestReport | undefined} report
 * @returns {Count}
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
 * A line for each project, and the total.
 *
 * @param {Array<{ project: string, report: JestReport | undefined }>} reports
 * @returns {{ lines: string[], total: Count }}
 */
export function summarise(reports) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const width = Math.max(0, ...reports.map(({ project }) => project.length));
  const lines = reports.map(({ project, report }) => {
    const { passed, failed, skipped } = count(report);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
    return `${project.padEnd(width)}  ${report ? counts : 'no report: the tests did not run; counted as 1 failed'}`;
  });
  return { lines, total };
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

// `node tools/workspace/report.mjs FILE...` prints the last line of `.ci/run`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const files = process.argv.slice(2);
  console.log(addTotals(files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined))));
}
