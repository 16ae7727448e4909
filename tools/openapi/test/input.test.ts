import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentOf, withSchema } from './documents.js';
import { CLI, type Ended, inFolder, runCli } from './run-cli.js';

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

describe('a small file that means a lot', () => {
  const HEAD = 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n';

  /** Lists, each of which repeats the one before nine times: 9 to the power of 9 values in 300 bytes. */
  const lists = (prefix: string) =>
    Array.from({ length: 9 }, (_, index) => {
      const items = Array(9).fill(index === 0 ? 'x' : `*a${index - 1}`);
      return `${prefix}${index}: &a${index} [${items.join()}]\n`;
    }).join('');

  const REPEATED = 'not YAML: aliases repeat more than 100000 values';

  it('by aliases of aliases is refused by every command, at the alias', () => {
    const bomb = HEAD + lists('x-');
    const overlay = `overlay: 1.0.0\nactions:\n  - target: $\n    update:\n${lists('      x-')}`;
    inFolder({ 'a.yaml': bomb, 'b.yaml': HEAD, 'o.yaml': overlay }, (folder) => {
      const sides = ['--baseline', 'b.yaml', '--document'];
      for (const args of [
        ['validate', 'a.yaml'],
        ['changes', 'b.yaml', 'a.yaml'],
        ['diff', ...sides, 'a.yaml'],
        ['ledger', ...sides, 'a.yaml', '--output', 'page.md'],
        ['api', '--document', 'a.yaml', '--output', 'page.md'],
      ])
        expectRefusal(runCli(args, folder), `a.yaml:9: ${REPEATED}`);
      const withOverlay = runCli(['diff', ...sides, 'b.yaml', '--overlay', 'o.yaml'], folder);
      expectRefusal(withOverlay, `o.yaml:10: ${REPEATED}`);
    });
  });

  it('by brackets that never close is refused', () => {
    inFolder({ 'a.yaml': `${HEAD}x-a: ${'['.repeat(5_000_000)}` }, (folder) => {
      const line = 'a.yaml:4: not YAML: nested more than 500 levels deep';
      expectRefusal(runCli(['validate', 'a.yaml'], folder), line);
    });
  });

  it('by more than two million values is refused', () => {
    inFolder({ 'a.json': documentOf({ 'x-a': Array(2_000_000).fill(0) }) }, (folder) => {
      const line = 'a.json:1: too large: the files of one run may have 2000000 values together';
      expectRefusal(runCli(['validate', 'a.json'], folder), line);
    });
  });

  it('by more than 300,000 facts that differ is refused', () => {
    const files = { 'a.json': documentOf({}), 'b.json': documentOf({ 'x-a': Array(300_001).fill(0) }) };
    inFolder(files, (folder) => {
      const args = ['diff', '--baseline', 'a.json', '--document', 'b.json'];
      const line = 'b.json:1: too much to list: more than 300000 facts differ';
      expectRefusal(runCli(args, folder), line);
    });
  });

  /** So many schemas, each with as many properties of the next one. The last has a type. */
  const nested = (size: number, properties: readonly string[], type: string) => {
    const schemas = Array.from({ length: size }, (_, index) => {
      const next = { $ref: `#/components/schemas/A${index + 1}` };
      return [`A${index}`, { properties: Object.fromEntries(properties.map((name) => [name, next])) }];
    });
    const all = Object.fromEntries([...schemas, [`A${size}`, { type }]]) as object;
    return withSchema({ $ref: '#/components/schemas/A0' }, all);
  };

  it('by references to references is compared, each pair of schemas once', () => {
    const properties = 'abcdefghi'.split('');
    const files = { 'a.json': nested(30, properties, 'string'), 'b.json': nested(30, properties, 'number') };
    inFolder(files, (folder) => {
      expect(runCli(['validate', 'a.json'], folder)).toMatchObject({ code: 0, err: '' });
      expect(runCli(['changes', 'a.json', 'b.json'], folder)).toMatchObject({ code: 1, err: '' });
      const gate = runCli(['diff', '--baseline', 'a.json', '--document', 'b.json'], folder);
      expect(gate).toMatchObject({ code: 1, err: '' });
    });
  });

  it('by schemas in schemas, 2500 deep, is compared', () => {
    const files = {
      'a.json': nested(2500, ['a', 'b'], 'string'),
      'b.json': nested(2500, ['a', 'b'], 'number'),
    };
    inFolder(files, (folder) => {
      expect(runCli(['changes', 'a.json', 'b.json'], folder)).toMatchObject({ code: 1, err: '' });
    });
  });

  it('by many long places is refused', () => {
    const names = ['a', 'b', 'c'].map((name) => name.repeat(6000));
    inFolder({ 'a.json': nested(10, names, 'string') }, (folder) => {
      const line =
        'a.json:1: too much to list: the places of facts that are stated have more than 50000000 characters';
      const args = ['--baseline', 'a.json', '--document', 'a.json', '--output', 'page.md'];
      expectRefusal(runCli(['ledger', ...args], folder), line);
    });
  });

  it('by a long chain of references is compared, each reference once', () => {
    const chain = (type: string) => {
      const schemas = Array.from({ length: 20_000 }, (_, index) => [
        `A${index}`,
        { $ref: `#/components/schemas/A${index + 1}` },
      ]);
      const all = Object.fromEntries([...schemas, ['A20000', { type }]]) as object;
      return withSchema({ $ref: '#/components/schemas/A0' }, all);
    };
    inFolder({ 'a.json': chain('string'), 'b.json': chain('number') }, (folder) => {
      expect(runCli(['changes', 'a.json', 'b.json'], folder)).toMatchObject({ code: 1, err: '' });
    });
  });

  it('by 150,000 keys, or by lists of 100,000 different values, is compared', () => {
    const keys = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`x-${index}`, 0]));
    const list = (value: number) => documentOf({ 'x-a': Array(100_000).fill(value) });
    const files = { 'a.json': documentOf(keys), 'b.json': list(0), 'c.json': list(1) };
    inFolder(files, (folder) => {
      expect(changes('a.json', folder)).toMatchObject({ code: 0, err: '' });
      expect(runCli(['changes', 'b.json', 'c.json'], folder)).toMatchObject({ code: 0, err: '' });
    });
  });
});

describe('a closed pipe', () => {
  it('ends the command quietly, with its own exit code', () => {
    const names = Array.from({ length: 2000 }, (_, index) => [`hook${index}`, { post: {} }]);
    const files = { 'a.json': documentOf({ webhooks: Object.fromEntries(names) }), 'b.json': documentOf({}) };
    inFolder(files, (folder) => {
      // More than a pipe holds, so that the command writes after `head` has ended.
      expect(runCli(['changes', 'a.json', 'b.json'], folder).out.length).toBeGreaterThan(100_000);
      const script = 'set -o pipefail; "$@" | head -1';
      const args = [process.execPath, CLI, 'changes', 'a.json', 'b.json'];
      const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...args], { cwd: folder });
      const firstLine = expect.stringMatching(/^.*hook0.*\n$/) as string;
      const got = { code: status, out: stdout.toString(), err: stderr.toString() };
      expect(got).toEqual({ code: 1, out: firstLine, err: '' });
    });
  });
});

describe('a name with marks of a table, a terminal or a page', () => {
  const HOSTILE = 'a\n| b |\r\n\t<script>x</script> `c` \\| \u001b[31m\u202e ::error::d';

  /** Two documents that differ in a webhook and a property of this name. */
  const files = (name: string) => ({
    'a.json': withSchema({ properties: { [name]: { type: 'string', [name]: [name] } } }),
    'b.json': withSchema({ properties: { [name]: { type: 'number' } } }, undefined, {
      'x-a': { [name]: name },
    }),
  });

  const outputs = (name: string) =>
    inFolder(files(name), (folder) => {
      const sides = ['--baseline', 'a.json', '--document', 'b.json'];
      expect(runCli(['ledger', ...sides, '--output', 'page.md'], folder)).toMatchObject({ err: '' });
      const printed = ['text', 'markdown', 'github'].flatMap((format) => [
        { format, text: runCli(['changes', 'a.json', 'b.json', '--format', format], folder).out },
        { format, text: runCli(['diff', ...sides, '--format', format], folder).out },
      ]);
      return [...printed, { format: 'markdown', text: readFileSync(join(folder, 'page.md'), 'utf8') }];
    });

  it('adds no line, no cell and no control character', () => {
    const plain = outputs('plain');
    for (const [index, { format, text }] of outputs(HOSTILE).entries()) {
      const isTable = format === 'markdown';
      const shape = (lines = '') =>
        lines.split('\n').map((line) => (isTable ? line.split(/(?<!\\)(?:\\\\)*\|/).length : 1));
      expect(shape(text)).toEqual(shape(plain[index]?.text));
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
  });
});
