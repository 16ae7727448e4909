import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BY } from './built.js';
import { type Ended, inFolder, run, runCli, WORKSPACE } from './run-cli.js';

describe('a command line that is wrong is told with the usage', () => {
  test.each<{ args: string[]; want: string }>([
    { args: [], want: 'Usage: openapi [options] [command]' },
    { args: ['x'], want: "error: unknown command 'x'" },
    { args: ['diff', '--x'], want: "error: unknown option '--x'" },
    { args: ['review', 'main'], want: "error: too many arguments for 'review'" },
    { args: ['html'], want: "error: required option '--output <file>' not specified" },
  ])('$args', ({ args, want }) => {
    const { code, out, err } = runCli(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(want);
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
  });
});

describe('openapi diff', () => {
  const diffWith = (answers: object): Ended => runWith(['tools/openapi/src/cli.ts', 'diff'], answers);
  const writeDocumentWith = (answers: object): Ended =>
    runWith(['apps/webhook/src/openapi/write-document.ts', '--check'], answers);

  /** Runs a program from its source, as Nx does, and as if answers.ts stated this. */
  function runWith(args: readonly string[], answers: object): Ended {
    const source = pathToFileURL(join(WORKSPACE, 'libs/contract/src/answers.ts')).href;
    const program = `import { answers } from ${JSON.stringify(source)};
      for (const id of Object.keys(answers)) Reflect.deleteProperty(answers, id);
      Object.assign(answers, ${JSON.stringify(answers)});`;
    const options = [
      '--conditions=@plant-store/source',
      '--import=tsx',
      `--import=data:text/javascript,${encodeURIComponent(program)}`,
    ].join(' ');
    const tsconfig = join(WORKSPACE, 'apps/webhook/src/tsconfig.json');
    return run(args, WORKSPACE, { NODE_OPTIONS: options, TSX_TSCONFIG_PATH: tsconfig });
  }

  test('passes with an answer, and lists it', () => {
    expect(diffWith({ 'http-method': { is: 'PUT', ...BY } })).toEqual({
      code: 0,
      out: `answered: http-method, by Nobody on 2026-01-31: An example.
  webhooks › /plant/webhook › put: {}

11 specified, 0 missing, 0 contradicted, 0 invented, 1 answered
`,
      err: '',
    });
  });

  test('says every fault of answers that cannot be carried out', () => {
    const { code, err } = diffWith({
      'http-method': { is: 'GET', ...BY },
      'event-order': { is: 'None.', ...BY },
    });
    expect(code).toBe(1);
    expect(err).toContain(
      'libs/contract/src/answers.ts: http-method: must be "POST" | "PUT" | "PATCH" (got "GET")\n',
    );
    expect(err).toContain('event-order: can only be answered in words');
  });

  test('what writes the document, and so npm run generate, lists them too', () => {
    const { code, err } = writeDocumentWith({
      'http-method': { is: 'GET', ...BY },
      'event-identity': { is: { header: 'x-id' }, who: 'Nobody', on: '2026-02-30', why: 'An example.' },
      retry: { inWords: 'No.', who: 'Nobody', on: '9999-01-31', why: 'An example.' },
      payload: 'plant',
    });
    expect(code).toBe(1);
    expect(err).toBe(`libs/contract/src/answers.ts: http-method: must be "POST" | "PUT" | "PATCH" (got "GET")
libs/contract/src/answers.ts: event-identity: on must be a day such as 2026-01-31 (got "2026-02-30")
libs/contract/src/answers.ts: retry: on must be the day of the answer, not one to come (got "9999-01-31")
libs/contract/src/answers.ts: payload: must have the form: { is: …, who: '…', on: '2026-01-31', why: '…' }, or the same with inWords: '…' instead of is (got "plant")
`);
  });

  test('says contradictions between answers', () => {
    const { code, err } = diffWith({
      'event-identity': { is: { header: 'x-id' }, ...BY },
      'request-versioning': { is: { header: 'X-Id', value: '1' }, ...BY },
    });
    expect(code).toBe(1);
    expect(err).toContain(
      'libs/contract/src/answers.ts: request-versioning: cannot use the header X-Id, because event-identity uses it',
    );
  });
});
