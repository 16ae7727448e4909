import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openQuestions, type QuestionId } from '@plant-store/contract';
import { parse, stringify } from 'yaml';

import type { Observations } from '../observations.js';
import { ROOT, type World } from '../world/make-world.js';
import { type Result, run } from '../world/run.js';

/** What the documents and the gate of a world say. */
export interface DocumentObservations {
  /** The facts of the OpenAPI document that the specification does not state. */
  readonly document: Observations;
  /** OPEN_QUESTIONS.md by question: its state. */
  readonly openQuestions: Observations;
  /** The files that the gate reads. */
  readonly files: GateFiles;
}

/** The files that the gate reads, both sides of the answers among them. */
export interface GateFiles {
  readonly document: string;
  readonly answers: string;
  readonly overlay: string;
}

interface Action {
  readonly 'x-question': QuestionId;
  readonly 'x-answer'?: unknown;
}

interface Overlay {
  readonly actions: readonly Action[];
}

const BASELINE = join(ROOT, 'libs/contract/spec/plant-store.openapi.yaml');
const EXAMPLE: Overlay = parse(
  readFileSync(join(ROOT, 'libs/example-answers/example-answers.overlay.yaml'), 'utf8'),
) as Overlay;

/** Generates the documents of a world and looks at them. */
export async function observeDocuments(world: World): Promise<DocumentObservations> {
  const files = {
    document: join(world.folder, 'openapi.json'),
    answers: join(world.folder, 'answers.json'),
    overlay: writeOverlay(world, 'answers.overlay.yaml', actionsFor(world.answered)),
  };
  await succeed(run(world.writeDocument, [files.document]));
  await succeed(run(world.openapi, ['answers', '--output', files.answers]));
  const page = join(world.folder, 'OPEN_QUESTIONS.md');
  await succeed(run(world.openapi, ['open-questions', '--output', page]));
  const { stdout } = await gate(world, files, 'json');
  const { findings } = JSON.parse(stdout) as {
    findings: { pointer: string; document?: { value: string } }[];
  };
  return {
    files,
    document: Object.fromEntries(
      findings.flatMap(({ pointer, document }) =>
        document === undefined ? [] : [[pointer, document.value]],
      ),
    ),
    openQuestions: statesIn(readFileSync(page, 'utf8')),
  };
}

/**
 * What the gate says once both sides have an answer, one side alone, or each another value.
 *
 * @param before the files without the answer
 */
export async function observeGate(
  question: QuestionId,
  world: World,
  files: GateFiles,
  before: GateFiles,
): Promise<Observations> {
  const actions = actionsFor(world.answered);
  const overlayWith = (name: string, changed: readonly Action[]): GateFiles => ({
    ...files,
    overlay: writeOverlay(world, `${question}-${name}.yaml`, changed),
  });
  const isOther = (action: Action): boolean => action['x-question'] !== question;
  const another = actions.map((action) =>
    isOther(action) || !('x-answer' in action) ? action : { ...action, 'x-answer': 'another' },
  );
  const [both, codeAlone, overlayAlone, different] = await Promise.all([
    gate(world, files),
    gate(world, overlayWith('missing', actions.filter(isOther))),
    gate(world, { ...before, overlay: files.overlay }),
    gate(world, overlayWith('different', another)),
  ]);
  return {
    'on both sides': verdict(both),
    'in the code alone': verdict(codeAlone, `x-question: ${question}\n`),
    'in the overlay alone': verdict(overlayAlone, `${isName(question) ? question : `'${question}'`}: `),
    'with another value': verdict(different, 'another'),
  };
}

/** The code's side as the gate reads it, without one answer. */
export function withoutAnswer(question: QuestionId, world: World, files: GateFiles): GateFiles {
  const side = JSON.parse(readFileSync(files.answers, 'utf8')) as { answers: Record<string, unknown> };
  const answers = Object.fromEntries(Object.entries(side.answers).filter(([id]) => id !== question));
  const file = join(world.folder, `${question}-unanswered.json`);
  writeFileSync(file, JSON.stringify({ ...side, answers }));
  return { ...files, answers: file };
}

function gate(world: World, { document, answers, overlay }: GateFiles, format = 'text'): Promise<Result> {
  const files = ['--baseline', BASELINE, '--document', document, '--overlay', overlay, '--answers', answers];
  return run(world.openapi, ['diff', ...files, '--format', format]);
}

function verdict({ code, stdout, stderr }: Result, named?: string): string {
  if (code === 0) return 'clean';
  if (code !== 1) throw new Error(`The gate could not run: ${stderr}`);
  return named !== undefined && stdout.includes(named) ? 'fails, and names the line' : 'fails';
}

/** Whether a key stands in TypeScript without quotes. */
const isName = (id: QuestionId): boolean => !id.includes('-');

/** A file that does not exist counts as no overlay. */
function writeOverlay(world: World, name: string, actions: readonly Action[]): string {
  const file = join(world.folder, name);
  if (actions.length > 0) writeFileSync(file, stringify({ ...EXAMPLE, actions }));
  return file;
}

function actionsFor(answered: readonly QuestionId[]): Action[] {
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
