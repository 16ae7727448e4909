import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gates } from './gates.mjs';
import { readEntries, reportOf } from './package/entries.mjs';

test('CONTRIBUTING.md has a row for each gate, with the command that fixes it', () => {
  const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const rows = Array.from(page.matchAll(/^\| `([\w-]+)` +\|[^|]*\| *(?:`([^`]+)`)?/gm), ([, name, fix]) => ({
    name,
    fix,
  }));
  expect(rows).toEqual(gates.flat().map(({ name, fix }) => ({ name, fix })));
});

test('each file that says which command generates it is one of `generates`', () => {
  const pages = [
    'OPEN_QUESTIONS.md',
    'docs/reference/contract-diff.md',
    'docs/reference/api.md',
    'docs/reference/answers.md',
  ];
  const generated = gates.flat().flatMap(({ fix, generates = [] }) => generates.map((file) => [file, fix]));
  const reports = readEntries().map(reportOf);
  expect(generated.map(([file]) => file).sort()).toEqual(
    [...pages, ...reports, 'apps/webhook/openapi.json'].sort(),
  );
  for (const [file = '', fix = ''] of generated) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    if (file !== 'apps/webhook/openapi.json') expect(text.slice(0, 2_000)).toContain(fix.replace('npx ', ''));
  }
});

describe('a merge of two branches that both changed the generated files', () => {
  const pages = gates
    .flat()
    .flatMap(({ generates = [] }) => generates)
    .filter((file) => !file.endsWith('.api.md'))
    .sort();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'merge-'));
    copyFileSync(new URL('../../.gitattributes', import.meta.url), join(folder, '.gitattributes'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test('says that each page conflicts, and leaves it whole', () => {
    const base = { info: 'base', paths: {} };
    git('init', '--quiet', '--initial-branch', 'main');
    commit(base);
    git('switch', '--quiet', '--create', 'other');
    commit({ ...base, paths: { theirs: 2 }, theirs: [3] });
    git('switch', '--quiet', 'main');
    const ours = commit({ ...base, paths: { ours: 2 }, ours: [3] });

    expect(git('merge', 'other').status).toBe(1);

    expect(git('diff', '--name-only', '--diff-filter=U').stdout.trim().split('\n').sort()).toEqual(pages);
    expect(pages.map((page) => readFileSync(join(folder, page), 'utf8'))).toEqual(pages.map(() => ours));
  });

  /** Commits the content in every page. Returns its text. */
  function commit(content: object): string {
    const text = JSON.stringify(content, null, 2);
    for (const page of pages) {
      mkdirSync(dirname(join(folder, page)), { recursive: true });
      writeFileSync(join(folder, page), text);
    }
    git('add', '--all');
    git('commit', '--quiet', '--message', 'All');
    return text;
  }

  function git(...args: readonly string[]) {
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.test'];
    return spawnSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' });
  }
});
