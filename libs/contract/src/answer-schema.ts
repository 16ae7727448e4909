/** Answers that are schemas: the fields of a plant and of its event. */
import { type JsonSchema, referenceFaults, stepsOf } from './references.js';
import { COMPONENT_NAME } from './standards.js';

/** The result of a validation: the value, or what is wrong with it. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  /** For people, in the words of the schema's library. */
  readonly message: string;
}

/**
 * A schema that answers which fields there are (questions `plant-fields`, `event-payload-fields`). It is a Standard
 * Schema and a Standard JSON Schema, both version 1: Zod and ArkType have them built in, Valibot through
 * `@valibot/to-json-schema`, a plain JSON Schema through `@plant-store/contract/json-schema`. The sender's type, the
 * receiver's validation and the document's schema all come from it.
 */
export interface AnswerSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly jsonSchema: {
      /** The JSON Schema of what is sent. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The type of the values that a schema accepts. */
export type SchemaInput<Schema extends AnswerSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** The JSON Schema of what is sent, for OpenAPI 3.1: without `$schema`, since OpenAPI 3.1 sets the dialect itself. */
export function jsonSchemaOf(schema: AnswerSchema): Record<string, unknown> {
  const stated = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return Object.fromEntries(Object.entries(stated).filter(([key]) => key !== '$schema'));
}

/** Whether an answer is a Standard Schema. ArkType's schemas are functions. It need not have a JSON Schema. */
export function isSchema(answer: unknown): answer is AnswerSchema {
  const standard = (answer as Partial<AnswerSchema> | null | undefined)?.['~standard'];
  return typeof standard?.validate === 'function';
}

/** Answers as JSON, which can be shown and compared: a schema becomes its JSON Schema, all else is JSON already. */
export function plainAnswers(answers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answers).map(([id, answer]) => [id, isSchema(answer) ? jsonSchemaOf(answer) : answer]),
  );
}

/** What to write instead of a type that JSON doesn't have, by what a library says about it. */
const INSTEAD: readonly [says: RegExp, write: string][] = [
  [/no schema with key or ref "https:\/\/json-schema/, 'Pass an Ajv2020 of ajv/dist/2020.js'],
  [/unknown format/, 'Add the formats of ajv-formats to the Ajv2020'],
  [
    /bigint/i,
    'Write a whole number up to 2^53 - 1, such as z.int(), or text, such as z.string().regex(/^\\d+$/)',
  ],
  [/date/i, 'Write text, such as z.iso.datetime() or z.iso.date()'],
  [
    /cannot be (?:represented|converted)/i,
    'Write a type of JSON: text, number, boolean, null, list or object',
  ],
];

/** What is wrong with a schema as an answer. */
export function schemaFaults(schema: AnswerSchema): string[] {
  const { jsonSchema } = schema['~standard'] as Partial<AnswerSchema['~standard']>;
  if (typeof jsonSchema?.input !== 'function') {
    return [
      'must have a JSON Schema. Pass a schema of Valibot to toStandardJsonSchema() of @valibot/to-json-schema',
    ];
  }
  try {
    return [...documentFaults(jsonSchemaOf(schema))];
  } catch (error) {
    const { message } = error as Error;
    const write = INSTEAD.find(([says]) => says.test(message))?.[1];
    return [`must have a JSON Schema (${message})${write === undefined ? '' : `. ${write}`}`];
  }
}

/** What the document can't show of a JSON Schema. */
function* documentFaults(stated: JsonSchema): Generator<string> {
  yield* referenceFaults(stated);
  if (rootOf(stated)['unevaluatedProperties'] === false) {
    yield 'must not have unevaluatedProperties. Name all fields in properties, and write additionalProperties: false';
  }
  for (const name of Object.keys((stated['$defs'] as object | undefined) ?? {})) {
    if (COMPONENT_NAME.test(name)) continue;
    yield `must name the parts in $defs with letters, digits, dots, hyphens and underscores, for they become components (got ${JSON.stringify(name)})`;
  }
}

/** The schema of the value itself: the definition, if all of the schema is a reference to one. */
export function rootOf({ $defs, ...root }: JsonSchema): JsonSchema {
  const name = soleDefinition(root);
  return name === undefined ? root : (($defs as JsonSchema)[name] as JsonSchema);
}

/** The name of the definition that is all of a schema without its `$defs`: `{ "$ref": "#/$defs/Plant" }`. */
export function soleDefinition(root: JsonSchema): string | undefined {
  const { $ref, ...others } = root;
  if (typeof $ref !== 'string' || Object.keys(others).length > 0) return undefined;
  const [keyword, name, ...below] = stepsOf($ref);
  return keyword === '$defs' && below.length === 0 ? name : undefined;
}
