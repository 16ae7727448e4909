import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../dist/write-page.js', import.meta.url));
let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'plant-store-page-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('writes the page, and then finds it up to date', () => {
  const page = join(folder, 'answers.md');

  expect(run(page)).toEqual({ status: 0, stdout: `${page}: written\n`, stderr: '' });
  expect(readFileSync(page, 'utf8')).toContain('# What an answer changes');
  expect(run(page, '--check')).toEqual({ status: 0, stdout: `${page}: up to date\n`, stderr: '' });
});

test('--check says that a page differs, and how to write it', () => {
  const page = join(folder, 'answers.md');
  writeFileSync(page, 'other');

  expect(run(page, '--check')).toEqual({
    status: 1,
    stdout: '',
    stderr: `${page}: differs from what tools/answers/src says. Write it with: npx nx run answers:page\n`,
  });
  expect(readFileSync(page, 'utf8')).toBe('other');
});

test('--check says that a page is missing, and how to write it', () => {
  const page = join(folder, 'answers.md');

  expect(run(page, '--check')).toEqual({
    status: 1,
    stdout: '',
    stderr: `${page}: missing. Write it with: npx nx run answers:page\n`,
  });
});
