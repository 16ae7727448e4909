import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answers, plainAnswers } from '@plant-store/contract';
import { action, overlayOf, withHook } from './documents.js';
import { CLI, inFolder, run, runCli, WORKSPACE } from './run-cli.js';

const BASELINE = `# The facts
openapi: 3.1.0 # §9
info: { title: T, version: "1" }
webhooks:
  /hook:
    summary: Hook # §4
`;
const METHOD = action(
  "$.webhooks['/hook']",
  { post: {} },
  { 'x-question': 'http-method', 'x-answer': 'POST' },
);
const FILES = {
  'b.yaml': BASELINE,
  'libs/contract/src/answers.ts': "export const answers = {\n  'http-method': 'POST',\n};\n",
};

const diff = (document: string, args: readonly string[] = [], files: Record<string, string | Buffer> = {}) =>
  inFolder({ ...FILES, 'd.json': document, ...files }, (folder) =>
    runCli(['diff', '--baseline', 'b.yaml', '--document', 'd.json', '--overlay', 'o.yaml', ...args], folder),
  );

describe('openapi diff', () => {
  test('prints nothing but the counts when the document is what the baseline states', () => {
    expect(diff(withHook({}))).toEqual({
      code: 0,
      out: '4 specified, 0 missing, 0 contradicted, 0 invented, 0 answered\n',
      err: '',
    });
  });

  test('prints each finding with its place and what to do', () => {
    expect(diff(withHook({ summary: 'Other', post: {} }))).toEqual({
      code: 1,
      err: '',
      out: `contradicted: webhooks › /hook › summary   /webhooks/~1hook/summary
  specification  "Hook"   b.yaml:6 (§4)
  document       "Other"   d.json:1
  to do          The document must show "Hook". Change it in libs/contract/src/facts.ts or apps/webhook/src/openapi/new-plant.decorators.ts, then run: npx nx run webhook:openapi
                 If the specification changed, change b.yaml:6 and the section beside it.

invented: webhooks › /hook › post   /webhooks/~1hook/post
  document       {}   d.json:1
  to do          Nothing states it. Remove it from libs/contract/src/facts.ts or apps/webhook/src/openapi/new-plant.decorators.ts, then run: npx nx run webhook:openapi
                 If it was answered, enter the answer: npm run answer

3 specified, 0 missing, 1 contradicted, 1 invented, 0 answered
`,
    });
  });

  test('lists what is answered, with who, when and why', () => {
    const { code, out } = diff(withHook({ post: {} }), [], { 'o.yaml': overlayOf(METHOD) });
    expect(code).toBe(0);
    expect(out).toContain('answered: webhooks › /hook › post');
    expect(out).toContain('question http-method, answered by A. Person on 2026-01-31: Minutes (o.yaml:1)');
  });

  test('prints the whole action that the overlay lacks, and nothing that follows from it', () => {
    const files = {
      'a.json': JSON.stringify({ 'http-method': 'POST' }),
      'without/http-method.json': withHook({}),
    };
    const { code, out } = diff(
      withHook({ post: {} }),
      ['--answers', 'a.json', '--without', 'without'],
      files,
    );
    expect(code).toBe(1);
    expect(out).toBe(`missing answer: http-method, not in the overlay
  code           "POST"   libs/contract/src/answers.ts:2
  to do          Sign it: npm run answer -- --question http-method --who "…" --reason "…"
                 Or add to o.yaml, with who answered, when and why:

  - target: $.webhooks['/hook']
    update:
      post: {}
    x-question: http-method
    x-answer: POST
    x-answered-by: <who answered>
    x-date: <when, as 2026-01-31>
    x-reason: <why, or where to read it>

4 specified, 0 missing, 0 contradicted, 1 invented, 0 answered, 1 unmatched
`);
  });

  test('prints the line that the code lacks', () => {
    const { code, out } = diff(withHook({ post: {} }), ['--answers', 'a.json'], {
      'a.json': JSON.stringify({}),
      'o.yaml': overlayOf(METHOD),
    });
    expect(code).toBe(1);
    expect(out).toContain('missing answer: http-method, not in the code\n');
    expect(out).toContain("\n  'http-method': 'POST',\n");
  });
});

describe('openapi cannot run', () => {
  test.each<{ name: string; args?: string[]; files: Record<string, string>; want: string }>([
    { name: 'with no YAML', files: { 'b.yaml': 'a: [' }, want: 'b.yaml:1: ' },
    {
      name: 'with OpenAPI 3.0',
      files: { 'd.json': '{"openapi":"3.0.3"}' },
      want: 'd.json: not an OpenAPI 3.1 document',
    },
    {
      name: 'with an overlay of another kind',
      files: { 'o.yaml': 'a: 1' },
      want: 'o.yaml:1: not an OpenAPI Overlay 1.0.0',
    },
    { name: 'with an unknown option', args: ['--x'], files: {}, want: "Unknown option '--x'" },
  ])('$name', ({ args = [], files, want }) => {
    const { code, out, err } = diff(withHook({}), args, files);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`openapi: ${want}`);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([
    [[], 'Usage: openapi COMMAND'],
    [['x'], 'openapi: unknown command "x"; see openapi --help'],
    [['diff'], 'openapi: --baseline is missing; see openapi diff --help'],
    [
      ['diff', '--baseline', 'no-such-file', '--document', 'd'],
      'openapi: no-such-file: cannot be read (ENOENT)',
    ],
  ])('%j', (args, want) => {
    const { code, err } = runCli(args);
    expect(code).toBe(2);
    expect(err).toContain(want);
  });
});

test.each(['diff', 'answers', 'answer', 'pages', 'html', 'review'])('openapi %s --help', (command) => {
  const { code, out } = runCli([command, '--help']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Usage: /);
});

test('openapi answers writes what diff reads', () => {
  inFolder({}, (folder) => {
    expect(runCli(['answers', '--output', join(folder, 'a.json')]).code).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toEqual(plainAnswers(answers));
  });
});

describe('openapi answers', () => {
  const EVERYTHING_OPEN = join(WORKSPACE, 'libs/test-support/everything-open.mjs');
  const builtContract = (name: string) =>
    pathToFileURL(join(WORKSPACE, `libs/contract/dist/${name}.js`)).href;

  /** Runs it as if answers.ts and accepts.ts stated this. */
  function answersWith(sources: Readonly<Record<string, object>>) {
    const program = Object.entries(sources).map(
      ([name, stated]) =>
        `import { ${name} } from ${JSON.stringify(builtContract(name))};\nObject.assign(${name}, ${JSON.stringify(stated)});`,
    );
    const preload = `data:text/javascript,${encodeURIComponent(program.join('\n'))}`;
    return run(['--import', EVERYTHING_OPEN, '--import', preload, CLI, 'answers']);
  }
  const accepted = {
    also: ['PUT'],
    until: '2000-01-31',
    decidedBy: 'Ada Grower',
    reason: 'Two senders PUT.',
  };

  test('fails for an answer that cannot be carried out', () => {
    const { code, err } = answersWith({ answers: { 'http-method': 'GET' } });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('libs/contract/src/answers.ts: http-method: ') as string,
    });
  });

  test('fails if the time of what is accepted beside an answer is over', () => {
    const { code, err } = answersWith({
      answers: { 'http-method': 'POST' },
      accepts: { 'http-method': accepted },
    });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('accepts.ts: http-method: until 2000-01-31 is over') as string,
    });
  });
});
