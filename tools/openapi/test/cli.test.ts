import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CLI, type Ended, inFolder, run, runCli, WORKSPACE } from './run-cli.js';

describe('a command line that is wrong is told with the usage', () => {
  test.each<{ args: string[]; want: string; usage?: string }>([
    { args: [], want: 'Usage: openapi [options] [command]', usage: 'Commands:' },
    { args: ['x'], want: "openapi: unknown command 'x'", usage: 'openapi --help' },
    { args: ['diff', '--x'], want: "openapi: unknown option '--x'" },
    {
      args: ['review', '--format', 'gihub'],
      want: "openapi: option '--format <format>' argument 'gihub' is invalid. Allowed choices are markdown, github.",
    },
    { args: ['review', 'main'], want: "openapi: too many arguments for 'review'" },
    { args: ['html'], want: "openapi: required option '--output <file>' not specified" },
    { args: ['answer', '--value'], want: "openapi: option '--value <value>' argument missing" },
    {
      args: ['answer', '--value', '--who', 'A'],
      want: "openapi: option '--value <value>' argument '--who' is invalid. A value is missing.",
    },
    {
      args: ['answer', '--who', ' '],
      want: "openapi: option '--who <text>' argument ' ' is invalid. It is empty.",
    },
    {
      args: ['answer', '--who', 'A', '--who', 'B'],
      want: "openapi: option '--who <text>' is given twice.",
    },
    {
      args: ['review', '--format', 'github', '--format', 'markdown'],
      want: "openapi: option '--format <format>' is given twice.",
    },
    {
      args: ['review', '--base', 'main', '--base', 'HEAD'],
      want: "openapi: option '--base <revision>' is given twice.",
    },
    {
      args: ['answer', '--value', 'PUT', '--words', 'PUT'],
      want: "openapi: option '--words <text>' cannot be used with option '--value <value>'",
    },
    {
      args: ['answer', '--remove', '--words', 'PUT'],
      want: "openapi: option '--remove' cannot be used with option '--words <text>'",
    },
  ])('$args', ({ args, want, usage = 'Usage: ' }) => {
    const { code, out, err } = runCli(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(want);
    expect(err).toContain(usage);
  });
});

test('a command that cannot run says why in one line', () => {
  expect(runCli(['review', '--base', 'no\u001bsuch'])).toEqual({
    code: 2,
    out: '',
    err: 'openapi: git knows no revision "no\\u001bsuch". Fetch it, or name another with --base\n',
  });
});

test('html makes the folders of its file, and says why it cannot write one', () => {
  inFolder({ file: 'arbitrary' }, (folder) => {
    const htmlTo = (path: string): Ended => runCli(['html', '--output', join(folder, path)]);
    expect(htmlTo('new/folders/page.html')).toEqual({ code: 0, out: '', err: '' });
    expect(htmlTo('new').err).toMatch(
      /^openapi: .*new: cannot be written: illegal operation on a directory\n$/,
    );
    expect(htmlTo('file/page').err).toMatch(
      /^openapi: .*file\/page: cannot be written: (?:not a directory|file already exists)\n$/,
    );
  });
});

test('answer says how it is run, if it runs from what was built', () => {
  expect(runCli(['answer', '--question', 'http-method', '--value', 'PUT'])).toEqual({
    code: 2,
    out: '',
    err: 'openapi: answers are entered from the sources. Run: npm run answer -- --help\n',
  });
});

test.each(['diff', 'answer', 'pages', 'html', 'review'])('openapi %s --help', (command) => {
  const { code, out } = runCli([command, '--help']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Usage: .*\bExit: 0 .*$/s);
});

describe('openapi diff', () => {
  const EVERYTHING_OPEN = join(WORKSPACE, 'libs/test-support/everything-open.mjs');
  const builtContract = (name: string) =>
    pathToFileURL(join(WORKSPACE, `libs/contract/dist/${name === 'answers' ? name : 'still-accepted'}.js`))
      .href;

  /** Runs it as if answers.ts and still-accepted.ts stated this. */
  function diffWith(sources: Readonly<Record<string, object>>) {
    const program = Object.entries(sources).map(
      ([name, stated]) =>
        `import { ${name} } from ${JSON.stringify(builtContract(name))};\nObject.assign(${name}, ${JSON.stringify(stated)});`,
    );
    const preload = `data:text/javascript,${encodeURIComponent(program.join('\n'))}`;
    return run(['--import', EVERYTHING_OPEN, '--import', preload, CLI, 'diff']);
  }
  const accepted = {
    also: ['PUT'],
    until: '2000-01-31',
    decidedBy: 'Ada Grower',
    reason: 'Two senders PUT.',
  };

  test('fails for an answer that cannot be carried out', () => {
    expect(diffWith({ answers: { 'http-method': 'GET' } })).toMatchObject({
      code: 1,
      err: expect.stringContaining('libs/contract/src/answers.ts: http-method: ') as string,
    });
  });

  test('fails if the time of what is accepted beside an answer is over', () => {
    expect(
      diffWith({ answers: { 'http-method': 'POST' }, stillAccepted: { 'http-method': accepted } }),
    ).toMatchObject({
      code: 1,
      err: expect.stringContaining('still-accepted.ts: http-method: until 2000-01-31 is over') as string,
    });
  });
});
