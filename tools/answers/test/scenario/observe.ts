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
import { observeDocuments, observeGate } from './documents.js';
import { observeReceiver } from './receiver.js';
import {
  nameOf,
  type Scenario,
  type ScenarioObservations,
  type Step,
  type StepObservations,
} from './scenario.js';
import { observeSender } from './sender.js';

const root = mkdtempSync(join(tmpdir(), 'plant-store-scenarios-'));
const observed = new Map<string, [Scenario, ScenarioObservations]>();

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
async function observe(answered: readonly QuestionId[]): Promise<[Scenario, ScenarioObservations]> {
  const name = nameOf(answered);
  const known = observed.get(name);
  if (known !== undefined) return known;
  const scenario = { name, answered, folder: mkdtempSync(join(root, 'scenario-')) };
  const seen: [Scenario, ScenarioObservations] = [scenario, await observeScenario(scenario)];
  observed.set(name, seen);
  return seen;
}

async function observeScenario(scenario: Scenario): Promise<ScenarioObservations> {
  const receiver = await observeReceiver(scenario);
  const sender = await observeSender(scenario);
  return { receiver, sender, ...(await observeDocuments(scenario)) };
}
