import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
  for (const file of ['.ci/run', 'tools/workspace/report.mjs']) cpSync(join(root, file), join(folder, file));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Runs .ci/run with an `npm` that writes down how it is called, and fails for the commands that match. */
function run(failing: string) {
  const npm = join(folder, 'bin/npm');
  mkdirSync(dirname(npm));
  writeFileSync(
    npm,
    `#!/usr/bin/env bash
mkdir -p test-output
echo "$*" >>npm.log
case "$1 \${2:-}" in
  'test ') printf '%s\\n' 'failed: sdk:test › a title' '3 passed, 1 failed' >test-output/test.txt ;;
  'run nightly') echo '4 passed, 0 failed' >test-output/nightly.txt ;;
  'run check') [ "\${4:-}" = --summary ] && printf '## Gates that failed\\n\\n- **lint** failed\\n\\n' >>"$5" ;;
esac
! [[ "$*" =~ ${failing} ]]
`,
  );
  chmodSync(npm, 0o755);
  // A test installs nothing.
  for (const name of ['apt-get', 'sudo']) cpSync('/bin/true', join(dirname(npm), name));
  const { PATH = '', ...environment } = process.env;
  const { status, stdout, stderr } = spawnSync(join(folder, '.ci/run'), {
    encoding: 'utf8',
    env: {
      ...environment,
      PATH: [dirname(npm), PATH].join(delimiter),
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    },
  });
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  return {
    status,
    stderr,
    lines: stdout.trim().split('\n'),
    npm: read('npm.log'),
    summary: read('summary.md'),
  };
}

const STEPS = ['ci', 'test', 'run check', 'run nightly', 'run soak'];

test('runs every step, and ends with the failed tests and the count of all', () => {
  const { status, lines, stderr, npm } = run('nothing');
  expect(stderr).toBe('failed: sdk:test › a title\n');
  expect({ status, last: lines.at(-1) }).toEqual({ status: 0, last: '7 passed, 1 failed' });
  for (const step of STEPS) expect(npm).toMatch(new RegExp(`^${step}( --.*)?$`, 'm'));
});

test('runs every step after one has failed; the summary has the tests and the gates', () => {
  const { status, lines, npm, summary } = run('^test|check');
  expect({ status, last: lines.at(-1) }).toEqual({ status: 1, last: '7 passed, 1 failed' });
  for (const step of STEPS) expect(npm).toMatch(new RegExp(`^${step}( --.*)?$`, 'm'));
  expect(summary).toMatch(
    /^## Gates that failed\n\n- \*\*lint\*\* failed\n\n## Tests: 7 passed, 1 failed\n\n- \*\*failed:\*\* `npm test`\n- \*\*failed:\*\* `npm run check -- --summary .*`\n$/,
  );
});
