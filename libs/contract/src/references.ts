/** The references in a JSON Schema, which lead to its own parts. */
import { keysOf, partAt } from './json-pointer.js';

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that change what a reference means. The document has all schemas in one place, so it can't have them. */
const NOT_SUPPORTED = ['$anchor', '$dynamicAnchor', '$dynamicRef', '$id', '$recursiveRef'];

/** Keywords of JSON Schema whose value is data, in which nothing is a keyword. */
const DATA = ['const', 'default', 'enum', 'example', 'examples'];

/** Keywords whose members have names of the author's choice: no member is a keyword. */
const NAMED = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** A schema may refer to its own parts, and to nothing else. */
export function referenceFaults(root: JsonSchema): string[] {
  const faults: string[] = [];
  mapKeywords(root, (value, keyword) => {
    if (NOT_SUPPORTED.includes(keyword)) {
      faults.push(`must not have ${keyword}. Name a part in $defs, and refer to it with $ref`);
    }
    if (keyword === '$ref' && !refersToPart(root, value)) {
      faults.push(`must refer only to its own parts, such as #/$defs/Name (got ${JSON.stringify(value)})`);
    }
    return value;
  });
  return faults;
}

function refersToPart(root: JsonSchema, reference: unknown): boolean {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return false;
  return partAt(root, stepsOf(reference)) !== undefined;
}

/** The keys on the way that a reference names (RFC 6901 §6). */
export function stepsOf(reference: string): string[] {
  return keysOf(decodeURIComponent(reference));
}

/** Changes the value of each `$ref` in a schema. */
export function mapReferences(schema: JsonSchema, change: (reference: string) => string): JsonSchema {
  return mapKeywords(schema, (value, keyword) =>
    keyword === '$ref' && typeof value === 'string' ? change(value) : value,
  ) as JsonSchema;
}

/** Changes the value of each keyword of a schema, and then those of the schemas in it. */
function mapKeywords(schema: unknown, change: (value: unknown, keyword: string) => unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapKeywords(item, change));
  return mapMembers(schema, (value, keyword) => {
    const changed = change(value, keyword);
    if (DATA.includes(keyword)) return changed;
    return NAMED.includes(keyword)
      ? mapMembers(changed, (named) => mapKeywords(named, change))
      : mapKeywords(changed, change);
  });
}

/** Changes the members of an object. Anything else stays. */
function mapMembers(value: unknown, change: (member: unknown, key: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
}
