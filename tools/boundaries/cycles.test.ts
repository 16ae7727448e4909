import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const program = join(import.meta.dirname, '../../node_modules/.bin/depcruise');
const config = join(import.meta.dirname, 'cycles.mjs');
const upwards = "import type { B } from '../high/b.js';\nexport type A = B;\n";
let workspace: string;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'cycles-'));
});
afterEach(() => rmSync(workspace, { recursive: true }));

test.each([
  {
    name: 'two folders that import each other, one of them a type',
    files: {
      'low/a.ts': upwards,
      'low/c.ts': '',
      'high/b.ts': "import '../low/c.js';\nexport type B = 1;\n",
    },
    want: ['no-folder-cycle: libs/a/src/high', 'no-folder-cycle: libs/a/src/low'],
  },
  {
    name: 'two files that import each other',
    files: { 'a.ts': "export * from './b.js';\n", 'b.ts': "import './a.js';\n" },
    want: ['no-file-cycle: libs/a/src/a.ts'],
  },
  {
    name: 'folders in layers, whatever their tests import',
    files: {
      'high/b.ts': "import '../low/c.js';\nexport type B = 1;\n",
      'low/c.ts': '',
      'low/c.test.ts': upwards,
    },
    want: [],
  },
])('$name: $want', ({ files, want }) => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(workspace, 'libs/a/src', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { status, stdout } = spawnSync(process.execPath, [program, '--config', config, 'libs'], {
    cwd: workspace,
    encoding: 'utf8',
  });
  const cycles = Array.from(stdout.matchAll(/^ {2}error ([\w-]+: \S+)/gm), ([, cycle]) => cycle);
  expect({ isPassed: status === 0, cycles: cycles.sort() }).toEqual({
    isPassed: want.length === 0,
    cycles: want,
  });
});
