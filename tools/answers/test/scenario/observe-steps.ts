import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { QuestionId } from '@plant-store/contract';

import type { Seen } from '../../src/matrix.js';
import { nameOf, type ScenarioObservations, type Step, type StepObservations } from './scenario.js';
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
  const types = observeTypes(steps.flatMap((step) => [step.builtOn, answeredAfter(step)]));
  const seen = await running;
  return steps.map((step, index) => {
    const { before, after, gate } = seen[index]!;
    return {
      before: { ...before, types: types.get(nameOf(step.builtOn))! },
      after: { ...after, types: types.get(nameOf(answeredAfter(step)))! },
      gate,
    };
  });
}

function answeredAfter({ builtOn, answered }: Step): QuestionId[] {
  return [...builtOn, ...answered];
}

/** Runs process.mjs, because module hooks do not work inside Jest. */
async function observeInProcess(steps: readonly Step[]): Promise<StepObservations[]> {
  const program = fileURLToPath(new URL('process.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 280_000,
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
