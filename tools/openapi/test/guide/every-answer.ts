/**
 * Run in a clone where every question is open: enters, replaces and removes an answer of each kind, and one in words, on
 * top of each other. Prints a line of JSON for each step, with what its checks find.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { isExecutable, openQuestions, type QuestionId } from '@plant-store/contract';
import { answerFaults } from '@plant-store/contract/check';
import { kinds } from '@plant-store/contract/kinds';
import { exampleAnswers } from '@plant-store/example-answers';
import { ESLint } from 'eslint';
import prettier from 'prettier';
import { z } from 'zod';
import { enterAnswer } from '../../src/enter/enter.js';
import { isClean } from '../../src/gate/gate.js';
import { FILES } from '../../src/repository.js';

type Set = Readonly<Partial<Record<QuestionId, unknown>>>;

/** What the fields are answered with, first and later. */
const SCHEMAS = {
  'plant-fields': [z.object({ name: z.string() }), z.object({ name: z.string().min(1) })],
  'event-payload-fields': [z.object({ on: z.iso.date() }), z.object({ on: z.iso.datetime() })],
} as const;
const CODE = {
  'plant-fields': ['z.object({ name: z.string() })', 'z.object({ name: z.string().min(1) })'],
  'event-payload-fields': ['z.object({ on: z.iso.date() })', 'z.object({ on: z.iso.datetime() })'],
} as const;

const FIRST: Set = {
  ...exampleAnswers,
  'plant-fields': SCHEMAS['plant-fields'][0],
  'event-payload-fields': SCHEMAS['event-payload-fields'][0],
};
const LATER: Set = {
  ...Object.fromEntries(
    Object.values(kinds).map(({ question, more }) => [question, Object.values(more ?? {})[0]]),
  ),
  'plant-fields': SCHEMAS['plant-fields'][1],
  'event-payload-fields': SCHEMAS['event-payload-fields'][1],
  'event-order': 'By plant.',
};

const ids = openQuestions.map(({ id }) => id).filter((id) => isExecutable(id) || id === 'event-order');
const eslint = new ESLint();
let answers: Set = {};

/** Takes each question once, as soon as the answers fit each other with its change. */
async function each(how: string, change: (id: QuestionId) => readonly unknown[], options: object) {
  let left = ids;
  while (left.length > 0) {
    const found = left.flatMap((id) =>
      change(id).flatMap((value) => {
        const others = Object.entries(answers).filter(([other]) => other !== id);
        const next: Set = { ...Object.fromEntries(others), ...(value !== undefined && { [id]: value }) };
        return answerFaults(next).length === 0 ? [{ id, value, next }] : [];
      }),
    )[0];
    if (found === undefined) throw new Error(`${how}: nothing fits of ${left.join(', ')}`);
    left = left.filter((id) => id !== found.id);
    answers = found.next;
    await step(how, found.id, found.value, options);
  }
}

async function step(how: string, question: QuestionId, value: unknown, options: object): Promise<void> {
  const isCode = question in SCHEMAS && typeof value === 'object' && value !== null && '~standard' in value;
  if (isCode) write(question as keyof typeof CODE, how);
  const entered = await enterAnswer({
    question,
    value: isCode ? undefined : value,
    replace: false,
    remove: false,
    ...options,
  });
  const findings =
    'faults' in entered
      ? entered.faults
      : [...(isClean(entered.report) ? [] : ['the gate']), ...entered.compiler.split('\n').filter(Boolean)];
  console.log(JSON.stringify({ how, question, findings: [...findings, ...(await faultsOfFiles())] }));
  execFileSync('git', ['commit', '--quiet', '--all', '--allow-empty', '--message', `${how} ${question}`]);
}

/** Writes a schema into answers.ts, as a person does. */
function write(question: keyof typeof CODE, how: string): void {
  const [first, later] = CODE[question];
  const text = readFileSync(FILES.answers, 'utf8');
  const name = question === 'plant-fields' ? 'plant' : 'event';
  const whole =
    how === 'replace'
      ? text.replace(first, later)
      : text
          .replace(/^(?!.*'zod')/, text.includes("'zod'") ? '' : "import { z } from 'zod';\n")
          .replace(/^import type \{ Answers \}.*\n/m, `$&\nconst ${name} = ${first};\n`)
          .replace('export const answers = {', `$&\n  '${question}': ${name},`);
  writeFileSync(FILES.answers, whole);
}

/** What the formatter and the linter say of the files that a step changed. */
async function faultsOfFiles(): Promise<string[]> {
  execFileSync('git', ['add', '--all']);
  const changed = execFileSync('git', ['diff', '--name-only', '--diff-filter=d', 'HEAD'], {
    encoding: 'utf8',
  });
  const files = changed.split('\n').filter(Boolean);
  const unformatted: string[] = [];
  for (const file of files) {
    const { ignored } = await prettier.getFileInfo(file, { ignorePath: '.prettierignore' });
    const style = { ...(await prettier.resolveConfig(file)), filepath: file };
    if (!ignored && !(await prettier.check(readFileSync(file, 'utf8'), style))) unformatted.push(file);
  }
  const linted = await eslint.lintFiles(files.filter((file) => file.endsWith('.ts')));
  return [
    ...unformatted.map((file) => `${file} is not formatted`),
    ...linted.flatMap(({ messages }) => messages.map(({ message }) => message)),
  ];
}

const signed = { who: 'A. Person', reason: 'Minutes' };
await each('enter', (id) => [FIRST[id] ?? 'No order.'], signed);
await each(
  'replace',
  (id) => [LATER[id], { inWords: 'As GitHub does.' }].filter((one) => one !== undefined),
  { ...signed, replace: true },
);
await each('remove', () => [undefined], { remove: true });
