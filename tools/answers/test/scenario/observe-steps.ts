import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { Seen } from '../../src/matrix.js';
import type { ScenarioObservations, Step, StepObservations } from './observe.js';
import { observeTypes } from './types.js';

/** Everything that is seen of a scenario. */
export type Observed = ScenarioObservations & Seen;

/** What is seen before and after a step, and what the gate says of the answers of the step. */
export interface ObservedStep extends Pick<StepObservations, 'gate'> {
  readonly before: Observed;
  readonly after: Observed;
}

/** Observes the built software before and after each step. */
export async function observeSteps(steps: readonly Step[]): Promise<ObservedStep[]> {
  const running = observeInProcess(steps);
  const types = observeTypes(steps.flatMap(({ builtOn, answered }) => [builtOn, [...builtOn, ...answered]]));
  const seen = await running;
  return seen.map(({ before, after, gate }, index) => ({
    before: { ...before, types: types[2 * index]! },
    after: { ...after, types: types[2 * index + 1]! },
    gate,
  }));
}

/** Module hooks need a process of Node without Jest. */
async function observeInProcess(steps: readonly Step[]): Promise<StepObservations[]> {
  const program = fileURLToPath(new URL('process.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 100_000,
  });
  child.stdin.end(JSON.stringify(steps));
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new Error(`The scenarios could not be observed: ${stderr}`);
  return JSON.parse(stdout) as StepObservations[];
}
