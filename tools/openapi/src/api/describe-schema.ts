import { scalarText, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { type DocumentReader, jsonOf } from './document-reader.js';
import { join, type Span, type Table, type Text, textOf } from './page.js';

/** Keywords that give a row its name, its type or the rows below it. The others are shown as they are. */
const SHOWN_ELSEWHERE = new Set([
  '$ref',
  '$schema',
  '$id',
  '$anchor',
  '$defs',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'items',
  'oneOf',
  'anyOf',
  'allOf',
  'examples',
  'example',
]);

/** Names what a schema is about where that is no field of something. */
const WHOLE = '(all of it)';

interface Place {
  readonly path: string;
  readonly required: boolean;
  /** The schemas above, so that one that holds itself is not followed forever. */
  readonly above: readonly SourceNode[];
}

/** The fields of a schema as a table, those of nested objects too. */
export function describeSchema(reader: DocumentReader, schema: SourceNode, caption: string): Table {
  const rows = rowsOf(reader, schema, { path: '', required: true, above: [] });
  return { kind: 'table', caption, head: ['Field', 'Type', 'Required', 'Meaning and rules'], rows };
}

const PARTS = ['properties', 'items', 'oneOf', 'anyOf', 'allOf'];

/** A schema in a line: its type and its rules, or all of it as JSON where it has parts. */
export function describeInLine(reader: DocumentReader, written: SourceNode): Text {
  const schema = reader.follow(written);
  if (PARTS.some((keyword) => valueAt(schema, keyword) !== undefined)) return [{ code: jsonOf(schema) }];
  return join([[typeOf(reader, schema)], ...rulesOf(reader, schema)], ', ');
}

function rowsOf(reader: DocumentReader, written: SourceNode, place: Place): Text[][] {
  const schema = reader.follow(written);
  const repeats = place.above.includes(schema);
  const below = { ...place, above: [...place.above, schema] };
  const nested = repeats ? [] : rowsBelow(reader, schema, below);
  const meaning = meaningOf(reader, written, schema, repeats);
  const isPlainObject = place.path === '' && nested.length > 0 && meaning.length === 0;
  if (isPlainObject) return nested;
  const name: Span = place.path === '' ? WHOLE : { code: place.path };
  const row = [[name], [typeOf(reader, written)], [place.required ? 'yes' : 'no'], meaning];
  return [row, ...nested];
}

function rowsBelow(reader: DocumentReader, schema: SourceNode, place: Place): Text[][] {
  const required = new Set(reader.items(valueAt(schema, 'required')).map((item) => plainText(item)));
  const properties = valueAt(schema, 'properties');
  const fields = properties?.kind === 'map' ? [...properties.entries] : [];
  const items = valueAt(schema, 'items');
  const parts = alternativesOf(schema);
  return [
    ...fields.flatMap(([name, { value }]) =>
      rowsOf(reader, value, {
        ...place,
        path: place.path === '' ? name : `${place.path}.${name}`,
        required: required.has(name),
      }),
    ),
    ...(items === undefined || isSimple(reader, items)
      ? []
      : rowsOf(reader, items, { ...place, path: `${place.path}[]`, required: false })),
    ...parts.flatMap(({ keyword, node }, index) =>
      keyword === 'allOf'
        ? rowsBelowOrSelf(reader, node, place)
        : rowsOf(reader, node, { ...place, path: `${place.path}(${index + 1})`, required: false }),
    ),
  ];
}

/** The parts of an `allOf` are fields of the whole. */
function rowsBelowOrSelf(reader: DocumentReader, written: SourceNode, place: Place): Text[][] {
  const schema = reader.follow(written);
  if (place.above.includes(schema)) return [];
  return rowsBelow(reader, schema, { ...place, above: [...place.above, schema] });
}

function alternativesOf(schema: SourceNode): { keyword: string; node: SourceNode }[] {
  return ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => {
    const list = valueAt(schema, keyword);
    return list?.kind === 'list' ? list.items.map((node) => ({ keyword, node })) : [];
  });
}

/** Whether a schema says no more than its type, which the row above names already. */
function isSimple(reader: DocumentReader, written: SourceNode): boolean {
  const schema = reader.follow(written);
  return schema.kind !== 'map' || [...schema.entries.keys()].every((keyword) => keyword === 'type');
}

function typeOf(reader: DocumentReader, written: SourceNode): string {
  const schema = reader.follow(written);
  if (schema.kind === 'scalar') return schema.value === false ? 'nothing' : 'anything';
  const named = valueAt(schema, 'type');
  const types =
    named?.kind === 'list' ? named.items.map(plainText) : named === undefined ? [] : [plainText(named)];
  const items = valueAt(schema, 'items');
  const words = types.map((type) =>
    type === 'array' && items !== undefined ? `array of ${typeOf(reader, items)}` : type,
  );
  if (words.length > 0) return words.join(' or ');
  if (valueAt(schema, 'oneOf') !== undefined) return 'exactly one of the numbered';
  if (valueAt(schema, 'anyOf') !== undefined) return 'at least one of the numbered';
  return valueAt(schema, 'properties') !== undefined || valueAt(schema, 'allOf') !== undefined
    ? 'object'
    : 'anything';
}

function meaningOf(reader: DocumentReader, written: SourceNode, schema: SourceNode, repeats: boolean): Text {
  const description = stringAt(written, 'description') ?? stringAt(schema, 'description');
  const title = stringAt(written, 'title') ?? stringAt(schema, 'title');
  const rules = rulesOf(reader, schema);
  const texts: Text[] = [
    ...(title === undefined ? [] : [sentence(title)]),
    ...(description === undefined ? [] : [sentence(description)]),
    ...(rules.length === 0 ? [] : [join(rules, ', ')]),
    ...(repeats ? [['As above: it holds itself.']] : []),
  ];
  return join(texts, ' ');
}

function rulesOf(reader: DocumentReader, schema: SourceNode): Text[] {
  return reader
    .entries(schema)
    .filter(([keyword]) => !SHOWN_ELSEWHERE.has(keyword))
    .map(([keyword, value]) => [{ code: `${keyword}: ${plainText(value)}` }]);
}

/** Text of a document, ended where its author left that out. */
function sentence(written: string): Text {
  const text = written.trim().replace(/\s+/g, ' ');
  return textOf(/[.!?:]$/.test(text) ? text : `${text}.`);
}

/** A word as it is, anything else as JSON. */
function plainText(node: SourceNode): string {
  if (node.kind !== 'scalar') return jsonOf(node);
  return typeof node.value === 'string' ? node.value : scalarText(node);
}
