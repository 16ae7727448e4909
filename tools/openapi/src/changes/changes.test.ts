import { documentOf, reader, SCHEMA, withSchema } from '../../test/documents.js';
import { type Change, changesBetween } from './changes.js';
import { listRules } from './list-rules.js';

const changes = (before: string, after: string): readonly Change[] =>
  changesBetween({
    before: { readText: reader({ a: before }), path: 'a' },
    after: { readText: reader({ b: after }), path: 'b' },
  });

const told = (before: string, after: string): string[] =>
  changes(before, after).map(({ what, pointer }) => `${what}: ${pointer}`);

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const receiving = (schema: object) => ({ post: { requestBody: { content: { 'a/b': { schema } } } } });
const responding = (schema: object) => ({ post: { responses: { 200: { content: { 'a/b': { schema } } } } } });

describe('a webhook that comes or goes is one change', () => {
  const shared = { type: 'object', properties: { id: { type: 'string' } } };
  const schemas = {
    Shared: shared,
    A: { allOf: [ref('Shared')], properties: { a: ref('Leaf') } },
    Leaf: shared,
  };
  const one = { one: receiving(ref('Shared')) };
  const both = { ...one, two: receiving(ref('A')) };
  const document = (webhooks: object, components: object) =>
    documentOf({ webhooks, components: { schemas: components } });
  it.each<{ name: string; few: string }>([
    { name: 'with its components', few: document(one, { Shared: shared }) },
    { name: 'without its components, which nothing uses then', few: document(one, schemas) },
  ])('$name', ({ few }) => {
    const many = document(both, schemas);
    expect(told(many, few)).toEqual(['webhook removed: /webhooks/two']);
    expect(told(few, many)).toEqual(['webhook added: /webhooks/two']);
  });

  it('even the only one', () => {
    const section = { components: { schemas: { Shared: shared } } };
    const [none, given] = [
      documentOf({ paths: {}, ...section }),
      documentOf({ paths: {}, webhooks: one, ...section }),
    ];
    expect(told(given, none)).toEqual(['webhook removed: /webhooks/one']);
    expect(told(none, given)).toEqual(['webhook added: /webhooks/one']);
  });

  it('and a component that nothing uses before and after is still told', () => {
    expect(told(document(one, { Shared: shared }), document(one, { Shared: shared, New: {} }))).toEqual([
      'components.schemas.* added: /components/schemas/New',
    ]);
  });
});

describe('a change of a component that nothing uses is told, though what it names is used', () => {
  const document = (unused: object) => {
    const webhooks = { a: receiving({ items: ref('A') }), b: receiving(ref('B')) };
    return documentOf({
      webhooks,
      components: { schemas: { A: { type: 'string' }, B: { type: 'null' }, C: unused } },
    });
  };
  it.each<{ name: string; after: object }>([
    { name: 'a reference goes', after: {} },
    { name: 'a reference leads to another part', after: { items: ref('B') } },
  ])('$name', ({ after }) => {
    expect(told(document({ items: ref('A') }), document(after))).toEqual([
      expect.stringContaining(': /components/schemas/C/items'),
    ]);
  });
});

describe('changes are counted by the part that changed', () => {
  it('two new properties of the same schema are two', () => {
    const given = (properties: object) =>
      withSchema({ properties: { id: {}, ...properties } }, { A: { enum: [1] } });
    expect(told(given({ old: ref('A') }), given({ old: ref('A'), a: ref('A'), b: ref('A') }))).toEqual([
      `property added: ${SCHEMA}/properties/a`,
      `property added: ${SCHEMA}/properties/b`,
    ]);
  });

  it('equal changes of two schemas are two', () => {
    const given = (type: string) =>
      withSchema({ properties: { a: ref('A'), b: ref('B') } }, { A: { type }, B: { type } });
    expect(told(given('string'), given('null'))).toEqual([
      `type changed: ${SCHEMA}/properties/a/type`,
      `type changed: ${SCHEMA}/properties/b/type`,
    ]);
  });

  it('a shared schema in two places is one', () => {
    const given = (type: string) => withSchema({ properties: { a: ref('A'), b: ref('A') } }, { A: { type } });
    expect(changes(given('string'), given('null'))).toMatchObject([
      { pointer: `${SCHEMA}/properties/a/type`, alsoAt: [`${SCHEMA}/properties/b/type`], more: 0 },
    ]);
  });
});

describe('a schema that is used in very many places', () => {
  const given = (size: number, type: unknown) => {
    const responses = Array.from({ length: size }, (_, index) => [`w${index}`, responding(ref('A'))]);
    const webhooks = { ...(Object.fromEntries(responses) as object), last: receiving(ref('A')) };
    return documentOf({ webhooks, components: { schemas: { A: { type } } } });
  };

  it('breaks whom it breaks at the last of them', () => {
    const found = changes(given(1200, ['string', 'null']), given(1200, 'string'));
    expect(found.map(({ verdicts, pointer, more }) => [verdicts, pointer, more])).toEqual([
      [
        { receiver: 'breaking', sender: 'not breaking' },
        '/webhooks/w0/post/responses/200/content/a~1b/schema/type',
        1190,
      ],
      [
        { receiver: 'not breaking', sender: 'breaking' },
        '/webhooks/last/post/requestBody/content/a~1b/schema/type',
        0,
      ],
    ]);
  });

  it('counts them all and lists ten', () => {
    const [change] = changes(given(1200, ['string', 'null']), given(1200, 'string'));
    expect(change?.alsoAt).toHaveLength(9);
  });

  it('needs no time for each of them', () => {
    const names = Array.from({ length: 60 }, (_, index) => `S${index}`);
    const chain = names.map((name, index) => [
      name,
      { properties: { a: ref(`S${index + 1}`), b: ref(`S${index + 1}`) } },
    ]);
    const doubling = (type: string) =>
      withSchema(ref('S0'), { ...(Object.fromEntries(chain) as object), S60: { type } });
    const [change] = changes(doubling('string'), doubling('null'));
    expect(change?.more).toBe(Number.MAX_SAFE_INTEGER - 10);
  });
});

describe('what says the same in another way breaks nobody', () => {
  const a = { name: 'X-A', in: 'header', required: true, schema: { type: 'string' } };
  const b = { name: 'b', in: 'query', schema: { enum: [1, 2] } };
  const hook = (pathItem: object, ...operations: object[]) =>
    documentOf({
      webhooks: {
        hook: {
          ...pathItem,
          ...Object.fromEntries(operations.map((one, index) => [['post', 'put'][index], one])),
        },
      },
    });
  const responseHeader = (name: string, required = true) =>
    hook({}, { responses: { 200: { headers: { [name]: { required, schema: { type: 'string' } } } } } });
  it.each<{ name: string; given: readonly [string, string]; want?: readonly string[] }>([
    {
      name: 'the name of a header in another case',
      given: [hook({}, { parameters: [a] }), hook({}, { parameters: [{ ...a, name: 'x-a' }] })],
      want: ['not breaking'],
    },
    {
      name: 'the name of a header of a response in another case',
      given: [responseHeader('X-A'), responseHeader('x-a')],
    },
    {
      name: 'a parameter moved from the operation to the path item',
      given: [hook({}, { parameters: [a, b] }), hook({ parameters: [a] }, { parameters: [b] })],
    },
    {
      name: 'a parameter moved from all operations to the path item',
      given: [
        hook({}, { parameters: [a] }, { parameters: [b, a] }),
        hook({ parameters: [a] }, {}, { parameters: [b] }),
      ],
    },
    {
      name: 'a const and an enum of one value',
      given: [withSchema({ const: 'a' }), withSchema({ enum: ['a'] })],
    },
    {
      name: 'values in another order',
      given: [withSchema({ enum: ['a', 'b'] }), withSchema({ enum: ['b', 'a'] })],
      want: ['not breaking'],
    },
    {
      name: 'parameters in another order',
      given: [hook({}, { parameters: [a, b] }), hook({}, { parameters: [b, a] })],
    },
    {
      name: 'required properties in another order',
      given: [withSchema({ required: ['a', 'b'] }), withSchema({ required: ['b', 'a'] })],
    },
    {
      name: 'a parameter of a path item that each operation replaces',
      given: [
        hook({ parameters: [a] }, { parameters: [{ ...a, required: false }] }),
        hook({}, { parameters: [{ ...a, required: false }] }),
      ],
      want: ['not breaking'],
    },
  ])('$name', ({ given: [one, other], want = [] }) => {
    expect(changes(one, other).map(({ verdict }) => verdict)).toEqual(want);
    expect(changes(other, one).map(({ verdict }) => verdict)).toEqual(want);
  });

  it.each<{ name: string; given: readonly [string, string]; want: readonly string[] }>([
    {
      name: 'a const that becomes an enum of two values',
      given: [withSchema({ const: 'a' }), withSchema({ enum: ['a', 'b'] })],
      want: [`allowed values changed: ${SCHEMA}/enum breaks the receiver`],
    },
    {
      name: 'a const that becomes another value of an enum',
      given: [withSchema({ enum: [[1]] }), withSchema({ const: [2] })],
      want: [`allowed values changed: ${SCHEMA}/const breaks the receiver and the sender`],
    },
    {
      name: 'a parameter of a path item, once for all its operations',
      given: [hook({ parameters: [a] }, {}, {}), hook({}, {}, {})],
      want: ['required parameter removed: /webhooks/hook/parameters/0 breaks the receiver and the sender'],
    },
    {
      name: 'a change in a parameter of a path item',
      given: [
        hook({ parameters: [b] }, {}, {}),
        hook(
          { parameters: [a, { ...b, schema: { enum: [1] } }] },
          { parameters: [{ ...a, required: false }] },
          {},
        ),
      ],
      want: [
        'parameter added: /webhooks/hook/post/parameters/0 breaks the receiver',
        'required parameter added: /webhooks/hook/parameters/0 breaks the receiver and the sender',
        'allowed values changed: /webhooks/hook/parameters/1/schema/enum breaks the sender',
      ],
    },
  ])('but $name does', ({ given: [one, other], want }) => {
    const found = changes(one, other).map(({ what, pointer, alsoAt, verdicts }) => {
      const broken = Object.entries(verdicts).flatMap(([party, verdict]) =>
        verdict === 'breaking' ? `the ${party}` : [],
      );
      return `${[what, [pointer, ...alsoAt].join(' ')].join(': ')} breaks ${broken.join(' and ')}`;
    });
    expect(found.sort()).toEqual([...want].sort());
  });
});

describe('before and after show the difference', () => {
  const values = Array.from({ length: 20 }, (_, index) => `value ${index}`);
  const schemas = {
    A: { type: 'string', title: 'a' },
    B: { type: 'null', title: 'b' },
    C: { type: 'object', title: 'c' },
  };
  const parameters = (...names: string[]) =>
    documentOf({
      webhooks: {
        hook: { post: { parameters: names.map((name) => ({ name, in: 'header', required: true })) } },
      },
    });
  it.each<{ name: string; given: readonly [string, string]; want: readonly (string | undefined)[] }>([
    {
      name: 'the value of an enum that has come',
      given: [withSchema({ enum: values }), withSchema({ enum: [...values, 'new'] })],
      want: ['[…]', '["new", …]'],
    },
    {
      name: 'the value of an enum that is gone',
      given: [withSchema({ enum: values }), withSchema({ enum: values.slice(1) })],
      want: ['["value 0", …]', '[…]'],
    },
    {
      name: 'nothing more if all values are others',
      given: [withSchema({ enum: ['a'] }), withSchema({ enum: ['b'] })],
      want: ['["a"]', '["b"]'],
    },
    {
      name: 'the property that is required now',
      given: [withSchema({ required: values }), withSchema({ required: [...values, 'id'] })],
      want: ['[…]', '["id", …]'],
    },
    {
      name: 'the alternative that has come, by its reference',
      given: [
        withSchema({ anyOf: [ref('A'), ref('B')] }, schemas),
        withSchema({ anyOf: [ref('A'), ref('B'), ref('C')] }, schemas),
      ],
      want: ['[…]', '[{ "$ref": "#/components/schemas/C" }, …]'],
    },
    {
      name: 'the name of the header that is gone',
      given: [parameters('X-A', 'X-B'), parameters('X-A')],
      want: ['{ "name": "X-B", "in": "header", "required": true }', undefined],
    },
    {
      name: 'the whole list if only its order changed',
      given: [withSchema({ enum: ['a', 'b'] }), withSchema({ enum: ['b', 'a'] })],
      want: ['["a", "b"]', '["b", "a"]'],
    },
  ])('$name', ({ given: [one, other], want }) => {
    const [change] = changes(one, other).filter(
      ({ verdict }, _, { length }) => verdict === 'breaking' || length === 1,
    );
    expect([change?.before?.text, change?.after?.text]).toEqual(want);
  });
});

describe('each change has the id of its kind', () => {
  const operation = (fields: object) =>
    documentOf({ webhooks: { hook: { post: { summary: 'a', ...fields } } } });
  const header = { name: 'X-A', in: 'header', required: true };
  const answered = (headers: object) => operation({ responses: { 200: { description: 'a', headers } } });
  it.each<{ given: readonly [string, string]; want: string }>([
    { given: [operation({ parameters: [header] }), operation({})], want: 'request-header-required-removed' },
    {
      given: [operation({}), operation({ parameters: [{ name: 'a', in: 'query' }] })],
      want: 'request-query-parameter-added',
    },
    { given: [answered({ a: { required: true } }), answered({})], want: 'response-header-required-removed' },
    {
      given: [withSchema({ type: 'object' }), withSchema({ type: 'object', properties: { a: {} } })],
      want: 'request-property-added',
    },
    { given: [withSchema({ enum: [1] }), withSchema({ enum: [2] })], want: 'request-enum-changed' },
    { given: [withSchema({ format: 'a' }), withSchema({ format: 'b' })], want: 'request-other-changed' },
    {
      given: [
        documentOf({ webhooks: { a: { summary: 'a' } } }),
        documentOf({ webhooks: { a: { summary: 'b' } } }),
      ],
      want: 'summary-changed',
    },
    {
      given: [documentOf({ webhooks: {} }), documentOf({ webhooks: {}, paths: {} })],
      want: 'empty-map-added',
    },
    {
      given: [
        documentOf({ webhooks: {}, components: { schemas: { A: { type: 'string' } } } }),
        documentOf({ webhooks: {}, components: { schemas: { A: { type: 'null' } } } }),
      ],
      want: 'definition-type-changed',
    },
    { given: [operation({}), operation({ security: [{ a: [] }] })], want: 'operation-security-added' },
  ])('$want', ({ given: [one, other], want }) => {
    expect(changes(one, other).map(({ id }) => id)).toEqual([want]);
    expect(listRules().map(({ id }) => id)).toContain(want);
  });

  it('which is listed once, with whom it breaks', () => {
    const rules = listRules();
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    expect(rules).toContainEqual({
      id: 'request-header-required-removed',
      what: 'required parameter removed',
      breaks: 'everybody',
    });
    expect(rules).toContainEqual({
      id: 'response-media-type-added',
      what: 'media type added',
      breaks: 'the sender of a webhook, and the client of a path',
    });
  });
});
