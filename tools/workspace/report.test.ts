import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './nx.mjs';
import { addTotals, count, describe as describeReport } from './report.mjs';

const green = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  startTime: 10_000,
  testResults: [{ endTime: 13_000 }, { endTime: 12_000 }],
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
