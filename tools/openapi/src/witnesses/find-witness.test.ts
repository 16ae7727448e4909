import { reader, withSchema } from '../../test/documents.js';
import { changesBetween } from '../changes/changes.js';

const changes = (before: string, after: string) =>
  changesBetween({
    before: { readText: reader({ a: before }), path: 'a' },
    after: { readText: reader({ b: after }), path: 'b' },
  });

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const closed = (properties: object) => object(properties, { additionalProperties: false });
const text = { type: 'string' };

describe('a change of a schema that breaks', () => {
  it.each<{ name: string; given: readonly [unknown, unknown]; want: object }>([
    {
      name: 'a value of an enum, deep in the message',
      given: [
        object({ a: { type: 'array', items: object({ b: { enum: [1] } }) } }, { required: ['id'] }),
        object({ a: { type: 'array', items: object({ b: { enum: [1, 2] } }) } }, { required: ['id'] }),
      ],
      want: { receiver: { value: { a: [{ b: 2 }], id: '' }, at: '/a/0/b' } },
    },
    {
      name: 'a bound, at the value beside it',
      given: [
        { type: 'integer', maximum: 10 },
        { type: 'integer', maximum: 5 },
      ],
      want: { sender: { value: 6, at: '' } },
    },
    {
      name: 'a text beside one that has to match a pattern',
      given: [
        closed({ a: { type: 'string', pattern: '^[0-9]{3}$' }, b: text }),
        closed({ a: { type: 'string', pattern: '^[0-9]{3}$' }, b: { type: 'null' } }),
      ],
      want: { receiver: { value: { b: null } } },
    },
    {
      name: 'a property of a closed schema, with what else has to be there',
      given: [closed({ a: text }), closed({ a: text, b: object({ c: text }, { required: ['c'] }) })],
      want: { receiver: { value: { b: { c: '' } }, at: '/b' } },
    },
    {
      name: 'an alternative that only the new document has',
      given: [{ anyOf: [{ const: 1 }] }, { anyOf: [{ const: 1 }, { const: 2 }] }],
      want: { receiver: { value: 2 } },
    },
    {
      name: 'under not',
      given: [
        { type: 'string', not: { maxLength: 1 } },
        { type: 'string', not: { maxLength: 2 } },
      ],
      want: { sender: { value: 'aa' } },
    },
  ])('is shown by a message: $name', ({ given: [before, after], want }) => {
    const [change] = changes(withSchema(before), withSchema(after));
    expect(change).toMatchObject({ verdict: 'breaking', witnesses: want });
  });

  it('is shown by a part if no message fits', () => {
    const given = (type: string) =>
      object({ a: { allOf: [text, { type: 'null' }] }, b: { type } }, { required: ['a'] });
    const [change] = changes(withSchema(given('string')), withSchema(given('null')));
    expect(change).toMatchObject({
      verdict: 'breaking',
      witnesses: { receiver: { value: null, at: '', schema: '/properties/b' } },
    });
  });

  it.each<{ name: string; given: readonly [unknown, unknown] }>([
    {
      name: 'another alternative allows it',
      given: [
        { anyOf: [text, { type: 'null' }] },
        { anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] },
      ],
    },
    {
      name: 'another keyword refuses it',
      given: [
        { type: 'integer', maximum: 1, const: 0 },
        { type: 'integer', maximum: 2, const: 0 },
      ],
    },
    {
      name: 'the schema is not valid',
      given: [
        { type: 'strin', maximum: 1 },
        { type: 'strin', maximum: 2 },
      ],
    },
  ])('is unproven where $name', ({ given: [before, after] }) => {
    expect(changes(withSchema(before), withSchema(after)).map(({ verdict }) => verdict)).toEqual([
      'unproven',
    ]);
  });

  it('has a witness of its own, whatever else changed', () => {
    const before = { type: 'integer', maximum: 10, exclusiveMaximum: 3 };
    const given = (schema: object, required: string[]) => withSchema(object({ a: schema }, { required }));
    const found = changes(given(before, ['a']), given({ ...before, maximum: 5 }, ['a', 'b']));
    expect(found.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['request-required-changed', 'breaking'],
      ['request-maximum-changed', 'unproven'],
    ]);
  });
});

describe('an optional property', () => {
  it('that comes where further ones are allowed is additive, below what breaks', () => {
    const found = changes(
      withSchema(object({ a: text, b: text })),
      withSchema(object({ a: text, b: { type: 'null' }, c: text })),
    );
    expect(found.map(({ what, verdict }) => [what, verdict])).toEqual([
      ['type changed', 'breaking'],
      ['property added', 'additive'],
    ]);
  });
});

describe('the search ends', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const last = (type: string) => ({ S60: { type } });
  const chain = (link: (next: object) => object) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`S${index}`, link(ref(`S${index + 1}`))]),
    ) as object;
  it.each<{ name: string; link: (next: object) => object }>([
    {
      name: 'a schema that needs very large values',
      link: (next) => object({ a: next, b: next }, { required: ['a', 'b'] }),
    },
    { name: 'a schema with very many alternatives', link: (next) => ({ anyOf: [next, { not: next }] }) },
    {
      name: 'a schema that applies itself very often',
      link: (next) => ({ allOf: [next, { allOf: [next] }] }),
    },
  ])(
    'for $name',
    ({ link }) => {
      const given = (type: string) => withSchema(ref('S0'), { ...chain(link), ...last(type) });
      expect(changes(given('string'), given('null'))).toMatchObject([{ id: 'request-type-changed' }]);
    },
    60_000,
  );

  it('for a pattern that takes very long', () => {
    const given = (maxLength: number) => withSchema({ type: 'string', pattern: '^(a|a)*b$', maxLength });
    expect(changes(given(50), given(40))).toMatchObject([{ id: 'request-max-length-changed' }]);
  });

  it('for a schema that only leads to itself', () => {
    const given = (type: string) => withSchema({ anyOf: [ref('A'), { type }] }, { A: { allOf: [ref('A')] } });
    expect(changes(given('string'), given('null'))).toMatchObject([{ verdict: 'unproven' }]);
  });
});
