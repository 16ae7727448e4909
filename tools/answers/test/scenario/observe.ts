/**
 * Runs in process.mjs: reads steps from standard input, observes the built software before and after each, and writes
 * what it saw to standard output.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import type { QuestionId } from '@plant-store/contract';

import type { Observations } from '../../src/matrix.js';
import { type DocumentObservations, observeDocuments, observeGate } from './documents.js';
import { observeReceiver } from './receiver.js';
import { observeSender } from './sender.js';

/** One set of answers, each as the example answers have it. */
export interface Scenario {
  /** The answered questions, sorted, with spaces between. */
  readonly name: string;
  readonly answered: readonly QuestionId[];
  /** For its files. */
  readonly folder: string;
}

/** Answers to observe. */
export interface Step {
  /** The questions that are answered before and after. */
  readonly builtOn: readonly QuestionId[];
  /** The questions that are answered after. */
  readonly answered: readonly QuestionId[];
}

/** Everything that a process can see of a scenario. The compiler sees the types. */
export interface ScenarioObservations extends DocumentObservations {
  readonly receiver: Observations;
  readonly sender: Observations;
}

/** What was seen before and after a step. */
export interface StepObservations {
  readonly before: ScenarioObservations;
  readonly after: ScenarioObservations;
  /** What the gate says, for each question that the step answers. */
  readonly gate: { readonly [Id in QuestionId]?: Observations };
}

const root = mkdtempSync(join(tmpdir(), 'plant-store-scenarios-'));
const observed = new Map<string, Promise<[Scenario, ScenarioObservations]>>();

try {
  const steps = (await json(process.stdin)) as Step[];
  const seen: StepObservations[] = [];
  for (const step of steps) seen.push(await observeStep(step));
  process.stdout.write(JSON.stringify(seen));
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function observeStep({ builtOn, answered }: Step): Promise<StepObservations> {
  const [before, seenBefore] = await observe(builtOn);
  const [after, seenAfter] = await observe([...builtOn, ...answered]);
  const gate: Partial<Record<QuestionId, Observations>> = {};
  for (const id of answered) gate[id] = await observeGate(id, before, after);
  return { before: seenBefore, after: seenAfter, gate };
}

/** Observes a scenario once, however many steps contain it. */
function observe(questions: readonly QuestionId[]): Promise<[Scenario, ScenarioObservations]> {
  const answered = [...questions].sort();
  const name = answered.join(' ');
  const known = observed.get(name);
  if (known !== undefined) return known;
  const scenario = { name, answered, folder: mkdtempSync(join(root, 'scenario-')) };
  const observing = observeScenario(scenario).then((seen): [Scenario, ScenarioObservations] => [
    scenario,
    seen,
  ]);
  observed.set(name, observing);
  return observing;
}

async function observeScenario(scenario: Scenario): Promise<ScenarioObservations> {
  const receiver = await observeReceiver(scenario);
  const sender = await observeSender(scenario);
  return { receiver, sender, ...(await observeDocuments(scenario)) };
}
