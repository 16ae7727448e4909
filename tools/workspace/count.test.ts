import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const JEST = join(import.meta.dirname, '../../node_modules/jest/bin/jest.js');
const ENVIRONMENT = { ...process.env, NX_TASK_TARGET_TARGET: 'test' };

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

test('a run says how far it is, which files run, and counts the tests that have ended in them', async () => {
  const end = join(folder, 'end');
  const cwd = makeProject(
    'apps/three',
    { every: 50 },
    {
      'a.test.js': `import { existsSync } from 'node:fs';
      test('passes', () => {});
      test('waits', async () => { while (!existsSync(${JSON.stringify(end)})) await new Promise(setImmediate); }, 60_000);`,
    },
  );
  const run = spawn(process.execPath, [JEST], { cwd, env: ENVIRONMENT });
  let printed = '';
  run.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (/^after \d+ s: 1 passed, 0 failed, 0 of 1 files; running a\.test\.js$/m.test(printed))
      writeFileSync(end, '');
  });
  await once(run, 'close');

  expect(printed).toMatch(/^2 passed, 0 failed, 0 skipped, \d+ s\n$/m);
});

/** Makes a project whose tests run as its target runs them. Returns its folder. */
function makeProject(project: string, options: object, files: Readonly<Record<string, string>>): string {
  const root = join(folder, project);
  mkdirSync(root, { recursive: true });
  const reporters = [[join(import.meta.dirname, 'reporter.mjs'), options]];
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', jest: { transform: {}, reporters } }),
  );
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

/** Runs Jest in a project. Returns what is printed. */
function runJest(project: string, files: Readonly<Record<string, string>>): string {
  const cwd = makeProject(project, {}, files);
  return spawnSync(process.execPath, [JEST], { cwd, encoding: 'utf8', env: ENVIRONMENT }).stdout;
}
