import type { QuestionId } from '@plant-store/contract';

import type { Observations } from '../../src/matrix.js';

/** One set of answers, each as the example answers have it. */
export interface Scenario {
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

/** What a process can see of a scenario. The compiler sees the types. */
export interface ScenarioObservations {
  readonly receiver: Observations;
  readonly sender: Observations;
  /** The facts of the OpenAPI document that the specification does not state. */
  readonly document: Observations;
  /** OPEN_QUESTIONS.md: the state of each question. */
  readonly openQuestions: Observations;
}

/** What is seen before and after a step. */
export interface StepObservations {
  readonly before: ScenarioObservations;
  readonly after: ScenarioObservations;
  /** What the gate says, for each question that the step answers. */
  readonly gate: { readonly [Id in QuestionId]?: Observations };
}

/** The name of a scenario: its questions, sorted, with spaces between. loader.mjs reads it. */
export function nameOf(answered: readonly QuestionId[]): string {
  return [...answered].sort().join(' ');
}
