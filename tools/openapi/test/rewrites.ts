import { stringify } from 'yaml';

type Plain = unknown;
type Fields = Record<string, Plain>;

/** The document as JSON text with the keys of every map in reverse order. */
export function reversedKeys(document: Plain): string {
  return write(document, (entries) => entries.reverse());
}

/** The document as block YAML. */
export function asYaml(document: Plain): string {
  return stringify(document, { aliasDuplicateObjects: false });
}

/** The document with every reference to a schema replaced by that schema, one level deep. */
export function unrolled(document: Plain): Plain {
  const schemas = schemasOf(document);
  return inPlaceOfReferences(document, (name) => schemas[name] ?? {});
}

/** The document with a copy of each schema; every reference outside of `components` goes to the copy. */
export function withCopies(document: Plain): Plain {
  const rest = without(document, 'components');
  const schemas = schemasOf(document);
  const copies = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${name}2`, schema]));
  const outside = inPlaceOfReferences(rest, (name) => ({ $ref: `#/components/schemas/${name}2` })) as Fields;
  return { ...outside, components: { schemas: { ...schemas, ...copies } } };
}

/** The schemas that something outside of `components` needs. */
export function usedSchemas(document: Plain): ReadonlySet<string> {
  const schemas = schemasOf(document);
  const used = new Set<string>();
  const waiting: Plain[] = [{ ...(document as Fields), components: undefined }];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    for (const name of referencesIn(part)) {
      if (!used.has(name)) waiting.push(schemas[name]);
      used.add(name);
    }
  }
  return used;
}

/** The document in two files: its schemas are in the other one. */
export function inTwoFiles(document: Plain): { 'main.yaml': string; 'parts/schemas.json': string } {
  const rest = without(document, 'components');
  const main = inPlaceOfReferences(rest, (name) => ({ $ref: `parts/schemas.json#/${name}` }));
  const parts = inPlaceOfReferences(schemasOf(document), (name) => ({ $ref: `#/${name}` }));
  return { 'main.yaml': asYaml(main), 'parts/schemas.json': JSON.stringify(parts) };
}

function without(document: Plain, field: string): Fields {
  return Object.fromEntries(Object.entries(document as Fields).filter(([key]) => key !== field));
}

function schemasOf(document: Plain): Fields {
  return (document as { components: { schemas: Fields } }).components.schemas;
}

const DATA = ['example', 'default', 'enum', 'x-data', 'x-extension'];

/** Replaces references that are nothing but references, where OpenAPI reads them as such. */
function inPlaceOfReferences(part: Plain, replacement: (name: string) => Plain, isMap = false): Plain {
  if (Array.isArray(part)) return part.map((item) => inPlaceOfReferences(item, replacement));
  if (typeof part !== 'object' || part === null) return part;
  const name = isMap ? undefined : nameIn(part);
  if (name !== undefined && Object.keys(part).length === 1) return replacement(name);
  const copy: Fields = {};
  for (const [key, value] of Object.entries(part)) {
    const isData = !isMap && DATA.includes(key);
    const isReference = !isMap && key === '$ref' && name !== undefined;
    const rewritten = isReference
      ? (onlyReference(replacement(name)) ?? value)
      : isData
        ? value
        : inPlaceOfReferences(value, replacement, MAPS.includes(key) && !isMap);
    Object.defineProperty(copy, key, {
      value: rewritten,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

const MAPS = ['properties', 'schemas', 'content', 'webhooks'];

function referencesIn(part: Plain): string[] {
  const names: string[] = [];
  inPlaceOfReferences(part, (name) => {
    names.push(name);
    return {};
  });
  return names;
}

function onlyReference(part: Plain): string | undefined {
  const { $ref, ...rest } = part as { $ref?: string };
  return Object.keys(rest).length === 0 ? $ref : undefined;
}

function nameIn(part: object): string | undefined {
  const { $ref } = part as { $ref?: unknown };
  return typeof $ref === 'string' ? /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1] : undefined;
}

function write(value: Plain, order: (entries: [string, Plain][]) => [string, Plain][]): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, order)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = order(Object.entries(value)).map(
    ([key, item]) => `${JSON.stringify(key)}:${write(item, order)}`,
  );
  return `{${entries.join(',')}}`;
}
