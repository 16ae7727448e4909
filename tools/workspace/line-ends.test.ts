import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const git = (args: readonly string[], input = ''): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', input, maxBuffer: 2 ** 26 });

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'line-ends-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('Git for Windows writes each file as it was committed, with LF', () => {
  const committed = git(['ls-files', '--stage', '-z']).split('\0').slice(0, -1);
  const files = committed.map((entry) => entry.slice(entry.indexOf('\t') + 1));

  git(['-c', 'core.autocrlf=true', 'checkout-index', '--all', `--prefix=${folder}/`]);
  const paths = files.map((file) => `${join(folder, file)}\n`).join('');
  const digests = git(['hash-object', '--no-filters', '--stdin-paths'], paths).split('\n');

  expect(files.filter((_, index) => committed[index]!.split(' ')[1] !== digests[index])).toEqual([]);
  expect(git(['ls-files', '--eol']).match(/^i\/(?:crlf|mixed).*$/gm)).toBeNull();
});
