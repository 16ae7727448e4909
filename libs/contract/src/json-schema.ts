/**
 * `@plant-store/contract/json-schema`: an answer that is a plain JSON Schema. It needs `ajv`, which the caller passes,
 * so that the contract depends on nothing.
 */
import type { JsonSchema } from './references.js';
import type { AnswerSchema, SchemaResult } from './answer-schema.js';

/** The dialect of OpenAPI 3.1, and the one that `Ajv2020` reads. */
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The part of an `Ajv2020` (`ajv/dist/2020.js`) that is used. */
export interface JsonSchemaCompiler {
  compile(schema: JsonSchema): CompiledSchema;
}

interface CompiledSchema {
  (value: unknown): unknown;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/**
 * Makes an answer to `plant-fields` or `event-payload-fields` of a JSON Schema, draft 2020-12.
 *
 * A schema that `ajv` can't compile is a fault of the answer, which `answerFaults` reports; nothing is thrown here.
 *
 * @typeParam Type The type of the values, for the sender. It isn't derived from the schema.
 * @param ajv An `Ajv2020`, with the formats and keywords that the schema uses. It must not change values: leave out
 *   `coerceTypes`, `useDefaults` and `removeAdditional`.
 */
export function jsonSchema<Type>(ajv: JsonSchemaCompiler, schema: JsonSchema): AnswerSchema<Type> {
  let compiled: CompiledSchema | undefined;
  const compile = (): CompiledSchema => (compiled ??= ajv.compile({ ...schema, $schema: dialectOf(schema) }));
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: (value) => resultOf<Type>(compile(), value),
      jsonSchema: {
        input: () => {
          compile();
          return { ...schema };
        },
      },
    },
  };
}

function dialectOf({ $schema = DIALECT }: JsonSchema): string {
  if ($schema === DIALECT) return DIALECT;
  throw new Error(`its $schema must be ${DIALECT}, the dialect of OpenAPI 3.1`);
}

function resultOf<Type>(compiled: CompiledSchema, value: unknown): SchemaResult<Type> {
  if (compiled(value) === true) return { value: value as Type };
  const issues = (compiled.errors ?? []).map(({ instancePath, message = 'is not valid' }) => ({
    message: `${instancePath} ${message}`.trimStart(),
  }));
  return { issues };
}
