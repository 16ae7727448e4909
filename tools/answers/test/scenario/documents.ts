import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openQuestions, type QuestionId } from '@plant-store/contract';
import { parse, stringify } from 'yaml';

import type { Observations } from '../../src/matrix.js';
import { type Result, ROOT, runProgram } from './run-program.js';
import type { Scenario, ScenarioObservations } from './scenario.js';

interface Action {
  readonly 'x-question': QuestionId;
  readonly 'x-answer'?: unknown;
}

interface Overlay {
  readonly actions: readonly Action[];
}

/** The files that the gate compares. */
interface GateFiles {
  readonly document: string;
  readonly answers: string;
  readonly overlay: string;
}

const OPENAPI = 'tools/openapi/dist/cli.js';
const WRITE_DOCUMENT = 'apps/webhook/dist/openapi/write-document.js';
const BASELINE = join(ROOT, 'libs/contract/spec/plant-store.openapi.yaml');
const EXAMPLE = parse(
  readFileSync(join(ROOT, 'libs/example-answers/example-answers.overlay.yaml'), 'utf8'),
) as Overlay;

/** Generates the documents of a scenario and reads them. */
export async function observeDocuments(
  scenario: Scenario,
): Promise<Pick<ScenarioObservations, 'document' | 'openQuestions'>> {
  const files = filesOf(scenario);
  const page = join(scenario.folder, 'OPEN_QUESTIONS.md');
  writeOverlay(files.overlay, actionsFor(scenario));
  await succeed(runProgram(scenario.name, WRITE_DOCUMENT, [files.document]));
  await succeed(runProgram(scenario.name, OPENAPI, ['answers', '--output', files.answers]));
  await succeed(runProgram(scenario.name, OPENAPI, ['open-questions', '--output', page]));
  const { stdout } = await gate(scenario, files, 'json');
  const { findings } = JSON.parse(stdout) as {
    findings: { pointer: string; document?: { value: string } }[];
  };
  return {
    document: Object.fromEntries(
      findings.flatMap(({ pointer, document }) =>
        document === undefined ? [] : [[pointer, document.value]],
      ),
    ),
    openQuestions: statesIn(readFileSync(page, 'utf8')),
  };
}

/**
 * Observes the gate with one answer on both sides, on one side, and with another value on one side.
 *
 * @param before the scenario whose document does not show the answer; its documents are there already
 * @param after the scenario with the answer; its documents are there already
 */
export async function observeGate(
  question: QuestionId,
  before: Scenario,
  after: Scenario,
): Promise<Observations> {
  const files = filesOf(after);
  const actions = actionsFor(after);
  const isOther = (action: Action): boolean => action['x-question'] !== question;
  const another = actions.map((action) =>
    isOther(action) || !('x-answer' in action) ? action : { ...action, 'x-answer': 'another' },
  );
  const overlayWith = (name: string, changed: readonly Action[]): GateFiles => {
    const overlay = join(after.folder, `${question}-${name}.yaml`);
    writeOverlay(overlay, changed);
    return { ...files, overlay };
  };
  const withoutAnswer = {
    ...files,
    document: filesOf(before).document,
    answers: answersWithout(question, after),
  };
  return {
    'on both sides': verdict(await gate(after, files)),
    'in the code alone': verdict(
      await gate(after, overlayWith('missing', actions.filter(isOther))),
      `x-question: ${question}\n`,
    ),
    'in the overlay alone': verdict(await gate(after, withoutAnswer), `${asKey(question)}: `),
    'with another value': verdict(await gate(after, overlayWith('different', another)), 'another'),
  };
}

function filesOf({ folder }: Scenario): GateFiles {
  return {
    document: join(folder, 'openapi.json'),
    answers: join(folder, 'answers.json'),
    overlay: join(folder, 'answers.overlay.yaml'),
  };
}

/** The code's side as the gate reads it, without one answer. */
function answersWithout(question: QuestionId, { folder }: Scenario): string {
  const side = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as {
    answers: Record<string, unknown>;
  };
  const answers = Object.fromEntries(Object.entries(side.answers).filter(([id]) => id !== question));
  const file = join(folder, `${question}-unanswered.json`);
  writeFileSync(file, JSON.stringify({ ...side, answers }));
  return file;
}

function gate(
  { name }: Scenario,
  { document, answers, overlay }: GateFiles,
  format = 'text',
): Promise<Result> {
  const files = ['--baseline', BASELINE, '--document', document, '--overlay', overlay, '--answers', answers];
  return runProgram(name, OPENAPI, ['diff', ...files, '--format', format]);
}

function verdict({ code, stdout, stderr }: Result, line?: string): string {
  if (code === 0) return 'clean';
  if (code !== 1) throw new Error(`The gate could not run: ${stderr}`);
  return line !== undefined && stdout.includes(line) ? 'fails, and names the line' : 'fails';
}

/** A question as a key in TypeScript. */
function asKey(id: QuestionId): string {
  return id.includes('-') ? `'${id}'` : id;
}

/** The gate takes a file that does not exist for an empty overlay. */
function writeOverlay(file: string, actions: readonly Action[]): void {
  if (actions.length > 0) writeFileSync(file, stringify({ ...EXAMPLE, actions }));
}

function actionsFor({ answered }: Scenario): Action[] {
  return EXAMPLE.actions.filter((action) => answered.includes(action['x-question']));
}

function statesIn(page: string): Observations {
  return Object.fromEntries(
    openQuestions.map(({ id }) => {
      const state = new RegExp(`^\`${id}\` · (.*)$`, 'm').exec(page)?.[1] ?? 'not listed';
      return [id, state];
    }),
  );
}

async function succeed(running: Promise<Result>): Promise<void> {
  const { code, stderr } = await running;
  if (code !== 0) throw new Error(stderr);
}
