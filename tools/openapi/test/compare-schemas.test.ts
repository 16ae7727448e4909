import { Ajv2020 } from 'ajv/dist/2020.js';
import { compareSchemas } from '../src/effects/compare-schemas.js';

const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = [], others: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...others,
});

/** A schema, another, a value of the first that the second refuses, and the other way round. */
type Case = readonly [name: string, one: object, other: object, refused: unknown, inReverse: unknown];

const NONE = Symbol('no value is refused');
const companions = object({ name: text, companions: { type: 'array', items: { $ref: '#' } } }, ['name']);
const light = (...values: string[]) => ({
  $ref: '#/$defs/Plant',
  $defs: { Plant: object({ light: { $ref: '#/$defs/Light' } }, ['light']), Light: { enum: values } },
});
const kinds = (least: number) => ({
  oneOf: [
    object({ kind: { const: 'a' }, name: text }, ['kind', 'name']),
    object({ kind: { const: 'b' }, name: { ...text, minLength: least } }, ['kind', 'name']),
  ],
});

test.each<Case>([
  ['the same', object({ name: text }), object({ name: text }), NONE, NONE],
  ['a shortest text', text, { ...text, minLength: 3 }, '', NONE],
  ['a longest text', text, { ...text, maxLength: 20 }, expect.stringMatching(/^.{21}$/), NONE],
  ['a pattern', text, { ...text, pattern: '^[a-z]+$' }, '', NONE],
  [
    'a longest text of a pattern',
    { ...text, pattern: '^[A-Z]+$' },
    { ...text, pattern: '^[A-Z]+$', maxLength: 20 },
    'A'.repeat(21),
    NONE,
  ],
  ['a pattern without the flag u', text, { ...text, pattern: '^[\\w-.]+$' }, '', NONE],
  [
    'a format',
    { ...text, pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    { ...text, format: 'date' },
    expect.anything(),
    expect.anything(),
  ],
  ['an enum value', { enum: ['sun', 'shade'] }, { enum: ['sun'] }, 'shade', NONE],
  ['an enum value behind references', light('sun', 'shade'), light('sun'), { light: 'shade' }, NONE],
  ['a choice', { anyOf: [{ const: 'sun' }, { const: 'shade' }] }, { enum: ['sun'] }, 'shade', NONE],
  ['a bound', { type: 'number', minimum: 0 }, { type: 'number', exclusiveMinimum: 0 }, 0, NONE],
  ['a fraction', { type: 'number' }, { type: 'integer' }, 0.5, NONE],
  ['a multiple', { type: 'number' }, { type: 'number', multipleOf: 0.01 }, 0.005, NONE],
  ['another type', { type: ['string', 'null'] }, text, null, NONE],
  ['a property that may be missing', object({ name: text }), object({ name: text }, ['name']), {}, NONE],
  [
    'a property that only one names',
    object({ name: text }),
    object({ name: text, colour: text }),
    NONE,
    NONE,
  ],
  [
    'a property that nobody names',
    object({ name: text }),
    object({ name: text }, [], { additionalProperties: false }),
    { other: expect.anything() },
    NONE,
  ],
  [
    'an object that names no property',
    { type: 'object' },
    object({ name: text }),
    { name: expect.anything() },
    NONE,
  ],
  [
    'values of other properties',
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: { type: 'number' } },
    { other: '' },
    { other: 0 },
  ],
  ['items', { type: 'array', items: text }, { type: 'array', items: { type: 'number' } }, [''], [0]],
  [
    'a longest list',
    { type: 'array', items: text },
    { type: 'array', maxItems: 3 },
    ['', '', '', ''],
    expect.anything(),
  ],
  [
    'equal items',
    { type: 'array', items: text },
    { type: 'array', items: text, uniqueItems: true },
    expect.anything(),
    NONE,
  ],
  [
    'a part of two schemas',
    { allOf: [object({ a: text }), object({ b: text }, ['b'])] },
    object({ a: text, b: text }, ['a', 'b']),
    { b: '' },
    NONE,
  ],
  ['one branch', kinds(0), kinds(2), { kind: 'b', name: '' }, NONE],
  [
    'a schema that refers to itself',
    companions,
    { ...companions, required: ['name', 'companions'] },
    { name: '' },
    NONE,
  ],
  [
    'properties beside a choice of what is required',
    object({ a: text, b: text }, [], { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    object({ a: text, b: text }, ['a']),
    { b: expect.any(String) },
    NONE,
  ],
  ['anything', {}, object({ name: text }, ['name']), expect.anything(), NONE],
])('%s', (_name, one, other, refused, inReverse) => {
  for (const [sent, taken, want] of [
    [one, other, refused],
    [other, one, inReverse],
  ] as const) {
    const comparison = compareSchemas(sent as never, taken as never);
    expect('refused' in comparison ? comparison.refused : NONE).toEqual(want);
    expect(comparison.tried).toBeGreaterThan(0);
  }
});

test('a value that is shown fits the one schema, and not the other', () => {
  const ajv = new Ajv2020({ strict: false });
  const one = object({ name: { ...text, minLength: 2 }, tags: { type: 'array', items: text, minItems: 1 } }, [
    'tags',
  ]);
  const other = object({
    name: { ...text, maxLength: 5 },
    tags: { type: 'array', items: text, maxItems: 2 },
  });

  const { refused } = compareSchemas(one, other);

  expect([ajv.validate(one, refused), ajv.validate(other, refused)]).toEqual([true, false]);
});

test('the same value each time', () => {
  const [one, other] = [
    object({ code: { ...text, pattern: '^[a-z]{4}$' } }, ['code']),
    object({ code: { ...text, pattern: '^a' } }),
  ];
  expect(compareSchemas(one, other)).toEqual(compareSchemas(one, other));
});

test('a schema without any value is compared with none', () => {
  expect(compareSchemas({ allOf: [text, { type: 'number' }] }, text)).toEqual({ tried: 0 });
});
