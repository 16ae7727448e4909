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

test('the page has a row and a section for an answer, with what is seen before and after it', () => {
  const page = join(folder, 'answers.md');
  run(page);
  const lines = readFileSync(page, 'utf8').replace(/ {2,}/g, ' ').split('\n');

  expect(lines).toContain('| [`base-address`](#base-address) | – | 1 | 1 | 1 | any order | minor |');
  const section = lines.slice(lines.indexOf('## base-address') + 1, lines.indexOf('## plant-fields'));
  expect(section.filter((line) => line !== '' && !line.startsWith('| -'))).toEqual([
    'Value of {base_url}: `"https://receiver.example"`. Every other question is open.',
    '| Where | What | Open | Answered |',
    '| Sender | without `baseUrl` | `needs baseUrl` | `may be left out` |',
    '| Types | without `baseUrl` | `does not compile` | `compiles` |',
    '- Document: `servers › 0 › variables › base_url › default` gets `"https://receiver.example"`.',
    '- Sender: Sends to https://receiver.example unless the caller passes `baseUrl`.',
    '- Rollout: **any order**. Old and new senders work with old and new receivers.',
    '- Version step: **minor**.',
  ]);
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
