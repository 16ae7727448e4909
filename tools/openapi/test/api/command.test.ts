import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentOf } from '../documents.js';
import { inFolder, runCli } from '../run-cli.js';

const FILES = { 'd.json': documentOf({ webhooks: { hook: { description: 'Told' } } }) };
const MEND = ['--mend', 'make pages'];

describe.each([
  ['markdown', '# T\n'],
  ['html', '<h1>T</h1>\n'],
])('openapi api --format %s', (format, heading) => {
  const args = ['api', '--document', 'd.json', '--format', format, ...MEND];

  it('writes the page, and finds it up to date', () => {
    inFolder(FILES, (folder) => {
      const written = runCli([...args, '--output', 'page'], folder);
      expect(written).toEqual({ code: 0, out: 'page: written\n', err: '' });
      const page = readFileSync(join(folder, 'page'), 'utf8');
      expect(page).toContain(heading);
      expect(runCli(args, folder)).toEqual({ code: 0, out: page, err: '' });
      const checked = runCli([...args, '--output', 'page', '--check'], folder);
      expect(checked).toEqual({ code: 0, out: 'page: up to date\n', err: '' });
    });
  });

  it.each([
    ['is not there', undefined],
    ['has drifted', 'something else'],
  ])('fails if the page %s, names the command that mends it, and writes nothing', (_name, page) => {
    inFolder(FILES, (folder) => {
      const path = join(folder, 'page');
      if (page !== undefined) writeFileSync(path, page);
      const out = 'page: not what document, register and answers say. Run: make pages\n';
      expect(runCli([...args, '--output', 'page', '--check'], folder)).toEqual({ code: 1, out, err: '' });
      if (page !== undefined) expect(readFileSync(path, 'utf8')).toBe(page);
    });
  });
});

it.each([
  [['api'], '--document is missing; see openapi api --help'],
  [['api', '--document', 'd.json', '--check'], '--check needs --output; see openapi api --help'],
  [
    ['api', '--document', 'd.json', '--format', 'pdf'],
    '--format is "pdf", not one of markdown, html; see openapi api --help',
  ],
  [['api', '--document', 'none.json'], 'none.json: cannot be read: there is no such file'],
  [
    ['api', '--document', 'd.json', '--output', 'no/page'],
    "no/page: cannot be written: ENOENT: no such file or directory, open 'no/page'",
  ],
])('%j cannot run: %s', (args, message) => {
  inFolder(FILES, (folder) => {
    expect(runCli(args, folder)).toEqual({ code: 2, out: '', err: `openapi: ${message}\n` });
  });
});
