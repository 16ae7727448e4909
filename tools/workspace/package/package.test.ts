import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driftOf } from './api.mjs';
import { BUDGET, bundleOf, overdrawn } from './budget.mjs';
import { readEntries, reportOf } from './entries.mjs';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'package-gates-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('the entry points are those of `exports`, each with a report', () => {
  const reports = readEntries().map(reportOf);
  expect(reports).toContain('libs/contract/api/json-schema.api.md');
  expect(reports).toContain('libs/sdk/api/index.api.md');
});

test('a report that is out of date, one that is missing and one too many are found', () => {
  const [first = '', ...others] = readEntries().map(reportOf);
  expect(
    driftOf(new Map([[first, 'other text'] as const, ['libs/sdk/api/new.api.md', ''] as const])),
  ).toEqual([
    `${first} is out of date`,
    'libs/sdk/api/new.api.md is missing',
    ...others.map((file) => `${file} belongs to no entry point`),
  ]);
});

test('a bundle over the budget is found, with the packages that it may not import', async () => {
  const words = Array.from({ length: 4_000 }, (_, index) => (index * 7_919).toString(36)).join(' ');
  const file = join(folder, 'core.mjs');
  writeFileSync(
    file,
    `import 'node:http'; import 'undici'; import 'pg'; console.log(${JSON.stringify(words)});`,
  );

  const { bytes, packages } = await bundleOf(file);

  expect(packages).toEqual(['pg', 'undici']);
  expect(overdrawn({ bytes, packages, files: [] }, { ...BUDGET, bytes: bytes - 1 })).toEqual([
    'The core is 1 bytes too large. See what is in it: npx nx run workspace:package-budget --list',
    'The core may not import pg.',
  ]);
  expect(overdrawn({ bytes, packages: ['undici'], files: [] }, { ...BUDGET, bytes })).toEqual([]);
});
