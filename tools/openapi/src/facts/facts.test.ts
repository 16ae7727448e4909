import { countOf, differences, documentOf, factTexts, SCHEMA, withSchema } from '../../test/documents.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const parameter = (fields: object) =>
  documentOf({ webhooks: { hook: { post: { parameters: [{ name: 'p', in: 'query', ...fields }] } } } });
const AB = { A: { type: 'object' }, B: { type: 'array' } };
const chosenBy = (mapping: object) => ({ type: 'object', discriminator: { propertyName: 'p', mapping } });
const node = (next: unknown) => ({ type: 'object', properties: { next } });

describe('the facts of a document', () => {
  it('are its values by JSON Pointer; empty maps and lists are values', () => {
    const given = documentOf({
      paths: {},
      webhooks: { 'a/b~': { summary: 's' } },
      security: [{ k: [] }, {}],
    });
    expect(factTexts({ 'main.yaml': given })).toEqual({
      '/openapi': '"3.1.0"',
      '/info/title': '"T"',
      '/info/version': '"1"',
      '/paths': '{}',
      '/webhooks/a~1b~0/summary': '"s"',
      '/security/0/k': '[]',
      '/security/1': '{}',
    });
  });

  it('have a set as one sorted value', () => {
    const facts = factTexts({ 'main.yaml': withSchema({ required: ['b', 'a'], type: ['string', 'null'] }) });
    expect(facts).toMatchObject({
      [`${SCHEMA}/required`]: '["a","b"]',
      [`${SCHEMA}/type`]: '["null","string"]',
    });
  });

  it('spell a circular schema out once, then refer to it', () => {
    const facts = factTexts({ 'main.yaml': withSchema(ref('N'), { N: node(ref('N')) }) });
    expect(facts).toMatchObject({
      [`${SCHEMA}/type`]: '"object"',
      [`${SCHEMA}/properties/next`]: JSON.stringify({ $ref: `#${SCHEMA}` }),
    });
  });

  it('show a component that nobody uses where it is', () => {
    const given = withSchema(ref('A'), {
      A: { type: 'null' },
      B: ref('A'),
      C: { items: ref('D') },
      D: { type: 'string' },
    });
    const facts = Object.keys(factTexts({ 'main.yaml': given }));
    expect(facts.filter((pointer) => pointer.startsWith('/components'))).toEqual([
      '/components/schemas/B/type',
      '/components/schemas/C/items/type',
    ]);
  });

  it('show components that only use one another', () => {
    const given = withSchema({}, { A: node(ref('B')), B: { items: ref('A') } });
    const facts = Object.keys(factTexts({ 'main.yaml': given }));
    expect(facts).toEqual(
      expect.arrayContaining(['/components/schemas/A/type', '/components/schemas/A/properties/next/items']),
    );
  });
});

describe('the same facts', () => {
  it.each([
    {
      name: 'keys in another order',
      one: documentOf({ webhooks: {}, paths: {} }),
      other: documentOf({ paths: {}, webhooks: {} }),
    },
    {
      name: 'JSON and YAML',
      one: documentOf({ paths: {} }),
      other: 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {}\n',
    },
    {
      name: 'a schema in place or referenced',
      one: withSchema({ type: 'string' }),
      other: withSchema(ref('A'), { A: { type: 'string' } }),
    },
    {
      name: 'a shared schema under other names',
      one: withSchema(ref('A'), { A: node(ref('B')), B: {} }),
      other: withSchema(ref('X'), { X: node({}) }),
    },
    {
      name: 'required in another order',
      one: withSchema({ required: ['a', 'b'] }),
      other: withSchema({ required: ['b', 'a'] }),
    },
    {
      name: 'one type, or a list of one',
      one: withSchema({ type: 'string' }),
      other: withSchema({ type: ['string'] }),
    },
    {
      name: 'numbers in another notation',
      one: withSchema({ maximum: 10 }),
      other: withSchema({ maximum: 10 }).replace(':10', ':1.0e1'),
    },
    {
      name: 'a schema default',
      one: withSchema({ deprecated: false, minLength: 0, required: [] }),
      other: withSchema({}),
    },
    {
      name: 'the default server',
      one: documentOf({ servers: [{ url: '/' }] }),
      other: documentOf({ servers: [] }),
    },
  ])('are found for $name', ({ one, other }) => {
    expect(differences({ 'main.yaml': one }, { 'main.yaml': other })).toEqual([]);
    expect(factTexts({ 'main.yaml': one })).toEqual(factTexts({ 'main.yaml': other }));
  });

  it.each([
    {
      name: 'a cycle, unrolled once',
      one: withSchema(ref('N'), { N: node(ref('N')) }),
      other: withSchema(node(ref('N')), { N: node(ref('N')) }),
    },
    {
      name: 'a cycle of one or of two',
      one: withSchema(ref('N'), { N: node(ref('N')) }),
      other: withSchema(ref('A'), { A: node(ref('B')), B: node(ref('A')) }),
    },
    {
      name: 'a copy of a recursive schema that uses the original',
      one: withSchema(ref('N'), { N: { properties: { left: ref('N'), right: ref('N') } } }),
      other: withSchema(ref('C'), {
        C: { properties: { left: ref('C'), right: ref('N') } },
        N: { properties: { left: ref('N'), right: ref('N') } },
      }),
    },
  ])('are found in recursive schemas for $name', ({ one, other }) => {
    expect(differences({ 'main.yaml': one }, { 'main.yaml': other })).toEqual([]);
    expect(differences({ 'main.yaml': other }, { 'main.yaml': one })).toEqual([]);
  });
});

describe('parameters', () => {
  const described = (name: string) => ({ $ref: `#/components/parameters/${name}`, description: name });
  const components = {
    parameters: {
      A: { name: 'a', in: 'query', schema: { type: 'string' } },
      B: { name: 'b', in: 'query', schema: { type: 'string' } },
    },
  };
  const takes = (...parameters: object[]) =>
    documentOf({ webhooks: { hook: { post: { parameters } } }, components });
  const header = (name: string) => ({ name, in: 'header', schema: {} });

  it.each([
    {
      name: 'references with a description',
      one: takes(described('A'), described('B')),
      other: takes(described('B'), described('A')),
    },
    {
      name: 'two of one name',
      one: takes(header('x-a'), header('X-A')),
      other: takes(header('x-a'), header('X-A')),
    },
  ])('are recognised if they are $name', ({ one, other }) => {
    expect(differences({ 'main.yaml': one }, { 'main.yaml': one })).toEqual([]);
    expect(differences({ 'main.yaml': one }, { 'main.yaml': other })).toEqual([]);
  });
});

describe('different facts', () => {
  it.each([
    {
      name: 'a number that is nearly a default',
      one: withSchema({ minLength: 1 }).replace('minLength":1', 'minLength":1e-400'),
      other: withSchema({}),
      want: [`${SCHEMA}/minLength`],
    },
    {
      name: 'servers in another order',
      one: documentOf({ servers: [{ url: 'a' }, { url: 'b' }] }),
      other: documentOf({ servers: [{ url: 'b' }, { url: 'a' }] }),
      want: ['/servers/0/url', '/servers/1/url'],
    },
    {
      name: 'an enum in another order',
      one: withSchema({ enum: [1, 2] }),
      other: withSchema({ enum: [2, 1] }),
      want: [`${SCHEMA}/enum/0`, `${SCHEMA}/enum/1`],
    },
    {
      name: 'a default of the same name in an example',
      one: withSchema({ example: { deprecated: false } }),
      other: withSchema({ example: {} }),
      want: [`${SCHEMA}/example/deprecated`],
    },
    {
      name: 'an empty text',
      one: documentOf({ tags: [{ name: 'a', description: '' }] }),
      other: documentOf({ tags: [{ name: 'a' }] }),
      want: ['/tags/0/description'],
    },
    {
      name: 'explode against the style',
      one: parameter({ explode: false }),
      other: parameter({}),
      want: ['/webhooks/hook/post/parameters/0/explode'],
    },
    {
      name: 'numbers that JavaScript cannot tell apart',
      one: withSchema({ maximum: 1 }).replace(':1}', ':9007199254740992}'),
      other: withSchema({ maximum: 1 }).replace(':1}', ':9007199254740993}'),
      want: [`${SCHEMA}/maximum`],
    },
    {
      name: 'a description beside a reference',
      one: withSchema({ ...ref('A'), description: 'd' }, { A: { type: 'null' } }),
      other: withSchema(ref('A'), { A: { type: 'null' } }),
      want: [`${SCHEMA}/description`, `${SCHEMA}/$ref/type`, `${SCHEMA}/type`],
    },
    {
      name: 'an address in a discriminator',
      one: withSchema(chosenBy({ a: ref('A').$ref }), AB),
      other: withSchema(chosenBy({ a: ref('B').$ref }), AB),
      want: [`${SCHEMA}/discriminator/mapping/a`],
    },
    {
      name: 'a recursive schema, further down',
      one: withSchema(ref('N'), { N: node(ref('M')), M: { items: ref('N'), maxItems: 1 } }),
      other: withSchema(ref('N'), { N: node(ref('M')), M: { items: ref('N'), maxItems: 2 } }),
      want: [`${SCHEMA}/properties/next/maxItems`],
    },
    {
      name: 'a schema that is recursive no longer',
      one: withSchema(ref('N'), { N: node(ref('N')) }),
      other: withSchema(ref('N'), { N: node({}) }),
      want: ['type', 'properties/next/type', 'properties/next/properties'].map(
        (path) => `${SCHEMA}/properties/next/${path}`,
      ),
    },
    {
      name: 'root security',
      one: documentOf({ security: [{ k: [] }] }),
      other: documentOf({}),
      want: ['/security/0/k'],
    },
    {
      name: 'a map that is no longer empty',
      one: documentOf({ paths: {} }),
      other: documentOf({ paths: { '/a': { summary: 's' } } }),
      want: ['/paths', '/paths/~1a/summary'],
    },
    {
      name: 'a map that is empty now',
      one: documentOf({ paths: { '/a': { summary: 's' } } }),
      other: documentOf({ paths: {} }),
      want: ['/paths/~1a/summary'],
    },
    {
      name: 'a value in the place of a map',
      one: documentOf({ 'x-a': { b: 1 } }),
      other: documentOf({ 'x-a': 1 }),
      want: ['/x-a', '/x-a/b'],
    },
  ])('are found for $name', ({ one, other, want }) => {
    const pointers = differences({ 'main.yaml': one }, { 'main.yaml': other }).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual(want.sort());
  });

  it('are said once for a shared schema, with all its users', () => {
    const users = { webhooks: { a: body(ref('P')), b: body(ref('P')), c: body({ items: ref('P') }) } };
    const given = (type: string) => documentOf({ ...users, components: { schemas: { P: { type } } } });
    const found = differences({ 'main.yaml': given('string') }, { 'main.yaml': given('number') });
    expect(found.map(({ pointer, alsoAt }) => [pointer, ...alsoAt])).toEqual([
      ['a/', 'b/', 'c/items/'].map((path) => {
        const [hook, rest] = path.split('/');
        return `/webhooks/${hook}/post/requestBody/content/application~1json/schema/${rest === '' ? '' : `${rest}/`}type`;
      }),
    ]);
  });
});

describe('parameters', () => {
  const header = (name: string, description?: string) => ({ name, in: 'header', description });
  const listed = (...parameters: object[]) => ({
    'main.yaml': documentOf({ webhooks: { hook: { post: { parameters } } } }),
  });
  const AT = '/webhooks/hook/post/parameters';

  it('are the same in any order', () => {
    const query = { name: 'a', in: 'query' };
    expect(
      differences(listed(header('a'), header('b'), query), listed(query, header('b'), header('a'))),
    ).toEqual([]);
  });

  it('are compared by name and place; a name of a header has no case', () => {
    const found = differences(
      listed(header('a'), header('b', 'one'), header('X-C')),
      listed(header('x-c'), header('b', 'other')),
    );
    expect(found.map(({ pointer, first, second }) => [pointer, first?.text, second?.text])).toEqual([
      [`${AT}/2/name`, '"a"', undefined],
      [`${AT}/2/in`, '"header"', undefined],
      [`${AT}/1/description`, '"one"', '"other"'],
      [`${AT}/0/name`, '"X-C"', '"x-c"'],
    ]);
  });

  it('are all listed, even if two have one name', () => {
    const found = differences(listed(header('a'), header('a', 'twice')), listed(header('a')));
    expect(found.map(({ pointer }) => pointer)).toEqual(
      ['name', 'in', 'description'].map((field) => `${AT}/1/${field}`),
    );
  });
});

describe('counting', () => {
  it('agrees with the facts that are spelled out', () => {
    const schemas = { N: node(ref('N')), M: { properties: { a: ref('M'), b: ref('N'), c: ref('N') } } };
    const texts = { 'main.yaml': withSchema(ref('M'), schemas) };
    expect(countOf(texts)).toBe(Object.keys(factTexts(texts)).length);
  });

  it('ends where numbers do', () => {
    const names = Array.from({ length: 80 }, (_, index) => `S${index}`);
    const schemas = names.map((name, index) => [
      name,
      { allOf: [ref(`S${index + 1}`), ref(`S${index + 1}`)] },
    ]);
    const all = { ...(Object.fromEntries(schemas) as object), S80: { type: 'null' } };
    expect(countOf({ 'main.yaml': withSchema(ref('S0'), all) })).toBe(Number.MAX_SAFE_INTEGER);
  });
});

function body(schema: unknown): object {
  return { post: { requestBody: { content: { 'application/json': { schema } } } } };
}
