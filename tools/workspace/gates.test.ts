import { readFileSync } from 'node:fs';
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
    'docs/CONTRACT-DIFF.md',
    'docs/API.md',
    'docs/api.html',
    'docs/answers.md',
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

test('.gitattributes lists the generated files, which then never conflict', () => {
  const attributes = readFileSync(new URL('../../.gitattributes', import.meta.url), 'utf8');
  const listed = Array.from(attributes.matchAll(/^(\S+) merge=union$/gm), ([, file]) => file);
  expect(listed.sort()).toEqual(
    [...new Set(gates.flat().flatMap(({ generates = [] }) => generates.map(asListed)))].sort(),
  );
});

/** A line of .gitattributes stands for all API reports. */
function asListed(file: string): string {
  return file.replace(/^libs\/[^/]+\/api\/[^/]+\.api\.md$/, 'libs/*/api/*.api.md');
}
