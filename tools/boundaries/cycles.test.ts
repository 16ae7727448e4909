import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const program = join(import.meta.dirname, '../../node_modules/.bin/depcruise');
const config = join(import.meta.dirname, 'cycles.mjs');
let workspace: string;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'cycles-'));
});
afterEach(() => rmSync(workspace, { recursive: true }));

/** What the gate says of a workspace with these files: its exit code, and a line for each cycle. */
function check(files: Readonly<Record<string, string>>): { status: number | null; cycles: string[] } {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(workspace, dirname(path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const { status, stdout } = spawnSync(process.execPath, [program, '--config', config, 'libs'], {
    cwd: workspace,
    encoding: 'utf8',
    // Nx asks its tasks for colours.
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  const cycles = Array.from(stdout.matchAll(/^ {2}error (.+(?:\n {6}.+)*)/gm), ([, cycle = '']) =>
    cycle.replaceAll(/\s+/g, ' '),
  );
  return { status, cycles: cycles.sort() };
}

const forms = {
  value: "import { b } from '../high/b.js';\nexport const a = b;\n",
  type: "import type { B } from '../high/b.js';\nexport type A = B;\n",
  'inline-type': "import { type B } from '../high/b.js';\nexport type A = B;\n",
  'type-expression': "export type A = import('../high/b.js').B;\n",
  'export-from': "export { b } from '../high/b.js';\n",
  dynamic: "export const a = () => import('../high/b.js');\n",
};

test('two folders that import each other fail, whatever the form of the import', () => {
  const files = Object.entries(forms).flatMap(([form, text]) => [
    [`libs/${form}/src/low/a.ts`, text],
    [`libs/${form}/src/low/c.ts`, 'export const c = 1;\n'],
    [
      `libs/${form}/src/high/b.ts`,
      "import { c } from '../low/c.js';\nexport const b = c;\nexport type B = 1;\n",
    ],
  ]);
  const { status, cycles } = check(Object.fromEntries(files) as Record<string, string>);
  expect(status).not.toBe(0);
  expect(cycles).toEqual(
    Object.keys(forms)
      .flatMap((form) => [
        `no-folder-cycle: libs/${form}/src/high → libs/${form}/src/low → libs/${form}/src/high`,
        `no-folder-cycle: libs/${form}/src/low → libs/${form}/src/high → libs/${form}/src/low`,
      ])
      .sort(),
  );
});

test('three folders in a circle, and two files that import each other, fail', () => {
  const { status, cycles } = check({
    'libs/folders/src/one/a.ts': "export * from '../two/a.js';\n",
    'libs/folders/src/two/a.ts': "export * from '../three/a.js';\n",
    'libs/folders/src/three/a.ts': "export * from '../one/b.js';\n",
    'libs/folders/src/one/b.ts': 'export const b = 1;\n',
    'libs/files/src/a.ts': "import type { B } from './b.js';\nexport type A = B;\n",
    'libs/files/src/b.ts': "import type { A } from './a.js';\nexport type B = A;\n",
  });
  expect(status).not.toBe(0);
  expect(cycles).toEqual([
    expect.stringMatching('^no-file-cycle: libs/files/src/'),
    ...['one', 'three', 'two'].map((folder): unknown =>
      expect.stringMatching(`^no-folder-cycle: libs/folders/src/${folder} `),
    ),
  ]);
});

test('folders in layers pass, whatever their tests import', () => {
  const upwards = "import { b } from '../high/b.js';\nexport const a = b;\n";
  expect(
    check({
      'libs/a/src/errors.ts': 'export const error = 1;\n',
      'libs/a/src/low/c.ts': "import { error } from '../errors.js';\nexport const c = error;\n",
      'libs/a/src/high/b.ts': "import { c } from '../low/c.js';\nexport const b = c;\n",
      'libs/a/src/index.ts': "export * from './high/b.js';\n",
      'libs/a/src/low/c.test.ts': upwards,
      'libs/a/src/low/c.suite.ts': upwards,
      'libs/a/src/low/test/support.ts': "export * from '../../high/b.js';\n",
    }),
  ).toEqual({ status: 0, cycles: [] });
});
