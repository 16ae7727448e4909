import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Executable as Answers,
  type ExecutableId,
  isExecutable,
  openQuestions,
  plainAnswers,
  type QuestionId,
} from '@plant-store/contract';
import { enterInOverlay } from '../src/answers/overlay-source.js';
import { codeAnswersOf } from '../src/gate/code-answers.js';
import { gate, type GateReport, isClean } from '../src/gate/gate.js';
import { impliedBy } from '../src/gate/implied.js';
import { builtOn } from './scenario/expected.js';
import { exampleOverlay } from './scenario/documents.js';
import { ROOT, writeDocument, writeDocumentsWithout } from './scenario/built.js';
import { examplesOf } from '@plant-store/example-answers';

const BASELINE = 'libs/contract/spec/plant-store.openapi.yaml';
const baseline = { text: readFileSync(join(ROOT, BASELINE), 'utf8'), file: BASELINE };
const ids = openQuestions.map(({ id }) => id);
const SIGNED = { answeredBy: 'Nobody', date: '2026-01-31', reason: 'An example.' };

/** The overlay that `npm run answer` writes for these answers, in this order. */
async function enterAll(answers: Answers, order: readonly QuestionId[], document: string): Promise<string> {
  const source = (text: string) => ({ text, file: 'openapi.json' });
  const without = Object.entries(await writeDocumentsWithout(answers)).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const implied = impliedBy(
    baseline,
    source(document),
    new Map(without.map(([id, text]) => [id, source(text)])),
  );
  const plain = plainAnswers(answers);
  let overlay: string | undefined;
  for (const question of order) {
    const { actions = [] } = implied.get(question) ?? {};
    overlay = await enterInOverlay(overlay, { question, value: plain[question], actions, ...SIGNED }, ids);
  }
  return overlay!;
}

const executable = ids.filter(isExecutable);
const all = (id: ExecutableId): QuestionId[] => [...builtOn(id), id];

test.each<[string, readonly QuestionId[]]>([
  ...executable.map((id): [string, QuestionId[]] => [id, all(id)]),
  ['all together', ids],
  ['all together, the last first', [...ids].reverse()],
])('%s: the actions that follow from the code pass the gate', async (_name, order) => {
  const answers = examplesOf(order);
  const document = await writeDocument(answers);
  const text = await enterAll(answers, order, document);

  const report = gateWith(document, text, answers);
  const example = gateWith(document, exampleOverlay(order), answers);

  expect(isClean(report)).toBe(true);
  expect(owners(report)).toEqual(owners(example));
});

/** Each fact that is answered, and the question whose action states it. */
function owners({ findings }: GateReport): Record<string, string | undefined> {
  return Object.fromEntries(findings.map(({ pointer, action }) => [pointer, action?.question]));
}

function gateWith(document: string, overlay: string, answers: Answers): GateReport {
  return gate({
    baseline,
    document: { text: document, file: 'openapi.json' },
    overlay: { text: overlay, file: 'answers.overlay.yaml' },
    answers: codeAnswersOf(plainAnswers(answers)),
  });
}
