import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSchema } from './documents.js';
import { type Ended, inFolder, runCli } from './run-cli.js';

const SECRET = 'secret-of-the-machine';

/** A document in `api/` with one reference. A file with a secret lies outside. */
const filesWith = (reference: string) => ({
  'api/main.json': withSchema({ $ref: reference }),
  'secret.json': JSON.stringify({ description: SECRET }),
});

/** Compares a document with itself. */
const changes = (document: string, folder: string) => runCli(['changes', document, document], folder);

/** The command must refuse with exit code 2 and this one line. */
function expectRefusal(ended: Ended, line: string): void {
  expect(ended).toEqual({ code: 2, out: '', err: `openapi: ${line}\n` });
}

describe('a $ref', () => {
  const IN_FOLDER = "leads out of the document's folder; move the file into it";
  const IN_REPOSITORY = 'leads out of the repository; move the file into it';

  it.each([
    { reference: '../secret.json', rule: IN_FOLDER },
    { reference: 'x/../../secret.json', rule: IN_FOLDER },
    { reference: '%2e%2e/secret.json', rule: IN_FOLDER },
    { reference: '../no-such-file.json', rule: IN_FOLDER },
    { reference: '/etc/passwd', rule: 'is an absolute path; write one relative to this file' },
    ...['file:///etc/passwd', 'http://127.0.0.1:9/a.json', '//127.0.0.1/a.json'].map((reference) => ({
      reference,
      rule: 'is not a local file; save what it points to beside the document',
    })),
  ])('to $reference is refused', ({ reference, rule }) => {
    inFolder(filesWith(reference), (folder) => {
      const line = `main.json:1: $ref "${reference}" ${rule}`;
      expectRefusal(changes('main.json', join(folder, 'api')), line);
    });
  });

  it('out of a folder is refused wherever the command runs, and from a file that another $ref leads to', () => {
    const files = { ...filesWith('b/c.json'), 'api/b/c.json': '{\n"$ref": "../../secret.json"}' };
    inFolder(files, (folder) => {
      const line = `api/b/c.json:1: $ref "../../secret.json" ${IN_FOLDER}`;
      expectRefusal(changes('api/main.json', folder), line);
    });
  });

  it('may lead anywhere in the repository of the document, but not out of it and not into .git', () => {
    inFolder({ ...filesWith('../shared/b.json'), 'shared/b.json': '{}' }, (folder) => {
      const api = join(folder, 'api');
      expectRefusal(changes('main.json', api), `main.json:1: $ref "../shared/b.json" ${IN_FOLDER}`);
      execFileSync('git', ['init', '-q'], { cwd: folder });
      expect(changes('main.json', api)).toMatchObject({ code: 0, err: '' });

      writeFileSync(join(api, 'main.json'), withSchema({ $ref: '../.git/config' }));
      const inGit = 'main.json:1: $ref "../.git/config" leads into .git, which is never read';
      expectRefusal(changes('main.json', api), inGit);

      writeFileSync(join(api, 'main.json'), withSchema({ $ref: '../../secret.json' }));
      const out = `main.json:1: $ref "../../secret.json" ${IN_REPOSITORY}`;
      expectRefusal(changes('main.json', api), out);
    });
  });

  it('to a symbolic link is followed inside of the folder, and refused where the link leads out', () => {
    inFolder({ ...filesWith('link.json'), 'api/b.json': '{}' }, (folder) => {
      const api = join(folder, 'api');
      symlinkSync('b.json', join(api, 'link.json'));
      expect(changes('main.json', api)).toMatchObject({ code: 0, err: '' });
    });
    for (const [link, target] of [
      ['link.json', '../secret.json'],
      ['linked', '..'],
    ] as const) {
      const reference = link === 'linked' ? 'linked/secret.json' : link;
      inFolder(filesWith(reference), (folder) => {
        symlinkSync(target, join(folder, 'api', link));
        const line = `main.json:1: $ref "${reference}" is a symbolic link that ${IN_FOLDER}`;
        expectRefusal(changes('main.json', join(folder, 'api')), line);
      });
    }
  });
});

describe('a file', () => {
  it.each([
    {
      name: 'FIFO',
      make: (path: string) => execFileSync('mkfifo', [path]),
      reason: 'it is not a regular file',
    },
    {
      name: 'device',
      make: (path: string) => symlinkSync('/dev/zero', path),
      reason: 'it is not a regular file',
    },
    { name: 'folder', make: (path: string) => mkdirSync(path), reason: 'it is a directory' },
  ])('that is a $name is refused', ({ name, make, reason }) => {
    inFolder(filesWith(name), (folder) => {
      const api = join(folder, 'api');
      make(join(api, name));
      const line = `${name}: cannot be read: ${reason}`;
      expectRefusal(changes(name, api), line);
      if (name === 'device') return;
      expectRefusal(changes('main.json', api), `main.json:1: $ref "${name}" points to nothing: ${line}`);
    });
  });

  const LIMIT = 'too large: the files of one run may have 64000000 bytes together';

  it('of more than 64 MB is refused', () => {
    inFolder({ ...filesWith('b.json'), 'api/b.json': '' }, (folder) => {
      const api = join(folder, 'api');
      truncateSync(join(api, 'b.json'), 64_000_001);
      expectRefusal(changes('b.json', api), `b.json: ${LIMIT}`);
      const line = `main.json:1: $ref "b.json" can't be followed: b.json: ${LIMIT}`;
      expectRefusal(changes('main.json', api), line);
    });
  });

  it('is refused when all files together have more than 64 MB, those of a revision included', () => {
    const half = `{}${' '.repeat(32_000_000)}`;
    const files = {
      'a.json': withSchema({ allOf: [{ $ref: 'b.json' }, { $ref: 'c.json' }] }),
      'b.json': half,
    };
    inFolder({ ...files, 'c.json': half }, (folder) => {
      const line = `a.json:1: $ref "c.json" can't be followed: c.json: ${LIMIT}`;
      expectRefusal(changes('a.json', folder), line);
    });
    inFolder({ 'a.json': withSchema({ $ref: 'b.json' }), 'b.json': half }, (folder) => {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
      git('init', '-q');
      git('add', '.');
      git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'a');
      const line = `a.json:1: $ref "b.json" can't be followed: b.json: ${LIMIT}`;
      expectRefusal(runCli(['changes', '--base', 'HEAD', '--document', 'a.json'], folder), line);
    });
  });
});
