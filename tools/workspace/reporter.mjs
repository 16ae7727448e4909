import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * Jest's reporter in the targets of Nx: prints what fails when it fails, how far the run is every 30 s, and one line at
 * the end. Nx puts the project before each line. Writes the counts and the failed tests to `test-output/<target>/node<major>.json`, which count.mjs adds up.
 */
export default class Reporter {
  #rootDir;
  #every;
  #report;
  #start = performance.now();
  /** @type {NodeJS.Timeout | undefined} */
  #progress;
  /** Paths of the files that run. */
  #running = new Set();
  /** Of the tests that have ended, also those of files that run. */
  #counts = { passed: 0, failed: 0 };

  /**
   * @param {import('@jest/reporters').Config.GlobalConfig} config
   * @param {{ every?: number }} options `every`: how often a run says how far it is, in milliseconds
   */
  constructor({ rootDir }, { every = 30_000 } = {}) {
    this.#rootDir = rootDir;
    this.#every = every;
    const [major] = process.versions.node.split('.');
    const target = process.env['NX_TASK_TARGET_TARGET'] ?? 'test';
    this.#report = join(rootDir, 'test-output', target, `node${major}.json`);
  }

  /** @param {import('@jest/reporters').AggregatedResult} results which Jest updates */
  onRunStart(results) {
    this.#progress = setInterval(() => this.#printProgress(results), this.#every).unref();
  }

  /** @param {import('@jest/reporters').Test} test */
  onTestFileStart({ path }) {
    this.#running.add(relative(this.#rootDir, path));
  }

  /**
   * @param {unknown} _test
   * @param {import('@jest/reporters').TestCaseResult} result
   */
  onTestCaseResult(_test, { status }) {
    if (status === 'passed' || status === 'failed') this.#counts[status] += 1;
  }

  /**
   * @param {import('@jest/reporters').Test} test
   * @param {import('@jest/reporters').TestResult} result
   */
  onTestResult({ path }, { console: printed, failureMessage }) {
    this.#running.delete(relative(this.#rootDir, path));
    for (const { message } of printed ?? []) console.log(message);
    if (failureMessage) console.log(failureMessage);
  }

  /**
   * @param {unknown} _contexts
   * @param {import('@jest/reporters').AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    clearInterval(this.#progress);
    this.#printEnd(results);
    mkdirSync(dirname(this.#report), { recursive: true });
    const failures = results.testResults.flatMap(failuresOf);
    writeFileSync(this.#report, JSON.stringify({ passed: results.numPassedTests, failures }));
  }

  /** @param {import('@jest/reporters').AggregatedResult} results */
  #printProgress({ numPassedTestSuites, numFailedTestSuites, numPendingTestSuites, numTotalTestSuites }) {
    const done = numPassedTestSuites + numFailedTestSuites + numPendingTestSuites;
    const { passed, failed } = this.#counts;
    const running = this.#running.size === 0 ? '' : `; running ${[...this.#running].join(', ')}`;
    const files = `${done} of ${numTotalTestSuites} files`;
    console.log(`after ${this.#seconds()} s: ${passed} passed, ${failed} failed, ${files}${running}`);
  }

  /** @param {import('@jest/reporters').AggregatedResult} results */
  #printEnd(results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    console.log(
      `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped, ${this.#seconds()} s`,
    );
  }

  #seconds() {
    return ((performance.now() - this.#start) / 1_000).toFixed(0);
  }
}

/**
 * A suite that couldn't run has no tests, and counts as one that failed.
 *
 * @param {import('@jest/reporters').TestResult} result
 */
function failuresOf({ failureMessage, testExecError, testFilePath, testResults }) {
  if (testExecError) return [{ name: testFilePath, message: stripVTControlCharacters(failureMessage ?? '') }];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      name: fullName,
      message: stripVTControlCharacters(failureMessages.join('\n')),
    }));
}
