import { type AnswerSchema, jsonSchemaOf } from '@plant-store/contract';

import type { JsonSchema } from './document-parts.js';

/** Keywords of JSON Schema whose value is data; nothing in it refers to anything. */
const DATA = ['const', 'default', 'enum', 'example', 'examples'];

/** Keywords whose members are named by whoever writes the schema: no member is a keyword. */
const NAMED = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** The schema of an answer as it stands in `components.schemas` under a name. */
export function componentSchema(name: string, schema: AnswerSchema): JsonSchema {
  return moveTo(referenceTo(name).$ref, jsonSchemaOf(schema)) as JsonSchema;
}

/** A reference to a component, or to the part of it to which the keys lead. */
export function referenceTo(name: string, ...keys: readonly string[]): { readonly $ref: string } {
  const steps = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  return { $ref: ['#/components/schemas', name, ...steps].join('/') };
}

/** A schema refers to its own parts from its root, which in a document is not the document's. */
function moveTo(root: string, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => moveTo(root, item));
  if (typeof schema !== 'object' || schema === null) return schema;
  return mapMembers(schema, (value, keyword) => {
    if (keyword === '$ref' && typeof value === 'string') return value.replace(/^#(?=\/|$)/, root);
    if (DATA.includes(keyword)) return value;
    return NAMED.includes(keyword)
      ? mapMembers(value as object, (named) => moveTo(root, named))
      : moveTo(root, value);
  });
}

function mapMembers(members: object, change: (value: unknown, key: string) => unknown): object {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value, key)]));
}
