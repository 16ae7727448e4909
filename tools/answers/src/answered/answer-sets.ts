import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openQuestions, type QuestionId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { parse, stringify } from 'yaml';

import { builtOn, ROWS } from '../rows.js';
import { ROOT } from './clone.js';
import type { AnswerSet } from './enter-answers.js';
import { jsonSchemaPayload } from './json-schema-payload.js';
import { realPayload } from './real-payload.js';

/** The exports of example-plant.ts, which a set takes over. */
const SCHEMAS: { readonly [Id in QuestionId]?: string } = {
  'plant-fields': 'examplePlant',
  'event-payload-fields': 'exampleEvent',
};

const ids = openQuestions.map(({ id }) => id);
const executable = Object.keys(ROWS) as (keyof typeof ROWS)[];

/** The set that CI tries. */
export const ALL_TOGETHER = 'all-together';

/**
 * Every set: all example answers together, payloads as teams have them, all answers that are words, and each other
 * question alone, with those that its answer is built on.
 */
export function answerSets(): AnswerSet[] {
  return [
    exampleSet(ALL_TOGETHER, ids),
    realPayload,
    jsonSchemaPayload,
    exampleSet(
      'in-words',
      ids.filter((id) => !Object.hasOwn(ROWS, id)),
    ),
    ...executable.map((id) => exampleSet(id, [...builtOn(id), id])),
  ];
}

/** A set of example answers. */
function exampleSet(name: string, answered: readonly QuestionId[]): AnswerSet {
  const folder = join(ROOT, 'libs/example-answers');
  const overlay = parse(readFileSync(join(folder, 'example-answers.overlay.yaml'), 'utf8')) as {
    readonly actions: readonly { readonly 'x-question': QuestionId }[];
  };
  const actions = overlay.actions.filter((action) => answered.includes(action['x-question']));
  const schemas = answered.some((id) => id in SCHEMAS)
    ? readFileSync(join(folder, 'src/example-plant.ts'), 'utf8')
    : '';
  const lines = answered.map((id) => `  '${id}': ${SCHEMAS[id] ?? JSON.stringify(exampleAnswers[id])},`);
  return {
    name,
    code: `${schemas}
import type { Answers } from './answer-types.js';

/** The answers on the code's side. */
export const answers = {
${lines.join('\n')}
} as const satisfies Answers;
`,
    overlay: stringify({ ...overlay, actions }),
  };
}
