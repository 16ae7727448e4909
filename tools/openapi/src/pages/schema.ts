import { code, escape, table } from '../markdown.js';

/** A JSON Schema as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Keywords that a row shows by its name, its type or the rows below it. The others are shown as they are written. */
const SHOWN = [
  '$ref',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'items',
  '$defs',
  'examples',
];

/** How the parts of a schema apply; each part is a numbered row. */
const PARTS: Readonly<Record<string, string>> = {
  allOf: 'all of the numbered parts',
  oneOf: 'exactly one of the numbered parts',
  anyOf: 'at least one of the numbered parts',
};

/** The fields of a schema as a table, those of nested objects too. A `$ref` is a link to the component. */
export function schemaTable(schema: Schema): string {
  return table(['Field', 'Type', 'Required', 'Meaning and rules'], rowsOf(schema, ''));
}

/** A schema on one line: its type and its rules. */
export function schemaLine(schema: Schema): string {
  return [typeOf(schema), ...rulesOf(schema)].join(', ');
}

/** @param required `yes` or `no` for a field, nothing for another part of a schema */
function rowsOf(schema: Schema, path: string, required = ''): string[][] {
  const below = rowsBelow(schema, path);
  const meaning = meaningOf(schema);
  if (path === '' && below.length > 0 && meaning === '' && partsOf(schema).length === 0) return below;
  return [[path === '' ? '(all of it)' : code(path), typeOf(schema), required, meaning], ...below];
}

function rowsBelow(schema: Schema, path: string): string[][] {
  const required = (schema['required'] ?? []) as readonly string[];
  const under = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const items = schemaOf(schema['items']);
  const hasParts = Object.keys(items).some((keyword) => !['type', '$ref'].includes(keyword));
  return [
    ...entriesOf(schema['properties']).flatMap(([name, field]) =>
      rowsOf(field, under(name), required.includes(name) ? 'yes' : 'no'),
    ),
    ...(hasParts ? rowsOf(items, `${path}[]`) : []),
    ...partsOf(schema).flatMap((part, index) => rowsOf(part, `${path}(${index + 1})`)),
    ...entriesOf(schema['$defs']).flatMap(([name, part]) => rowsOf(part, under(`$defs.${name}`))),
  ];
}

function partsOf(schema: Schema): Schema[] {
  return Object.keys(PARTS).flatMap((keyword) => ((schema[keyword] ?? []) as unknown[]).map(schemaOf));
}

function typeOf(schema: Schema): string {
  const { $ref: reference, type, items, properties } = schema;
  if (typeof reference === 'string') return linkTo(reference);
  const named = [type ?? (properties === undefined ? [] : 'object')].flat().map((name) => {
    const isList = name === 'array' && items !== undefined;
    return isList ? `array of ${typeOf(schemaOf(items))}` : escape(name as string);
  });
  const parts = Object.keys(PARTS).flatMap((keyword) => (keyword in schema ? [PARTS[keyword] ?? ''] : []));
  const all = [...(named.length > 0 ? [named.join(' or ')] : []), ...parts];
  return all.join(', and ') || 'anything';
}

/** To the heading of the component. */
function linkTo(reference: string): string {
  const [name = '', ...rest] = decodeURIComponent(reference.replace('#/components/schemas/', '')).split('/');
  return `[${escape([name, ...rest.filter((step) => step !== 'properties')].join('.'))}](#${name.toLowerCase()})`;
}

function meaningOf(schema: Schema): string {
  const sentences = [schema['title'], schema['description']]
    .filter((text) => typeof text === 'string')
    .map((text) => escape(text.trim()).replace(/[^.!?:]$/, '$&.'));
  return [...sentences, rulesOf(schema).join(', ')].filter((part) => part !== '').join(' ');
}

function rulesOf(schema: Schema): string[] {
  return Object.entries(schema)
    .filter(([keyword]) => !SHOWN.includes(keyword) && !(keyword in PARTS))
    .map(([keyword, value]) =>
      code(`${keyword}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    );
}

function entriesOf(value: unknown): [string, Schema][] {
  return Object.entries(value ?? {}).map(([name, schema]) => [name, schemaOf(schema)]);
}

/** `true` says nothing, as an empty schema does, and `false` allows nothing. */
function schemaOf(value: unknown): Schema {
  if (value === false) return { type: 'nothing' };
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
