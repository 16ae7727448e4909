import { type Block, join, type Span, type Text, textOf } from '../format/page.js';

/** A JSON Schema as OpenAPI 3.1 has it, as far as this page reads it. */
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
export function schemaTable(schema: Schema, caption: string): Block {
  const rows = rowsOf(schema, '');
  return { kind: 'table', caption, head: ['Field', 'Type', 'Required', 'Meaning and rules'], rows };
}

/** A schema on one line: its type and its rules. */
export function schemaLine(schema: Schema): Text {
  return join([typeOf(schema), ...rulesOf(schema)], ', ');
}

/** The id of the section that describes `components.schemas` under a name. */
export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** @param required `yes` or `no` for a field, nothing for another part of a schema */
function rowsOf(schema: Schema, path: string, required = ''): Text[][] {
  const below = rowsBelow(schema, path);
  const meaning = meaningOf(schema);
  const isPlainObject = below.length > 0 && meaning.length === 0 && partsOf(schema).length === 0;
  if (path === '' && isPlainObject) return below;
  const name: Span = path === '' ? '(all of it)' : { code: path };
  return [[[name], typeOf(schema), [required], meaning], ...below];
}

function rowsBelow(schema: Schema, path: string): Text[][] {
  const required = schema['required'];
  const isRequired = (name: string): string =>
    Array.isArray(required) && required.includes(name) ? 'yes' : 'no';
  const under = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const items = schemaOf(schema['items']);
  return [
    ...entriesOf(schema['properties']).flatMap(([name, field]) =>
      rowsOf(field, under(name), isRequired(name)),
    ),
    ...(Object.keys(items).some((keyword) => keyword !== 'type' && keyword !== '$ref')
      ? rowsOf(items, `${path}[]`)
      : []),
    ...partsOf(schema).flatMap((part, index) => rowsOf(part, `${path}(${index + 1})`)),
    ...entriesOf(schema['$defs']).flatMap(([name, part]) => rowsOf(part, under(`$defs.${name}`))),
  ];
}

function partsOf(schema: Schema): Schema[] {
  return Object.keys(PARTS).flatMap((keyword) => {
    const parts = schema[keyword];
    return Array.isArray(parts) ? parts.map(schemaOf) : [];
  });
}

function typeOf(schema: Schema): Text {
  const { $ref: reference, type, items, properties } = schema;
  if (typeof reference === 'string') return [linkTo(reference)];
  const named = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string');
  const types = (named.length === 0 && properties !== undefined ? ['object'] : named).map((name): Text => {
    const isList = name === 'array' && items !== undefined;
    return isList ? ['array of ', ...typeOf(schemaOf(items))] : [name];
  });
  const parts = Object.keys(PARTS).flatMap((keyword): Text[] =>
    keyword in schema ? [[PARTS[keyword] ?? '']] : [],
  );
  const all = [...(types.length > 0 ? [join(types, ' or ')] : []), ...parts];
  return all.length === 0 ? ['anything'] : join(all, ', and ');
}

function linkTo(reference: string): Span {
  const [name = '', ...rest] = decodeURIComponent(reference.replace('#/components/schemas/', '')).split('/');
  return { to: schemaId(name), text: [name, ...rest.filter((step) => step !== 'properties')].join('.') };
}

function meaningOf(schema: Schema): Text {
  const words = [schema['title'], schema['description']].filter((text) => typeof text === 'string');
  const sentences = words.map((text) =>
    textOf(/[.!?:]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`),
  );
  const rules = rulesOf(schema);
  return join([...sentences, ...(rules.length === 0 ? [] : [join(rules, ', ')])], ' ');
}

function rulesOf(schema: Schema): Text[] {
  return Object.entries(schema)
    .filter(([keyword]) => !SHOWN.includes(keyword) && !(keyword in PARTS))
    .map(([keyword, value]) => [
      { code: `${keyword}: ${typeof value === 'string' ? value : JSON.stringify(value)}` },
    ]);
}

function entriesOf(value: unknown): [string, Schema][] {
  return Object.entries(value ?? {}).map(([name, schema]) => [name, schemaOf(schema)]);
}

/** `true` says nothing, as an empty schema does, and `false` allows nothing. */
function schemaOf(value: unknown): Schema {
  if (value === false) return { type: 'nothing' };
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
