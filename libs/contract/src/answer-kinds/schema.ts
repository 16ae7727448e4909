/** What a schema finds in a value: the value, or what is wrong with it. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  readonly message: string;
}

/**
 * A schema of the library that a team prefers, with which fields are answered: Standard Schema and Standard JSON
 * Schema, version 1, which Zod and ArkType carry themselves, and Valibot through `@valibot/to-json-schema`. The
 * sender's type, the receiver's check and the schema in the document all come from it.
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

/** The type of what a schema takes. */
export type SchemaInput<Schema extends AnswerSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** The JSON Schema of what is sent, as OpenAPI 3.1 takes it: without the name of its dialect, which is OpenAPI's own. */
export function jsonSchemaOf(schema: AnswerSchema): Record<string, unknown> {
  const stated = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return Object.fromEntries(Object.entries(stated).filter(([key]) => key !== '$schema'));
}

/** Whether an answer is a schema, which may be a function. */
export function isSchema(answer: unknown): answer is AnswerSchema {
  return (
    (typeof answer === 'object' || typeof answer === 'function') && answer !== null && '~standard' in answer
  );
}
