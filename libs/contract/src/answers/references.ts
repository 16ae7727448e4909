/** The references in a JSON Schema, which lead to its own parts. */
import { keysOf } from './json-pointer.js';
import { isObject } from './shape.js';

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that change what a reference means. The document has all schemas in one place, so it can't have them. */
const NOT_SUPPORTED = ['$anchor', '$dynamicAnchor', '$dynamicRef', '$id', '$recursiveRef'];

/** A schema may refer to its own parts, and to nothing else. */
export function referenceFaults(root: JsonSchema): string[] {
  const faults: string[] = [];
  visitKeywords(root, (keyword, value) => {
    if (NOT_SUPPORTED.includes(keyword)) {
      faults.push(`must not have ${keyword}. Name a part in $defs, and refer to it with $ref`);
    }
    if (keyword === '$ref' && !refersToPart(root, value)) {
      faults.push(`must refer only to its own parts, such as #/$defs/Name (got ${JSON.stringify(value)})`);
    }
  });
  return faults;
}

function refersToPart(root: JsonSchema, reference: unknown): boolean {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return false;
  let part: unknown = root;
  for (const step of stepsOf(reference)) part = (part as JsonSchema | undefined)?.[step];
  return part !== undefined;
}

/** The keys on the way that a reference names (RFC 6901 §6). */
export function stepsOf(reference: string): string[] {
  return keysOf(decodeURIComponent(reference));
}

/** Keywords of JSON Schema whose value is data, in which nothing is a keyword. */
const DATA = ['const', 'default', 'enum', 'example', 'examples'];

/** Keywords whose members have names of the author's choice: no member is a keyword. */
const NAMED = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** Rewrites the value of each `$ref` in a schema. */
export function mapReferences(schema: unknown, change: (reference: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapReferences(item, change));
  if (!isObject(schema)) return schema;
  return mapMembers(schema, (value, keyword) => {
    if (keyword === '$ref' && typeof value === 'string') return change(value);
    if (DATA.includes(keyword)) return value;
    return NAMED.includes(keyword) && isObject(value)
      ? mapMembers(value, (named) => mapReferences(named, change))
      : mapReferences(value, change);
  });
}

/** Calls `visit` for each keyword of a schema and of the schemas in it. */
function visitKeywords(schema: unknown, visit: (keyword: string, value: unknown) => void): void {
  if (Array.isArray(schema)) for (const item of schema) visitKeywords(item, visit);
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    visit(keyword, value);
    if (DATA.includes(keyword)) continue;
    visitKeywords(NAMED.includes(keyword) && isObject(value) ? Object.values(value) : value, visit);
  }
}

function mapMembers(members: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value, key)]));
}
