import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'count-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a failed test and a suite that cannot run are named with their reason and counted, in every project', () => {
  for (const group of ['apps', 'libs', 'tools']) mkdirSync(join(folder, group));
  runJest('apps/one', {
    'a.test.js': "test('adds', () => {});\ntest('fails', () => { throw new Error('why'); });",
  });
  const printed = runJest('libs/two', { 'b.test.js': "import './nothing.js';" });

  const { stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'count.mjs')], {
    cwd: folder,
    encoding: 'utf8',
  });

  expect(printed).toMatch(/Cannot find module[^]*^0 passed, 1 failed, 0 skipped, \d+ s$/m);
  expect(stdout).toMatch(/^failed: apps\/one test\/node\d+\.json: fails\n {4}Error: why$/m);
  expect(stdout).toMatch(
    /^failed: libs\/two test\/node\d+\.json: .*b\.test\.js\n(?:.*\n)* {4}.*Cannot find module/m,
  );
  expect(stdout).toMatch(/\n1 passed, 2 failed\n$/);
});

/** Runs Jest in a project as its target does. Returns what is printed. */
function runJest(project: string, files: Readonly<Record<string, string>>): string {
  const root = join(folder, project);
  mkdirSync(root);
  writeFileSync(join(root, 'package.json'), '{ "type": "module", "jest": { "transform": {} } }');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const jest = join(import.meta.dirname, '../../node_modules/jest/bin/jest.js');
  const reporter = join(import.meta.dirname, 'reporter.mjs');
  const { stdout } = spawnSync(process.execPath, [jest, `--reporters=${reporter}`], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NX_TASK_TARGET_TARGET: 'test' },
  });
  return stdout;
}
