import { PassThrough } from 'node:stream';
import ts from 'typescript';
import { enterInSource } from './answers-source.mjs';
import { faultsOf } from './faults.mjs';
import { askForRest, readOptions } from './options.mjs';

const QUESTIONS = ['http-method', 'plant-fields', 'payload', 'retry', 'size-limits', 'time-outs'].map(
  (id) => ({
    id,
    title: id,
    question: `What about ${id}?`,
    answer: 'A number of bytes.',
  }),
);
const IDS = QUESTIONS.map(({ id }) => id);

describe('answers.ts', () => {
  const sourceOf = (...lines: readonly string[]) => `import type { Answers } from './answer-types.js';

// Kept.
export const answers = {${lines.map((line) => `\n  ${line}`).join('')}
} as const satisfies Answers;
`;
  /** The compiler reads it, and no answer is in a comment. */
  const parsed = (source: string) => {
    const { diagnostics } = ts.transpileModule(source, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    expect(ts.transpileModule(source, { compilerOptions: { removeComments: true } }).outputText).toContain(
      'retry',
    );
    return source;
  };
  const entered = (source: string, question: string, value: unknown) =>
    parsed(enterInSource(source, question, value, IDS))
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^['"]?[a-z-]+['"]?: /.test(line));

  it.each([
    { name: 'the first', lines: [], want: ['"retry": 1,'] },
    { name: 'one before another', lines: ["'time-outs': 2,"], want: ['"retry": 1,', "'time-outs': 2,"] },
    {
      name: 'one after another',
      lines: ["payload: 'plant', // why"],
      want: ["payload: 'plant', // why", '"retry": 1,'],
    },
    {
      name: 'one after a line without a comma',
      lines: ["payload: 'plant'"],
      want: ["payload: 'plant',", '"retry": 1,'],
    },
    {
      name: 'one between two',
      lines: ["payload: 'plant',", "'time-outs': 2,"],
      want: ["payload: 'plant',", '"retry": 1,', "'time-outs': 2,"],
    },
    {
      name: 'one after a comment on several lines',
      lines: ["payload: 'plant', /* why,", '* at length */', "'time-outs': 2,"],
      want: ["payload: 'plant', /* why,", '"retry": 1,', "'time-outs': 2,"],
    },
    {
      name: 'one after a comment in front of the comma',
      lines: ["payload: 'plant' /* why */,"],
      want: ["payload: 'plant' /* why */,", '"retry": 1,'],
    },
    { name: 'another value', lines: ['retry: { delays: [] },'], want: ['"retry": 1,'] },
  ])('gets $name, in the order of the register', ({ lines, want }) => {
    expect(entered(sourceOf(...lines), 'retry', 1)).toEqual(want);
  });

  it('loses only the answer that is removed', () => {
    const source = sourceOf("payload: 'plant', // kept", '// dropped', 'retry: 1, // too', "'time-outs': 2,");
    const left = enterInSource(source, 'retry', undefined, IDS);
    expect(left).toBe(sourceOf("payload: 'plant', // kept", "'time-outs': 2,"));
    expect(enterInSource(left, 'retry', undefined, IDS)).toBe(left);
  });

  it('is refused if it has no object of answers', () => {
    expect(() => enterInSource('export const answers = load();', 'retry', 1, IDS)).toThrow(
      'answers.ts has no object literal `answers`',
    );
  });
});

describe('the options', () => {
  const isDate = (date: string) => date !== '2026-13-41';
  const SIGNED = ['--who', 'A. Person', '--reason', 'Minutes'];
  const answerFaults = (answers: Readonly<Record<string, unknown>>) =>
    answers['http-method'] === 'GET' ? ['http-method: must be one of POST, PUT, PATCH'] : [];
  const faults = (
    args: readonly string[],
    answers: Readonly<Record<string, unknown>> = {},
    signed: readonly string[] = [],
  ) =>
    faultsOf({
      options: readOptions([...args]),
      contract: { openQuestions: QUESTIONS, answers, answerFaults },
      signed,
      isDate,
    });

  it('are read as JSON or as text; the date is today', () => {
    const { value, date } = readOptions(['--value', '{"status":200}']);
    expect(value).toEqual({ status: 200 });
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(readOptions(['--value', 'PUT'])).toMatchObject({ value: 'PUT' });
  });

  it.each([
    {
      name: 'everything that is missing',
      args: [],
      want: ['--question is missing', '--who is', '--reason is'],
    },
    {
      name: 'no question of the register, and no date',
      args: ['--question', 'nope', '--date', '2026-13-41', ...SIGNED],
      want: ['--question: there is no nope', '--date must be a day such as 2026-01-31 (got 2026-13-41)'],
    },
    { name: 'no value', args: ['--question', 'retry', ...SIGNED], want: ['--value is missing'] },
    {
      name: 'a value that is refused, and nobody',
      args: ['--question', 'http-method', '--value', 'GET', '--reason', 'r'],
      want: ['--value: http-method: must be one of POST, PUT, PATCH', '--who is missing'],
    },
    {
      name: 'a schema',
      args: ['--question', 'plant-fields', '--value', '{}', ...SIGNED],
      want: ['--value: plant-fields is answered with a schema, which is code'],
    },
    {
      name: 'nothing to remove',
      args: ['--question', 'retry', '--remove'],
      want: ['--remove: retry has no'],
    },
  ])('are refused for $name', ({ args, want }) => {
    expect(faults(args)).toEqual(want.map((line): unknown => expect.stringContaining(line)));
  });

  it('never replace an answer without --replace, on whichever side it is', () => {
    const put = ['--question', 'http-method', '--value', 'PUT', ...SIGNED];
    const want = ['http-method has an answer already. To replace it, add --replace'];
    const answered = { 'http-method': 'POST' };
    const signed = ['http-method'];
    expect(faults(put, answered)).toEqual(want);
    expect(faults(put, {}, signed)).toEqual(want);
    expect(faults([...put, '--replace'], answered, signed)).toEqual([]);
  });

  it('need no value for an answer that the code has', () => {
    expect(faults(['--question', 'http-method', ...SIGNED], { 'http-method': 'POST' })).toEqual([]);
  });
});

describe('in a terminal', () => {
  const asked = async (args: readonly string[], lines: string) => {
    const options = readOptions([...args]);
    const output = new PassThrough({ encoding: 'utf8' });
    const input = new PassThrough().end(lines);
    await askForRest(options, QUESTIONS, () => false, { input, output });
    return { options, shown: String(output.read()) };
  };

  it('it asks for what is missing, and shows the form of an answer', async () => {
    const { options, shown } = await asked([], 'size-limits\n5000\nA. Person\nMinutes\n');
    expect(options).toMatchObject({
      question: 'size-limits',
      value: 5000,
      who: 'A. Person',
      reason: 'Minutes',
    });
    expect(shown).toContain('An answer: A number of bytes.');
  });

  it('it asks for nothing else', async () => {
    const { shown } = await asked(['--question', 'retry', '--remove'], '');
    expect(shown).toBe('null');
  });
});
