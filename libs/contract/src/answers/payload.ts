/** Answers about the content of a delivery: its shape, and the schemas of its fields. */
import { unless } from './checks.js';
import { isObject, type Shape } from './shape.js';

/** The shape of the payload (question `payload`): the plant alone, or an object with the plant in a field. */
export type PayloadShape = 'plant' | { readonly plantField: string };

/** The result of a validation: the value, or what is wrong with it. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  readonly message: string;
}

/**
 * A schema that answers which fields there are (questions `plant-fields`, `event-payload-fields`). It is a Standard
 * Schema and a Standard JSON Schema, both version 1: Zod and ArkType have them built in, Valibot through
 * `@valibot/to-json-schema`. The sender's type, the receiver's validation and the document's schema all come from it.
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

/** Whether an answer is a schema. ArkType's schemas are functions. */
export function isSchema(answer: unknown): answer is AnswerSchema {
  return (
    (typeof answer === 'object' || typeof answer === 'function') && answer !== null && '~standard' in answer
  );
}

/** Answers as JSON, which can be shown and compared: a schema becomes its JSON Schema, all else is JSON already. */
export function plainAnswers(answers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answers).map(([id, answer]) => [id, isSchema(answer) ? jsonSchemaOf(answer) : answer]),
  );
}

/** The shape of an answer that is a schema. */
export const schema: Shape<AnswerSchema> = (value, place) => {
  const standard: unknown = isSchema(value) ? value['~standard'] : undefined;
  if (!isObject(standard)) {
    return [
      `${place} must be a Standard Schema, such as one of Zod. Pass a JSON Schema to jsonSchema() of @plant-store/contract/json-schema`,
    ];
  }
  const { validate, jsonSchema } = standard as Partial<AnswerSchema['~standard']>;
  return [
    ...unless(
      typeof validate === 'function',
      `${place} must be a Standard Schema (it has no validate function)`,
    ),
    ...unless(
      typeof jsonSchema?.input === 'function',
      `${place} must have a JSON Schema. Pass a schema of Valibot to toStandardJsonSchema() of @valibot/to-json-schema`,
    ),
  ];
};

export function payloadFaults(shape: PayloadShape): string[] {
  return unless(shape === 'plant' || shape.plantField !== '', 'plantField must not be empty');
}

export function schemaFaults(schema: AnswerSchema): string[] {
  try {
    jsonSchemaOf(schema);
    return [];
  } catch (error) {
    return [`must have a JSON Schema (${(error as Error).message})`];
  }
}

/** Whether a schema allows only the fields that it names. */
export function isClosed(schema: AnswerSchema): boolean {
  return jsonSchemaOf(schema)['additionalProperties'] === false;
}

/** The fields that a schema names. */
export function fieldsOf(schema: AnswerSchema): string[] {
  return Object.keys((jsonSchemaOf(schema)['properties'] as object | undefined) ?? {});
}
