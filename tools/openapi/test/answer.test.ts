import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { cloneWorkingTree, commitAll } from '@plant-store/test-support/clone';
import { askForRest, parseValue, type PartialRequest } from '../src/enter/options.js';
import { run, WORKSPACE } from './run-cli.js';

const CODE = 'libs/contract/src/answers.ts';
const OVERLAY = 'libs/contract/spec/answers.overlay.yaml';
const NO_ANSWERS = `import type { Answers } from './answer-types.js';

export const answers = {} as const satisfies Answers;
`;
const SIGNED = ['--who', 'A. Person', '--date', '2026-01-31', '--reason', 'Minutes'];

let clone: string;

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'answer-'));
  cloneWorkingTree(WORKSPACE, clone);
  writeFileSync(join(clone, CODE), NO_ANSWERS);
  rmSync(join(clone, OVERLAY), { force: true });
  commitAll(clone);
}, 120_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** `npm run answer` in the clone. */
function answer(...args: readonly string[]) {
  return openapi('answer', ...args);
}

/** `npm run openapi` in the clone, without the time that npm takes. */
function openapi(...args: readonly string[]) {
  const { scripts } = JSON.parse(read('package.json')!) as { scripts: { openapi: string } };
  const [, ...program] = scripts.openapi.split(' ');
  return run([...program, ...args], clone);
}

const read = (file: string) =>
  existsSync(join(clone, file)) ? readFileSync(join(clone, file), 'utf8') : undefined;

describe('npm run answer', () => {
  test('enters both sides, the document and the pages, and says what changed', () => {
    const { code, out } = answer('--question', 'http-method', '--value', 'PUT', ...SIGNED);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('HTTP method (http-method): PUT\n') as string,
    });
    for (const file of [
      CODE,
      OVERLAY,
      'apps/webhook/openapi.json',
      'OPEN_QUESTIONS.md',
      'docs/reference/api.md',
      'docs/reference/contract-diff.md',
    ])
      expect(out).toMatch(new RegExp(`^${file} +changed$`, 'm'));
    expect(read(CODE)).toContain("'http-method': 'PUT'");
    expect(read(OVERLAY)).toContain(
      '    x-question: http-method\n    x-answer: PUT\n    x-answered-by: A. Person\n',
    );
    expect(read('OPEN_QUESTIONS.md')).toContain('`http-method` · answered: PUT');
    expect(out).toContain('npm run review');
  });

  test('signs an answer that the code has, without a value', () => {
    const line = "  'receiver-response': { status: 200, description: 'Taken.' },\n";
    writeFileSync(join(clone, CODE), read(CODE)!.replace('} as const', `${line}} as const`));
    expect(openapi('review', '--base', 'HEAD').out).toContain(
      '    update:\n      put:\n        responses:\n',
    );
    expect(answer('--question', 'receiver-response', ...SIGNED).code).toBe(0);
    expect(read(OVERLAY)).toContain(
      "put:\n        responses:\n          '200':\n            description: Taken.\n",
    );
  });

  test('says what changes from the signed answer to that of the code', () => {
    writeFileSync(join(clone, CODE), read(CODE)!.replace('status: 200', 'status: 202'));
    const { out } = answer('--question', 'receiver-response', '--replace', ...SIGNED);
    expect(out).toContain('the receiver responds with 200, and the sender takes only 202');
    writeFileSync(join(clone, CODE), read(CODE)!.replace('status: 202', 'status: 200'));
    expect(answer('--question', 'receiver-response', '--replace', ...SIGNED).code).toBe(0);
  });

  test('corrects the actions that depend on another answer; they keep who, when and why', () => {
    const { code } = answer(
      '--question',
      'http-method',
      '--value',
      'POST',
      '--replace',
      '--who',
      'B',
      '--reason',
      'New',
    );
    expect(code).toBe(0);
    expect(read(OVERLAY)).toContain("post:\n        responses:\n          '200':");
    expect(read(OVERLAY)!.match(/A\. Person/g)).toHaveLength(1);
  });

  test('says of words that nobody carries them out, and keeps what the software does', () => {
    const question = ['--question', 'notification-security', '--value', 'the webhook carries no token'];
    const { code, out } = answer(...question, ...SIGNED);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('The software does not follow this yet.') as string,
    });
    expect(read('OPEN_QUESTIONS.md')).toContain('answered, not carried out: the webhook carries no token');
    expect(read('OPEN_QUESTIONS.md')).toContain('- Receiver: Requires a bearer token for every delivery');
  });

  test('writes actions again that were broken by hand', () => {
    const whole = read(OVERLAY)!;
    writeFileSync(join(clone, OVERLAY), whole.replace('description: Taken.', 'description: Broken.'));
    expect(answer('--question', 'receiver-response').code).toBe(0);
    expect(read(OVERLAY)).toBe(whole);
  });

  test.each([
    {
      name: 'everything that is missing',
      args: [],
      want: ['--question is missing', '--who is missing', '--reason is missing'],
    },
    {
      name: 'no question of the register',
      args: ['--question', 'nope', ...SIGNED],
      want: ['--question: there is no nope'],
    },
    { name: 'no value', args: ['--question', 'retry', ...SIGNED], want: ['--value is missing'] },
    {
      name: 'a schema',
      args: ['--question', 'plant-fields', '--value', '{}', ...SIGNED],
      want: ['--value: plant-fields is answered with a schema, which is code'],
    },
    {
      name: 'nothing to remove',
      args: ['--question', 'retry', '--remove'],
      want: ['--remove: retry has no answer'],
    },
    {
      name: 'every fault, and an answer that is there',
      args: ['--question', 'http-method', '--value', 'GET', '--who', 'A', '--date', '2026-13-41'],
      want: [
        'http-method has an answer already. To replace it, add --replace',
        '--value: http-method: ',
        '--date must be a day such as 2026-01-31 (got 2026-13-41)',
        '--reason is missing',
      ],
    },
  ])('refuses $name, and changes nothing', ({ args, want }) => {
    const before = [CODE, OVERLAY].map(read);
    const { code, err } = answer(...args);
    expect({ code, lines: err.trimEnd().split('\n') }).toEqual({
      code: 2,
      lines: want.map((line): unknown => expect.stringContaining(line)),
    });
    expect([CODE, OVERLAY].map(read)).toEqual(before);
  });

  test('--remove opens a question again; the overlay goes with its last answer', () => {
    for (const question of ['http-method', 'receiver-response', 'notification-security'])
      expect(answer('--question', question, '--remove').code).toBe(0);
    expect(read(OVERLAY)).toBeUndefined();
    expect(read('OPEN_QUESTIONS.md')).toContain('`http-method` · open');
  });

  test('two branches conflict in one place of each file', () => {
    spawnSync('git', ['checkout', '-q', '.'], { cwd: clone });
    answer('--question', 'http-method', '--value', 'PUT', ...SIGNED);
    const base = [CODE, OVERLAY].map((file) => read(file)!);
    const branch = (...args: readonly string[]) => {
      [CODE, OVERLAY].forEach((file, index) => writeFileSync(join(clone, file), base[index]!));
      expect(answer(...args, ...SIGNED).code).toBe(0);
      return [CODE, OVERLAY].map((file) => read(file)!);
    };
    const one = branch('--question', 'authentication-realm', '--value', 'plants');
    const other = branch('--question', 'size-limits', '--value', '1000');
    [CODE, OVERLAY].forEach((_file, index) => {
      const texts = { one: one[index]!, base: base[index]!, other: other[index]! };
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(clone, name), text);
      const { stdout } = spawnSync('git', ['merge-file', '-p', 'one', 'base', 'other'], {
        cwd: clone,
        encoding: 'utf8',
      });
      expect(stdout.match(/^<{7} /gm)).toHaveLength(1);
    });
  });
});

describe('in a terminal', () => {
  const asked = async (given: Partial<PartialRequest>, lines: string) => {
    const request: PartialRequest = { question: '', date: '', replace: false, remove: false, ...given };
    const output = new PassThrough({ encoding: 'utf8' });
    await askForRest(request, () => false, { input: new PassThrough().end(lines), output });
    return { request, shown: String(output.read()) };
  };

  test('it asks for what is missing, and shows the form of an answer', async () => {
    const { request, shown } = await asked({}, 'size-limits\n5000\nA. Person\nMinutes\n');
    expect(request).toMatchObject({
      question: 'size-limits',
      value: 5000,
      who: 'A. Person',
      reason: 'Minutes',
    });
    expect(shown).toContain('An answer: ');
  });

  test('it asks for nothing else', async () => {
    expect((await asked({ question: 'retry', remove: true }, '')).shown).toBe('null');
  });

  test('a value is JSON or plain text', () => {
    expect(parseValue('{"status":200}')).toEqual({ status: 200 });
    expect(parseValue('PUT')).toBe('PUT');
  });
});
