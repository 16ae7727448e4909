import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloneWorkingTree } from '@plant-store/test-support/clone';
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
}, 120_000);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** `npm run openapi` in the clone, without the time that npm takes. */
function openapi(...args: readonly string[]) {
  const { scripts } = JSON.parse(read('package.json')!) as { scripts: { openapi: string } };
  const [, program = ''] = /&& node (.*)/.exec(scripts.openapi) ?? [];
  return run([...program.split(' '), ...args], clone);
}

/** `npm run answer`, which enters the answer without a word on standard error. Returns what it prints. */
function answer(...args: readonly string[]): string {
  const { out, ...ended } = openapi('answer', ...args);
  expect({ ...ended, out }).toEqual({ code: 0, err: '', out });
  return out;
}

const read = (file: string) =>
  existsSync(join(clone, file)) ? readFileSync(join(clone, file), 'utf8') : undefined;

/** Changes a file as a person does. */
function edit(file: string, from: string, to: string): void {
  expect(read(file)).toContain(from);
  writeFileSync(join(clone, file), read(file)!.replace(from, to));
}

// Each test goes on from what the ones above have entered.

test('an answer is entered on both sides, in the document and in the pages', () => {
  const out = answer('--question', 'http-method', '--value', 'PUT', ...SIGNED);
  expect(out).toContain('HTTP method (http-method): PUT\n');
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

test('an answer that the code has is signed without a value', () => {
  edit(CODE, '} as const', "  'receiver-response': { status: 200, description: 'Taken.' },\n} as const");
  expect(openapi('review', '--base', 'HEAD').out).toContain('    update:\n      put:\n        responses:\n');
  answer('--question', 'receiver-response', ...SIGNED);
  expect(read(OVERLAY)).toContain(
    "put:\n        responses:\n          '200':\n            description: Taken.\n",
  );
});

test('actions that depend on a changed answer are corrected; they keep who, when and why', () => {
  const other = ['--who', 'B', '--reason', 'New'];
  answer('--question', 'http-method', '--value', 'POST', '--replace', ...other);
  expect(read(OVERLAY)).toContain("post:\n        responses:\n          '200':");
  expect(read(OVERLAY)!.match(/A\. Person/g)).toHaveLength(1);
});

test('actions that were broken by hand are written again', () => {
  const whole = read(OVERLAY)!;
  edit(OVERLAY, 'description: Taken.', 'description: Broken.');
  answer('--question', 'receiver-response');
  expect(read(OVERLAY)).toBe(whole);
});

test('what changes is told from the signed answer to that of the code', () => {
  edit(CODE, 'status: 200', 'status: 202');
  const out = answer('--question', 'receiver-response', '--replace', ...SIGNED);
  expect(out).toContain('the receiver responds with 200, and the sender takes only 202');
});

test('a request with faults changes nothing', () => {
  const before = [CODE, OVERLAY].map(read);
  const { code, err } = openapi('answer', '--question', 'http-method', '--value', 'GET', ...SIGNED);
  expect({ code, lines: err.trimEnd().split('\n') }).toEqual({
    code: 2,
    lines: [expect.stringContaining('add --replace'), expect.stringContaining('--value: http-method: ')],
  });
  expect([CODE, OVERLAY].map(read)).toEqual(before);
});

test('--remove opens a question again', () => {
  answer('--question', 'http-method', '--remove');
  expect(read(CODE)).not.toContain('http-method');
  expect(read(OVERLAY)).not.toContain('http-method');
  expect(read('OPEN_QUESTIONS.md')).toContain('`http-method` · open');
});

test('a question that the software cannot carry out is answered in words', () => {
  const out = answer('--question', 'event-order', '--words', 'No order.', ...SIGNED);
  expect(out).toContain(
    'Order of events (event-order): No order.\n  The software does not carry this out.\n',
  );
  expect(read(CODE)).toContain("'event-order': 'No order.'");
  expect(read(OVERLAY)).toContain('x-answer: No order.\n');
});
