import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './nx.mjs';
import { addTotals, count, describe as describeReport, describeFailures } from './report.mjs';

const green = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  startTime: 10_000,
  testResults: [
    { name: 'a.test.ts', endTime: 13_000, message: '', assertionResults: [] },
    { name: 'b.test.ts', endTime: 12_000, message: '', assertionResults: [] },
  ],
};

test.each([
  { name: 'all passed', report: green, want: { passed: 3, failed: 0, skipped: 0 } },
  {
    name: 'a failure beside skipped and planned tests',
    report: { ...green, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 },
    want: { passed: 3, failed: 1, skipped: 3 },
  },
  {
    name: 'a suite that could not run, which has no failed test',
    report: { ...green, numRuntimeErrorTestSuites: 1 },
    want: { passed: 3, failed: 1, skipped: 0 },
  },
  { name: 'no report', report: undefined, want: { passed: 0, failed: 1, skipped: 0 } },
])('counts $name', ({ report, want }) => {
  expect(count(report)).toEqual(want);
});

test('a line has the counts and the time', () => {
  expect(describeReport({ ...green, numPendingTests: 1 })).toBe('3 passed, 0 failed, 1 skipped, 3.0 s');
  expect(describeReport(undefined)).toBe('no report: the tests did not run; counted as 1 failed');
});

describe('the failures of a task', () => {
  const passed = { status: 'passed', ancestorTitles: ['all-together'], title: 'a', failureMessages: [] };
  const failed = {
    ...passed,
    status: 'failed',
    title: 'npm test',
    failureMessages: ['\u001B[31mExpected 1\u001B[39m\n'],
  };
  const reportOf = (message: string, ...assertionResults: (typeof failed | typeof passed)[]) => ({
    ...green,
    testResults: [{ name: 'a.test.ts', endTime: 13_000, message, assertionResults }],
  });

  test('are its failed tests, in plain text', () => {
    expect(describeFailures('openapi:answered', reportOf('of all tests', passed, failed))).toEqual([
      'failed: openapi:answered › all-together › npm test\nExpected 1',
    ]);
    expect(describeFailures('sdk:test', reportOf('', passed))).toEqual([]);
  });

  test('have the first and the last lines of a long message', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const [text = ''] = describeFailures(
      'sdk:test',
      reportOf('', { ...failed, failureMessages: [lines.join('\n')] }),
    );
    const [, ...shown] = text.split('\n');
    expect(shown).toEqual([...lines.slice(0, 15), '…', ...lines.slice(-15)]);
  });

  test('have no places in packages', () => {
    const message = 'Expected 1\n    at own (/a/x.ts:1:1)\n    at jest (/a/node_modules/jest/x.js:1:1)\n';
    expect(describeFailures('sdk:test', reportOf('', { ...failed, failureMessages: [message] }))).toEqual([
      'failed: sdk:test › all-together › npm test\nExpected 1\n    at own (/a/x.ts:1:1)',
    ]);
  });

  test('are suites that could not run, and a report that is missing', () => {
    expect(describeFailures('sdk:test', reportOf('SyntaxError'))).toEqual([
      'failed: sdk:test › a.test.ts\nSyntaxError',
    ]);
    expect(describeFailures('sdk:test', undefined)).toEqual(['failed: sdk:test, which left no report']);
  });
});

test.each([
  { name: 'two runs', lines: ['3 passed, 0 failed\n', '4 passed, 2 failed\n'], want: '7 passed, 2 failed' },
  { name: 'a run that left nothing', lines: ['3 passed, 0 failed\n', undefined], want: '3 passed, 1 failed' },
  { name: 'a run that left something else', lines: ['3 passed, 0 failed', ''], want: '3 passed, 1 failed' },
])('adds up $name', ({ lines, want }) => {
  expect(addTotals(lines)).toBe(want);
});

test('npm test fails if no project is selected', () => {
  const program = join(root, 'tools/workspace/test.mjs');
  const options = { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } } as const;
  const { status, stderr } = spawnSync(process.execPath, [program, 'test', '-p', 'nosuch'], options);
  expect({ status, stderr }).toEqual({ status: 2, stderr: 'No project has tests to run: test -p nosuch\n' });
});
