import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { answerFaults, openQuestions, type QuestionId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { parse } from 'yaml';

import { runUnder } from './run-under-answers.js';
import { ROOT } from './scenario/run-program.js';

const OPENAPI = 'tools/openapi/dist/cli.js';
const EXAMPLE = join(ROOT, 'libs/example-answers/example-answers.overlay.yaml');
const BASELINE = join(ROOT, 'libs/contract/spec/plant-store.openapi.yaml');
const PROVENANCE = { who: 'nobody', date: '2026-01-31', reason: 'An example.' };
const BATCHES = 4;

const ids = openQuestions.map(({ id }) => id);

let folder: string;
let files: Readonly<Record<'document' | 'without' | 'answers' | 'overlay', string>>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-enter-'));
  files = {
    document: join(folder, 'openapi.json'),
    without: join(folder, 'without'),
    answers: join(folder, 'answers.json'),
    overlay: join(folder, 'answers.overlay.yaml'),
  };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every example answer, entered in a random order, passes the gate and states what the example states', async () => {
  const order = enterable(shuffled(ids));
  const answered: QuestionId[] = [];
  for (const batch of inBatches(order)) {
    answered.push(...batch);
    writeCode(answered);
    for (const id of batch) await enter(id);
    const { code, stdout } = diff(files.overlay, 'text');
    expect({ order, answered, code, stdout }).toEqual({ order, answered, code: 0, stdout });
  }
  expect(questionsIn(files.overlay)).toEqual(ids);
  expect({ order, facts: factsOf(files.overlay) }).toEqual({ order, facts: factsOf(EXAMPLE) });
}, 300_000);

/** Writes what the code makes of these answers: the document, and the answers themselves. */
function writeCode(answered: readonly QuestionId[]): void {
  const lines = answered.map((id) => `'${id}': exampleAnswers['${id}']`);
  const source = `import { exampleAnswers } from '@plant-store/example-answers';
export const answers = { ${lines.join(', ')} };`;
  const document = [
    'apps/webhook/dist/openapi/write-document.js',
    files.document,
    '--without',
    files.without,
  ];
  const answers = [OPENAPI, 'answers', '--output', files.answers];
  for (const [program = '', ...args] of [document, answers]) {
    expect(runUnder(source, program, args)).toMatchObject({ code: 0, stderr: '' });
  }
}

interface Command {
  readonly run: (values: object, positionals: [], output: { out: () => void }) => Promise<number>;
}

/** As `openapi enter` does, without a process for each question. */
async function enter(question: QuestionId): Promise<void> {
  const url = pathToFileURL(join(ROOT, 'tools/openapi/dist/commands/enter.js')).href;
  const { enterCommand } = (await import(url)) as { enterCommand: Command };
  const values = { ...files, baseline: BASELINE, question, ...PROVENANCE };
  await enterCommand.run(values, [], { out: () => undefined });
}

function diff(overlay: string, format: string) {
  const options = Object.entries({ ...files, baseline: BASELINE, overlay, format });
  const args = options.map(([name, value]) => `--${name}=${value}`);
  return runUnder('export const answers = {};', OPENAPI, ['diff', ...args]);
}

/** The facts of the document that an overlay states, each with its question. */
function factsOf(overlay: string): string[] {
  const { findings } = JSON.parse(diff(overlay, 'json').stdout) as { findings: Finding[] };
  return findings
    .flatMap(({ pointer, alsoAt, state, answer }) =>
      [pointer, ...alsoAt].map((place) => `${state} ${answer?.question} ${place}`),
    )
    .sort();
}

interface Finding {
  readonly state: string;
  readonly pointer: string;
  readonly alsoAt: readonly string[];
  readonly answer?: { readonly question: string };
}

/** The questions of an overlay in the order in which they stand. */
function questionsIn(overlay: string): string[] {
  const { actions } = parse(readFileSync(overlay, 'utf8')) as { actions: { 'x-question': string }[] };
  return [...new Set(actions.map((action) => action['x-question']))];
}

/** The questions in this order. One that needs another's answer comes once that is there. */
function enterable(questions: readonly QuestionId[]): QuestionId[] {
  const waiting = [...questions];
  const order: QuestionId[] = [];
  const fits = (id: QuestionId): boolean => {
    const answered = [...order, id].map((question) => [question, exampleAnswers[question]]);
    return answerFaults(Object.fromEntries(answered) as Record<string, unknown>).length === 0;
  };
  while (waiting.length > 0) order.push(...waiting.splice(waiting.findIndex(fits), 1));
  return order;
}

function inBatches<Item>(items: readonly Item[]): Item[][] {
  const size = Math.ceil(items.length / BATCHES);
  return Array.from({ length: BATCHES }, (_, index) => items.slice(index * size, (index + 1) * size));
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
