import { isExecutable, openQuestions, type QuestionId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { FILES } from '../../src/repository.js';
import { ROOT } from '../clone.js';

/** A set of answers, as somebody enters it by hand. */
export interface AnswerSet {
  readonly name: string;
  /** libs/contract/src/answers.ts */
  readonly code: string;
  /** libs/contract/spec/answers.overlay.yaml */
  readonly overlay: string;
}

/** The libraries of schemas that a set may import. */
const LIBRARIES = { ajv: / from 'ajv\//, zod: / from 'zod'/ };

const EXAMPLES = join(ROOT, 'libs/example-answers');

/** The examples that are schemas, as a team writes them. */
const SCHEMAS: { readonly [Id in QuestionId]?: string } = {
  'plant-fields':
    'z.object({ name: z.string().min(1), heightInCentimetres: z.number().positive().optional() })',
  'event-payload-fields': String.raw`z.object({ addedOn: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) })`,
};

/** All example answers together, two payloads as teams have them, and all answers that are words. */
export function answerSets(): AnswerSet[] {
  const ids = openQuestions.map(({ id }) => id);
  return [
    exampleSet('all-together', ids),
    payloadSet('real-payload'),
    payloadSet('json-schema-payload'),
    exampleSet(
      'in-words',
      ids.filter((id) => !isExecutable(id)),
    ),
  ];
}

/** A module of the examples, with the imports that it needs within the contract. */
function payloadSet(name: string): AnswerSet {
  const code = readFileSync(`${EXAMPLES}/src/${name}.ts`, 'utf8')
    .replace(`'@plant-store/contract/json-schema'`, `'./json-schema.js'`)
    .replace(`'@plant-store/contract'`, `'./answer-types.js'`);
  return { name, code, overlay: readFileSync(`${EXAMPLES}/${name}.overlay.yaml`, 'utf8') };
}

function exampleSet(name: string, answered: readonly QuestionId[]): AnswerSet {
  const overlay = parse(readFileSync(`${EXAMPLES}/example-answers.overlay.yaml`, 'utf8')) as {
    readonly actions: readonly { readonly 'x-question': QuestionId }[];
  };
  const actions = overlay.actions.filter((action) => answered.includes(action['x-question']));
  const schemas = answered.some((id) => id in SCHEMAS) ? `import { z } from 'zod';` : '';
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

/** Enters answers into a clone, on both sides. Returns the files that it wrote. */
export function enterAnswers(clone: string, { code, overlay }: AnswerSet): string[] {
  const libraries = Object.entries(LIBRARIES).flatMap(([name, from]) => (from.test(code) ? [name] : []));
  const files = { [FILES.answers]: code, [FILES.overlay]: overlay, ...withDependencies(clone, libraries) };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(clone, file), text);
  return Object.keys(files);
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The manifest with libraries as dependencies of the contract, as docs/how-to/answer-a-question.md says. */
function withDependencies(clone: string, libraries: readonly string[]): Record<string, string> {
  const read = (file: string): string => readFileSync(join(clone, file), 'utf8');
  const manifest = 'libs/contract/package.json';
  const examples = JSON.parse(read('libs/example-answers/package.json')) as Manifest;
  const { dependencies = {}, devDependencies = {}, ...rest } = JSON.parse(read(manifest)) as Manifest;
  const added = libraries.filter((name) => !Object.hasOwn(dependencies, name));
  if (added.length === 0) return {};
  const others = Object.entries(devDependencies).filter(([name]) => !added.includes(name));
  const versions = added.map((name) => [name, examples.dependencies?.[name]] as const);
  return {
    [manifest]: JSON.stringify({
      ...rest,
      dependencies: { ...dependencies, ...Object.fromEntries(versions) },
      ...(others.length > 0 && { devDependencies: Object.fromEntries(others) }),
    }),
  };
}
