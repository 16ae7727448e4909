import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** How often a run says how far it is, in milliseconds. */
const PROGRESS_MS = 30_000;

/**
 * Jest's reporter in the targets of Nx: prints what fails when it fails, how far the run is every 30 s, and one line at
 * the end. Writes the counts and the failed tests to `test-output/<target>/node<major>.json`, which count.mjs adds up.
 */
export default class Reporter {
  #report;
  #start = performance.now();
  /** @type {NodeJS.Timeout | undefined} */
  #progress;

  /** @param {import('@jest/reporters').Config.GlobalConfig} config */
  constructor({ rootDir }) {
    const [major] = process.versions.node.split('.');
    const target = process.env['NX_TASK_TARGET_TARGET'] ?? 'test';
    this.#report = join(rootDir, 'test-output', target, `node${major}.json`);
  }

  /** @param {import('@jest/reporters').AggregatedResult} results which Jest updates */
  onRunStart(results) {
    this.#progress = setInterval(() => this.#print('so far: ', results), PROGRESS_MS).unref();
  }

  /**
   * @param {unknown} _test
   * @param {import('@jest/reporters').TestResult} result
   */
  onTestResult(_test, { console: printed, failureMessage }) {
    for (const { message } of printed ?? []) console.log(message);
    if (failureMessage) console.log(failureMessage);
  }

  /**
   * @param {unknown} _contexts
   * @param {import('@jest/reporters').AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    clearInterval(this.#progress);
    this.#print('', results);
    mkdirSync(dirname(this.#report), { recursive: true });
    const failures = results.testResults.flatMap(failuresOf);
    writeFileSync(this.#report, JSON.stringify({ passed: results.numPassedTests, failures }));
  }

  /**
   * @param {string} prefix
   * @param {import('@jest/reporters').AggregatedResult} results
   */
  #print(prefix, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const seconds = ((performance.now() - this.#start) / 1_000).toFixed(0);
    console.log(
      `${prefix}${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped, ${seconds} s`,
    );
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
