import type { QuestionId } from '@plant-store/contract';

import type { Seen } from '../../src/matrix.js';
import { runInScenarios } from './run-in-scenarios.js';
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
  const running = runInScenarios('observe.ts', steps);
  const types = observeTypes(steps.flatMap((step) => [step.builtOn, answeredAfter(step)]));
  const seen = (await running) as StepObservations[];
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
