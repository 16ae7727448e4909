import { type FieldEvidence, type JsonEvidence, JsonFields } from './json-fields.js';

/** What contents have in common. Texts and bytes are contents, and all else is written as JSON. */
function look(...contents: readonly unknown[]): JsonEvidence {
  const fields = new JsonFields();
  for (const content of contents)
    fields.add(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), false);
  return fields.result();
}

/** A row for each field: path, how many of how many, types, formats. */
const rows = ({ fields }: JsonEvidence): string[] =>
  fields.map(({ path, values, of, types, formats }: FieldEvidence) =>
    [path, `${values}/${of}`, ...Object.keys(types), ...formats].join(' '),
  );

const numbered = (count: number, name = 'name'): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, index]));

const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });

test('a field has a row with its types, and how many objects have it', () => {
  expect(rows(look({ a: 1, b: true }, { a: 1.5 }, { a: null, c: [] }, []))).toEqual([
    ' 4/4 object array',
    '/a 3/3 integer number null',
    '/b 1/3 boolean',
    '/c 1/3 array',
  ]);
});

test('items of a list are one field, and names are written as a JSON Pointer has them', () => {
  expect(rows(look({ 'a/b~': [{ id: 1 }, { id: 2 }] }))).toEqual([
    ' 1/1 object',
    '/a~1b~0 1/1 array',
    '/a~1b~0/[] 2/1 object',
    '/a~1b~0/[]/id 2/2 integer',
  ]);
});

test.each<[format: string, has: string[], hasNot: string[]]>([
  ['date-time', ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00'], ['2026-01-31T12:00:00', '2026']],
  ['date', ['2026-01-31', '2028-02-29'], ['2026-02-30', '31.1.2026']],
  ['time', ['12:00:00'], ['25:00:00']],
  ['uuid', ['0b0a3a0e-6f3c-4ab6-8a4e-0d0f6f2a0c11', 'A987FBC9-4BED-3078-CF07-9141BA07C9F3'], ['a-b']],
  ['email', ['fern@plants.example'], ['fern@', 'fern']],
  [
    'uri',
    ['https://plants.example/7?a=b'],
    ['Fern: large', '/relative', `https://a.example/${'a'.repeat(3_000)}`],
  ],
  ['digits', ['0', '-17', '00123'], ['1.5', '', '12 34']],
])('the format %s is stated if all texts have it', (format, has, hasNot) => {
  const formatsOf = (...texts: readonly string[]): readonly string[] => look(texts).fields[1]!.formats;

  expect(formatsOf(...has)).toEqual([format]);
  for (const text of hasNot) expect([text, formatsOf(...has, text, ...has)]).toEqual([text, []]);
});

test.each<[name: string, contents: unknown[], want: Partial<JsonEvidence>]>([
  ['text', ['plain'], { json: 0, other: 1, fields: [] }],
  ['a byte order mark', ['\ufeff{}'], { json: 0, other: 1 }],
  ['more than 1 MiB', [`"${'a'.repeat(1_048_576)}"`], { json: 0, unread: 1 }],
  ['deep lists that are no JSON', ['['.repeat(500_000)], { json: 0, other: 1 }],
])('%s is counted, and not looked at', (_name, contents, want) => {
  expect(look(...contents)).toMatchObject(want);
});

test('encoded content is not parsed', () => {
  const fields = new JsonFields();
  fields.add(Buffer.from('{}'), true);

  expect(fields.result()).toMatchObject({ json: 0, other: 0, unread: 1 });
});

test('names that look like values, and long ones, are not shown', () => {
  const content = {
    name: 1,
    '17': 1,
    '2026-01-31': 1,
    'fern@plants.example': 1,
    '0b0a3a0e-6f3c-4ab6-8a4e-0d0f6f2a0c11': 1,
    ['a'.repeat(65)]: 1,
  };
  expect(rows(look(content))).toEqual([' 1/1 object', '/name 1/1 integer', '/{} 5/1 integer']);
});

test('of more than 100 names at one place, none is shown', () => {
  expect(rows(look({ few: numbered(100) }))).toHaveLength(102);
  const many = look({ before: 1, many: numbered(5_000) }, { many: numbered(3, 'other') });

  expect(rows(many)).toEqual([
    ' 2/2 object',
    '/before 1/2 integer',
    '/many 2/2 object',
    '/many/{} 5003/2 integer',
  ]);
});

test('objects by id become one, with what is known of them', () => {
  const plant = { name: 'Fern', added: '2026-01-31', tags: ['a'], at: numbered(10) };
  const plants = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`plant-${index}`, plant]));

  expect(rows(look(plants, { 'plant-7': { ...plant, name: null } })).slice(0, 6)).toEqual([
    ' 2/2 object',
    '/{} 61/2 object',
    '/{}/name 61/61 string null',
    '/{}/added 61/61 string date',
    '/{}/tags 61/61 array',
    '/{}/tags/[] 61/61 string',
  ]);
});

test('what is too deep, or beyond 500 fields, is counted', () => {
  expect(look(nested(20))).toMatchObject({ further: 1, inPart: 0 });
  expect(look(nested(20)).fields).toHaveLength(9);
  const wide = (depth: number): unknown =>
    depth === 0
      ? 1
      : Object.fromEntries(
          Array.from({ length: 8 }, (_, index) => `name${index}`).map((name) => [name, wide(depth - 1)]),
        );
  const found = look(wide(3), wide(4));

  expect(found.fields).toHaveLength(500);
  expect(found.further).toBe(2 * (1 + 8 + 64 + 512) + 4_096 - 2 * 500);
});

test('of a content with very many values, a part is looked at', () => {
  expect(look(Array.from({ length: 20_000 }, () => 1))).toMatchObject({ json: 1, inPart: 1 });
  expect(look(Array.from({ length: 9_999 }, () => 1))).toMatchObject({ json: 1, inPart: 0 });
});

test('a name may be one of JavaScript', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  expect(rows(look(`{${names.map((name) => `"${name}":1`).join()}}`)).slice(1)).toEqual(
    names.map((name) => `/${name} 1/1 integer`),
  );
});
