import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { documentOf, withSchema } from './documents.js';
import { CLI, inFolder, run, runCli } from './run-cli.js';

const BASELINE = `# The facts
openapi: 3.1.0 # §9
info: { title: T, version: "1" }
webhooks:
  /hook:
    summary: Hook # §4
`;
const HOOK = { webhooks: { '/hook': { summary: 'Hook' } } };
const SOURCES = JSON.stringify({ '': 'app.ts', '/webhooks': { file: 'hook.ts', near: '@Hook' } });
const OVERLAY = stringify({
  overlay: '1.0.0',
  info: { title: 'Answers', version: '1' },
  actions: [
    {
      target: "$.webhooks['/hook']",
      update: { description: 'D' },
      'x-question': 'q-1',
      'x-answered-by': 'A. Person',
      'x-date': '2026-01-31',
      'x-reason': 'Minutes',
    },
  ],
});

const OPTIONS = [
  '--baseline',
  'b.yaml',
  '--document',
  'd.json',
  '--overlay',
  'o.yaml',
  '--sources',
  's.json',
];

const diff = (document: object, args: readonly string[] = [], files: Record<string, string> = {}) =>
  inFolder(
    {
      'b.yaml': BASELINE,
      'd.json': documentOf(document),
      's.json': SOURCES,
      'app.ts': '',
      'hook.ts': '\n@Hook()',
      ...files,
    },
    (folder) => runCli(['diff', ...OPTIONS, '--fix-with', 'make document', ...args], folder),
  );

describe('openapi diff', () => {
  it('prints nothing but the counts when the document is what the baseline states', () => {
    expect(diff(HOOK)).toEqual({
      code: 0,
      out: '4 specified, 0 missing, 0 contradicted, 0 invented, 0 answered\n',
      err: '',
    });
  });

  it('prints each finding with its place and what to do', () => {
    const { code, out } = diff({ webhooks: { '/hook': { summary: 'Other', post: {} } } });
    expect(code).toBe(1);
    expect(out).toBe(`contradicted: webhooks › /hook › summary   /webhooks/~1hook/summary
  specification  "Hook"   b.yaml:6 (§4)
  document       "Other"   d.json:1
  comes from     hook.ts:2
  to do          The document must show "Hook". Change it in hook.ts:2, then run: make document
                 If the specification changed, change b.yaml:6 and the section beside it.

invented: webhooks › /hook › post   /webhooks/~1hook/post
  document       {}   d.json:1
  comes from     hook.ts:2
  to do          Nothing states it. Remove it from hook.ts:2, then run: make document
                 If it was answered, add an action to o.yaml.

3 specified, 0 missing, 1 contradicted, 1 invented, 0 answered
`);
  });

  it('always lists what is answered, with its question', () => {
    const answered = { webhooks: { '/hook': { summary: 'Hook', description: 'D' } } };
    const { code, out } = diff(answered, [], { 'o.yaml': OVERLAY });
    expect(code).toBe(0);
    expect(out).toContain('answered: webhooks › /hook › description');
    expect(out).toContain('question q-1, answered by A. Person on 2026-01-31: Minutes (o.yaml:6)');
    expect(out).toMatch(/\n4 specified, 0 missing, 0 contradicted, 0 invented, 1 answered\n$/);
  });

  it('fails for an answer that the document does not show', () => {
    const { code, out } = diff(HOOK, [], { 'o.yaml': OVERLAY });
    expect(code).toBe(1);
    expect(out).toMatch(/\n4 specified, 0 missing, 0 contradicted, 0 invented, 0 answered, 1 stale\n$/);
  });

  it('prints annotations for GitHub, and nothing without a finding', () => {
    expect(diff(HOOK, ['--format', 'github'])).toEqual({ code: 0, out: '', err: '' });
    const { code, out } = diff({}, ['--format', 'github']);
    expect(code).toBe(1);
    expect(out).toContain('::error file=hook.ts,line=2,title=missing%3A webhooks › /hook › summary::');
    expect(out).toContain('%0AThe document must show it. Add it in hook.ts:2, then run: make document%0A');
  });

  it('writes JSON and Markdown', () => {
    const { out } = diff({}, ['--format', 'json']);
    expect(JSON.parse(out)).toMatchObject({
      counts: { specified: 3, missing: 1 },
      findings: [
        {
          state: 'missing',
          pointer: '/webhooks/~1hook/summary',
          specification: { value: '"Hook"', file: 'b.yaml', line: 6, section: '§4' },
          producer: { file: 'hook.ts', line: 2 },
        },
      ],
    });
    expect(diff({ ...HOOK, 'x-a': 'a|`b`' }, ['--format', 'markdown']).out).toContain(
      '| document: `` "a\\|`b`" `` d.json:1<br>',
    );
  });
});

describe('openapi diff cannot run', () => {
  it.each<{ name: string; args?: string[]; files: Record<string, string>; want: string }>([
    { name: 'without a document', files: { 'd.json': '' }, want: 'd.json:1: not JSON: value expected' },
    { name: 'with no YAML', files: { 'b.yaml': 'a: [' }, want: 'b.yaml:1: not YAML: ' },
    {
      name: 'with OpenAPI 3.0',
      files: { 'd.json': '{"openapi":"3.0.3"}' },
      want: 'd.json: not an OpenAPI 3.1 document: it declares OpenAPI 3.0.3',
    },
    {
      name: 'with a duplicate key',
      files: { 'b.yaml': `${BASELINE}info: {}\n` },
      want: 'b.yaml:7: duplicate key "info", first on line 3',
    },
    {
      name: 'with a reference to nothing',
      files: { 'd.json': documentOf({ paths: { '/a': { $ref: '#/b' } } }) },
      want: 'd.json:1: $ref "#/b" points to nothing',
    },
    {
      name: 'with an overlay of another kind',
      files: { 'o.yaml': 'a: 1' },
      want: 'o.yaml:1: not an OpenAPI Overlay 1.0.0',
    },
    {
      name: 'with a missing file in the sources',
      files: { 's.json': '{"": "gone.ts"}' },
      want: 's.json:1: gone.ts: cannot be read: there is no such file',
    },
    {
      name: 'with a missing text in the sources',
      files: { 'hook.ts': '' },
      want: 's.json:1: hook.ts does not contain `@Hook`',
    },
    {
      name: 'with an unknown format',
      args: ['--format', 'xml'],
      files: {},
      want: '--format is "xml", not one of text, json, markdown, github; see openapi diff --help',
    },
    { name: 'with an unknown option', args: ['--x'], files: {}, want: "Unknown option '--x'" },
    {
      name: 'with an argument too many',
      args: ['x'],
      files: {},
      want: 'unexpected argument "x"; see openapi diff --help',
    },
  ])('$name', ({ args = [], files, want }) => {
    const { code, out, err } = diff(HOOK, args, files);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`openapi: ${want}`);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    { name: 'without a command', args: [], want: 'Usage: openapi COMMAND' },
    {
      name: 'with an unknown command',
      args: ['x'],
      want: 'openapi: unknown command "x"; see openapi --help',
    },
    {
      name: 'without files',
      args: ['diff'],
      want: 'openapi: --baseline is missing; see openapi diff --help',
    },
    {
      name: 'with a folder for a file',
      args: ['validate', '.'],
      want: 'openapi: .: cannot be read: it is a directory',
    },
    {
      name: 'without a file',
      args: ['validate'],
      want: 'openapi: FILE is missing; see openapi validate --help',
    },
  ])('$name', ({ args, want }) => {
    const { code, err } = runCli(args);
    expect(code).toBe(2);
    expect(err).toContain(want);
  });

  it('with a file that is not UTF-8', () => {
    const ended = inFolder({ 'a.yaml': Buffer.from([0x61, 0xff]) }, (folder) =>
      runCli(['validate', 'a.yaml'], folder),
    );
    expect(ended).toEqual({ code: 2, out: '', err: 'openapi: a.yaml: not UTF-8 text\n' });
  });
});

it('an internal error has one line that says so, and its stack', () => {
  // Only the text of the answers is indented: a schema in answers.ts must not break before.
  const breakIndented = `const { stringify } = JSON;
    JSON.stringify = (value, replacer, indent) => {
      if (indent) throw new TypeError('broken');
      return stringify(value, replacer);
    };`;
  const broken = `data:text/javascript,${encodeURIComponent(breakIndented)}`;
  const { code, out, err } = run(['--import', broken, CLI, 'answers']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  const [first, ...stack] = err.split('\n');
  expect(first).toBe('openapi: internal error, please report it: broken');
  expect(stack.join('\n')).toMatch(/^TypeError: broken\n {4}at .*\n[^]*at writeAnswers/);
});

describe('openapi --help', () => {
  it.each([[], ['diff'], ['ledger'], ['changes'], ['validate'], ['open-questions'], ['api'], ['answers']])(
    'shows the options of %s',
    (...command) => {
      const { code, out } = runCli([...command, '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: openapi ${command[0] ?? 'COMMAND'}`);
    },
  );
});

describe('openapi validate', () => {
  const validate = (document: string) =>
    inFolder({ 'd.json': document }, (folder) => runCli(['validate', 'd.json'], folder));

  it('accepts a webhook without operations, and a property that is called $id', () => {
    const schemas = { A: { properties: { $id: { type: 'string' } } }, B: { properties: { $id: {} } } };
    expect(validate(documentOf({ ...HOOK, components: { schemas } }))).toMatchObject({
      code: 0,
      out: 'd.json: valid OpenAPI 3.1\n',
    });
  });

  it.each([
    {
      name: 'no responses where there must be some',
      given: { webhooks: { a: { post: { responses: {} } } } },
      want: 'd.json:1: webhooks › a › post › responses needs at least one response, such as `200` or `default`\n',
    },
    {
      name: 'a field that OpenAPI does not know',
      given: { paths: {}, sumary: 's' },
      want: 'd.json:1: sumary is no field of the document\n',
    },
    {
      name: 'none of paths, components and webhooks',
      given: {},
      want: 'd.json:1: (the whole document) needs `paths`, `components` or `webhooks`\n',
    },
  ])('finds $name', ({ given, want }) => {
    const { code, out } = validate(documentOf(given));
    expect(code).toBe(1);
    expect(out).toContain(want);
  });
});

describe('openapi changes', () => {
  const OLD = documentOf(HOOK);
  const NEW = documentOf({ webhooks: { '/hook': { summary: 'Hook', post: { security: [] } }, other: {} } });
  const changes = (after: string, args: readonly string[] = []) =>
    inFolder({ 'a.json': OLD, 'b.json': after }, (folder) =>
      runCli(['changes', 'a.json', 'b.json', ...args], folder),
    );

  it('prints for each change whom it breaks', () => {
    const added = documentOf({ webhooks: { '/hook': { summary: 'Other' }, other: { put: {} } } });
    expect(changes(added)).toEqual({
      code: 1,
      out: `breaking: webhook added: webhooks › other   /webhooks/other
  rule           webhook-added
  for a receiver breaking
  for a sender   not breaking
  after          { "put": {} }   b.json:1

not breaking: summary changed: webhooks › /hook › summary   /webhooks/~1hook/summary
  rule           summary-changed
  for a receiver not breaking
  for a sender   not breaking
  before         "Hook"   a.json:1
  after          "Other"   b.json:1

1 breaking, 0 unproven, 0 unclassified, 0 additive, 1 not breaking
`,
      err: '',
    });
  });

  it('shows what breaks a party: in short for people, whole for programs', () => {
    const document = (properties: object) =>
      withSchema({ type: 'object', properties, required: ['id', 'plan'], additionalProperties: false });
    const before = document({ id: { type: 'integer' }, plan: { enum: ['free'] } });
    const after = document({ id: { type: 'integer' }, plan: { enum: ['free', 'paid'] } });
    inFolder({ 'a.json': before, 'b.json': after }, (folder) => {
      const run = (format: string) => runCli(['changes', 'a.json', 'b.json', '--format', format], folder);
      expect(run('text')).toMatchObject({
        code: 1,
        out: expect.stringContaining(
          '\n  witness        "paid"   at /plan breaks a receiver: must be equal to one of the allowed values\n',
        ),
      });
      expect(run('markdown').out).toContain('| breaking: `"paid"` at /plan | not breaking |');
      expect(JSON.parse(run('json').out)).toMatchObject({
        changes: [{ witnesses: { receiver: { value: { id: 0, plan: 'paid' }, at: '/plan', schema: '' } } }],
      });
    });
  });

  it('exits with 0 if what the rules call breaking is unproven', () => {
    const given = (maximum: number) => withSchema({ type: 'integer', maximum, exclusiveMaximum: 3 });
    inFolder({ 'a.json': given(10), 'b.json': given(5) }, (folder) => {
      expect(runCli(['changes', 'a.json', 'b.json'], folder)).toMatchObject({
        code: 0,
        out: expect.stringContaining('0 breaking, 1 unproven,'),
      });
    });
  });

  it('lists the kinds of change with --rules', () => {
    const { code, out } = runCli(['changes', '--rules']);
    expect(code).toBe(0);
    expect(out).toMatch(/^request-header-required-removed +required parameter removed; breaks: everybody$/m);
  });

  it('says how many places of a change are not listed', () => {
    const given = (type: string) => {
      const content = { 'a/b': { schema: { $ref: '#/components/schemas/A' } } };
      const names = Array.from({ length: 1000 }, (_, index) => [
        `w${index}`,
        { post: { requestBody: { content } } },
      ]);
      return documentOf({
        webhooks: Object.fromEntries(names) as object,
        components: { schemas: { A: { type } } },
      });
    };
    inFolder({ 'a.json': given('string'), 'b.json': given('null') }, (folder) => {
      const run = (format: string) => runCli(['changes', 'a.json', 'b.json', '--format', format], folder).out;
      expect(run('text')).toContain(`schema/type\n${' '.repeat(17)}and 990 more places\n`);
      expect(run('markdown')).toContain('schema/type`<br>and 990 more places |');
      expect(JSON.parse(run('json'))).toMatchObject({ changes: [{ more: 990 }] });
    });
  });

  it('exits with 0 when no change breaks the party of --for', () => {
    expect(
      changes(documentOf({ webhooks: { '/hook': { summary: 'b' }, other: {} } }), ['--for', 'sender']).code,
    ).toBe(0);
    expect(changes(NEW, ['--for', 'client'])).toMatchObject({ code: 0 });
  });

  it.each(['github', 'markdown'])('prints nothing as %s when nothing changed', (format) => {
    expect(changes(OLD, ['--format', format])).toEqual({ code: 0, out: '', err: '' });
  });

  it('prints annotations for GitHub, JSON and Markdown', () => {
    expect(changes(NEW, ['--format', 'github']).out).toContain(
      '::error file=b.json,line=1,title=breaking%3A webhook added%3A webhooks › other::rule: webhook-added%0Afor a receiver: breaking%0A',
    );
    expect(JSON.parse(changes(NEW, ['--format', 'json']).out)).toMatchObject({
      counts: { breaking: 1, unproven: 0, unclassified: 1, additive: 0, 'not breaking': 0 },
      changes: [{ verdicts: { receiver: 'breaking' }, after: { value: '{}', line: 1 } }, {}],
    });
    expect(changes(NEW, ['--format', 'markdown']).out).toContain(
      '| webhook added<br>`webhook-added`<br>webhooks › other<br>`/webhooks/other` | breaking | not breaking | nothing | `{}` |',
    );
  });

  it('reads the old revision from git, with what it references', () => {
    const given = (fields: object) => ({
      'd/a.json': documentOf({ webhooks: { '/hook': { $ref: './b.json' } } }),
      'd/b.json': JSON.stringify(fields),
    });
    inFolder(given({ summary: 'Old' }), (folder) => {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
      git('init', '-q');
      git('add', '.');
      git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'a');
      writeFileSync(join(folder, 'd/b.json'), '{"summary":"New"}');
      const since = (base: string) => runCli(['changes', '--base', base, '--document', 'd/a.json'], folder);
      expect(since('HEAD').out).toContain(
        'before         "Old"   HEAD:d/b.json:1\n  after          "New"   d/b.json:1',
      );
      expect(since('--x')).toMatchObject({ code: 2 });
      expect(since('gone')).toEqual({
        code: 2,
        out: '',
        err: 'openapi: git knows no revision "gone"; fetch it, or name another\n',
      });
    });
  });

  it.each([
    { name: 'no files', args: [], want: 'OLD is missing' },
    { name: 'a revision alone', args: ['--base', 'HEAD'], want: '--document is missing' },
    { name: 'a document alone', args: ['--document', 'a'], want: '--base is missing' },
    { name: 'an unknown party', args: ['a', 'b', '--for', 'x'], want: '--for is "x"' },
  ])('cannot run with $name', ({ args, want }) => {
    expect(runCli(['changes', ...args])).toMatchObject({ code: 2, err: expect.stringContaining(want) });
  });
});
