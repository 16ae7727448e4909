import { documentOf, reader, SCHEMA, withSchema } from '../../test/documents.js';
import { type Change, changesBetween } from './changes.js';
import { RULES } from './rules.js';

const changes = (before: string, after: string): readonly Change[] =>
  changesBetween({
    before: { readText: reader({ a: before }), path: 'a' },
    after: { readText: reader({ b: after }), path: 'b' },
  });

/** What it means for the receiver and for the sender of a webhook: breaks, harmless or not known. */
const judged = (before: string, after: string): string[] =>
  changes(before, after).map(({ verdicts: { receiver, sender } }) => `${mark(receiver)} ${mark(sender)}`);

const mark = (verdict: string | undefined) =>
  verdict === undefined
    ? '-'
    : ({ breaking: 'breaks', unclassified: '?', 'not breaking': 'fine' }[verdict] ?? verdict);

const FINE = 'fine fine';
const WIDER = 'breaks fine';
const NARROWER = 'fine breaks';
const BOTH = 'breaks breaks';
const UNKNOWN = '? ?';
const ADDITIVE = 'additive additive';

type Row = readonly [key: string, before: string, after: string, want: string];

const HOOK = { post: { requestBody: { content: { 'a/b': {} } } } };
const hooks = (hook: object, more: object = {}) => documentOf({ webhooks: { hook }, ...more });
const post = (fields: object) => hooks({ post: { requestBody: HOOK.post.requestBody, ...fields } });
const body = (fields: object) => post({ requestBody: { content: { 'a/b': {} }, ...fields } });
const media = (fields: object) => body({ content: { 'a/b': fields } });
const encoding = (fields: object) => media({ encoding: { a: fields } });
const parameter = (fields: object) =>
  post({ parameters: [{ name: 'a', in: 'query', schema: {}, ...fields }] });
const header = (fields: object) => encoding({ headers: { a: fields } });
const responses = (fields: object) => post({ responses: { 200: {}, ...fields } });
const response = (fields: object) => post({ responses: { 200: fields } });
const scheme = (fields: object) =>
  hooks(HOOK, { components: { securitySchemes: { a: { type: 'http', scheme: 'bearer', ...fields } } } });
const root = (fields: object) => hooks(HOOK, fields);
const info = (fields: object) => hooks(HOOK, { info: { title: 'T', version: '1', ...fields } });

const A = { $ref: '#/components/schemas/A' };
const s = (schema: unknown) => withSchema(schema);
const closed = (properties: object) => s({ properties, additionalProperties: false });
const schemaRows = (keyword: string, from: unknown, to: unknown, want: readonly string[]): Row[] => {
  const key = `schema.${keyword}`;
  const [added = '', removed = '', changed] = want;
  return [
    [key, s({ title: 't' }), s({ title: 't', [keyword]: from }), added],
    [key, s({ title: 't', [keyword]: from }), s({ title: 't' }), removed],
    ...(changed === undefined ? [] : [[key, s({ [keyword]: from }), s({ [keyword]: to }), changed] as const]),
  ];
};

const CONSTRAINT = [NARROWER, WIDER] as const;
const SILENT = [FINE, FINE, FINE] as const;
const OPERATIONS = ['delete', 'get', 'head', 'options', 'patch', 'put', 'trace'];

const ROWS: readonly Row[] = [
  ...['title', 'description', '$comment', 'externalDocs', 'example']
    .flatMap((keyword) =>
      schemaRows(keyword, 'a', 'b', SILENT).map(([, ...row]): Row => [`*.${keyword}`, ...row]),
    )
    .filter(([key]) => key !== '*.title'),
  ['*.title', s({ title: 'a' }), s({ title: 'b' }), FINE],
  ['*.examples', s({ examples: [1] }), s({ examples: [2] }), FINE],
  ['*.examples', media({ examples: { a: { value: 1 } } }), media({ examples: { a: { value: 2 } } }), FINE],
  ['*.deprecated', s({}), s({ deprecated: true }), FINE],
  ['*.summary', hooks({ ...HOOK, summary: 'a' }), hooks({ ...HOOK, summary: 'b' }), FINE],
  ['openapi.tags', root({}), root({ tags: [{ name: 'a' }] }), FINE],
  ['operation.tags', post({}), post({ tags: ['a'] }), FINE],
  ['info.version', info({}), info({ version: '2' }), FINE],
  ['info.contact', info({}), info({ contact: { name: 'a' } }), FINE],
  ['info.license', info({}), info({ license: { name: 'a' } }), FINE],
  ['info.termsOfService', info({}), info({ termsOfService: 'a' }), FINE],
  ['openapi.webhooks.*', root({}), hooks(HOOK, { webhooks: { hook: HOOK, other: HOOK } }), WIDER],
  ['openapi.webhooks.*', hooks(HOOK, { webhooks: { hook: HOOK, other: HOOK } }), root({}), BOTH],
  ['paths.*', root({ paths: {} }), root({ paths: { '/a': { get: { summary: 'a' } } } }), '- -'],
  ['path-item.post', hooks({ summary: 'a' }), hooks({ summary: 'a', ...HOOK }), UNKNOWN],
  ['path-item.post', hooks({ put: { summary: 'a' } }), hooks({ put: { summary: 'a' }, ...HOOK }), WIDER],
  ...OPERATIONS.flatMap((method): Row[] => [
    [`path-item.${method}`, hooks(HOOK), hooks({ ...HOOK, [method]: { summary: 'a' } }), WIDER],
    [`path-item.${method}`, hooks({ ...HOOK, [method]: { summary: 'a' } }), hooks(HOOK), BOTH],
  ]),
  [
    'path-item.parameters.*',
    hooks({ summary: 'a' }),
    hooks({ summary: 'a', parameters: [{ name: 'a', in: 'query' }] }),
    WIDER,
  ],
  ['operation.parameters.*', post({}), parameter({ required: true }), BOTH],
  ['operation.parameters.*', parameter({}), post({}), NARROWER],
  ['operation.parameters.*', parameter({ required: true }), post({}), BOTH],
  [
    'operation.requestBody',
    hooks({ post: { summary: 'a' } }),
    hooks({ post: { summary: 'a', ...HOOK.post } }),
    WIDER,
  ],
  [
    'operation.requestBody',
    hooks({ post: { summary: 'a', ...HOOK.post } }),
    hooks({ post: { summary: 'a' } }),
    NARROWER,
  ],
  ['operation.responses', post({}), response({}), UNKNOWN],
  ['responses.*', responses({}), responses({ 202: {} }), 'fine ?'],
  ['responses.*', responses({ 202: {} }), responses({}), BOTH],
  ['responses.*', responses({ 404: {} }), responses({}), 'breaks fine'],
  ['openapi.security', root({}), root({ security: [{ a: [] }] }), NARROWER],
  ['openapi.security', root({ security: [{ a: [] }] }), root({}), WIDER],
  ['openapi.security', root({ security: [{ a: [] }] }), root({ security: [{ b: [] }, { a: [] }] }), WIDER],
  ['operation.security', post({}), post({ security: [] }), FINE],
  ['operation.security', post({ security: [] }), post({ security: [{ a: [] }] }), NARROWER],
  ['components.securitySchemes.*', root({}), scheme({}), FINE],
  ['components.securitySchemes.*', scheme({}), root({}), UNKNOWN],
  ['security-scheme.type', scheme({}), scheme({ type: 'apiKey' }), BOTH],
  ['security-scheme.scheme', scheme({}), scheme({ scheme: 'basic' }), BOTH],
  ['security-scheme.in', scheme({ in: 'query' }), scheme({ in: 'header' }), BOTH],
  ['security-scheme.name', scheme({ name: 'a' }), scheme({ name: 'b' }), BOTH],
  [
    'parameter.name',
    parameter({ in: 'header', name: 'X-A' }),
    parameter({ in: 'header', name: 'x-a' }),
    FINE,
  ],
  ['parameter.required', parameter({}), parameter({ required: true }), NARROWER],
  ['header.required', header({ example: 1 }), header({ example: 1, required: true }), NARROWER],
  ['request-body.required', body({ required: true }), body({}), WIDER],
  ['parameter.allowEmptyValue', parameter({}), parameter({ allowEmptyValue: true }), WIDER],
  ['*.schema', parameter({}), parameter({ schema: false }), NARROWER],
  ['*.schema', header({ example: 1 }), header({ example: 1, schema: { type: 'string' } }), NARROWER],
  ['*.schema', media({}), media({ schema: { type: 'string' } }), NARROWER],
  ['*.schema', media({ schema: { type: 'string' } }), media({}), WIDER],
  ['*.schema', media({}), media({ schema: true }), FINE],
  ['*.style', parameter({}), parameter({ style: 'spaceDelimited', explode: true }), BOTH],
  ['*.explode', parameter({}), parameter({ explode: false }), BOTH],
  ['*.allowReserved', parameter({}), parameter({ allowReserved: true }), BOTH],
  ['*.explode', header({ example: 1 }), header({ example: 1, explode: true }), BOTH],
  ['*.style', encoding({ a: 1 }), encoding({ a: 1, style: 'spaceDelimited' }), BOTH],
  ['*.explode', encoding({ a: 1 }), encoding({ a: 1, explode: false }), BOTH],
  ['*.allowReserved', encoding({ a: 1 }), encoding({ a: 1, allowReserved: true }), BOTH],
  ['request-body.content.*', media({}), body({ content: { 'a/b': {}, 'c/d': {} } }), WIDER],
  ['request-body.content.*', body({ content: { 'a/b': {}, 'c/d': {} } }), media({}), NARROWER],
  ['response.content.*', response({}), response({ content: { 'a/b': {} } }), 'fine breaks'],
  ['response.headers.*', response({}), response({ headers: { a: {} } }), FINE],
  ['response.headers.*', response({}), response({ headers: { a: { required: true } } }), 'breaks fine'],
  ['response.headers.*', response({ headers: { a: { required: true } } }), response({}), BOTH],
  ['encoding.headers.*', encoding({ style: 'form' }), encoding({ style: 'form', headers: { a: {} } }), FINE],
  [
    'encoding.headers.*',
    encoding({ style: 'form', headers: { a: { required: true } } }),
    encoding({ style: 'form' }),
    BOTH,
  ],
  ...schemaRows('type', 'string', 'integer', [...CONSTRAINT, BOTH]),
  ['schema.type', s({ type: 'integer' }), s({ type: 'number' }), WIDER],
  ['schema.type', s({ type: ['string', 'null'] }), s({ type: 'string' }), NARROWER],
  ...schemaRows('enum', ['a', 'b'], ['a', 'c'], [...CONSTRAINT, BOTH]),
  ['schema.enum', s({ enum: ['a'] }), s({ enum: ['b', 'a'] }), WIDER],
  ['schema.enum', s({ enum: ['a', 'b'] }), s({ enum: ['b'] }), NARROWER],
  ['schema.enum', s({ enum: ['a', 'b'] }), s({ enum: ['b', 'a'] }), FINE],
  ...schemaRows('const', 'a', 'b', [...CONSTRAINT, BOTH]),
  ...schemaRows('required', ['a'], ['b'], [...CONSTRAINT, BOTH]),
  [
    'schema.dependentRequired.*',
    s({ dependentRequired: { a: ['b'] } }),
    s({ dependentRequired: { a: ['b', 'c'] } }),
    NARROWER,
  ],
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].flatMap((one) => [
    ...schemaRows(one, 1, 2, [...CONSTRAINT, WIDER]),
    ...schemaRows(one, 2, 1, [...CONSTRAINT, NARROWER]),
  ]),
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].flatMap((one) => [
    ...schemaRows(one, 1, 2, [...CONSTRAINT, NARROWER]),
    ...schemaRows(one, 2, 1, [...CONSTRAINT, WIDER]),
  ]),
  ...schemaRows('multipleOf', 2, 3, [...CONSTRAINT, UNKNOWN]),
  ...schemaRows('pattern', 'a', 'b', [...CONSTRAINT, UNKNOWN]),
  ...schemaRows('uniqueItems', true, false, [...CONSTRAINT, WIDER]),
  ['schema.properties.*', s({ type: 'object' }), s({ type: 'object', properties: { a: {} } }), ADDITIVE],
  ['schema.properties.*', s({ properties: { a: {}, b: {} } }), s({ properties: { a: {} } }), '? fine'],
  ['schema.properties.*', closed({ b: {} }), closed({ a: {}, b: {} }), WIDER],
  ['schema.properties.*', closed({ a: {}, b: {} }), closed({ b: {} }), NARROWER],
  ['schema.properties.*', s({ properties: { a: true } }), s({ properties: { a: false } }), NARROWER],
  [
    'schema.properties.*',
    s({ additionalProperties: { type: 'string' } }),
    s({ additionalProperties: { type: 'string' }, properties: { a: {} } }),
    'breaks ?',
  ],
  ...['patternProperties', 'dependentSchemas'].map((one): Row => [
    `schema.${one}.*`,
    s({ title: 't' }),
    s({ title: 't', [one]: { a: { type: 'null' } } }),
    NARROWER,
  ]),
  ...schemaRows('prefixItems', [{ type: 'null' }], [], CONSTRAINT),
  ['schema.prefixItems.*', s({ prefixItems: [{}] }), s({ prefixItems: [{}, false] }), NARROWER],
  ...['items', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'].flatMap((one) =>
    schemaRows(one, false, { type: 'null' }, [...CONSTRAINT, WIDER]),
  ),
  ...schemaRows('propertyNames', false, { maxLength: 1 }, [...CONSTRAINT, WIDER]),
  [
    'schema.$ref',
    withSchema({ properties: { a: A } }, { A: { type: 'null' } }),
    withSchema({ ...A, properties: { a: A } }, { A: { type: 'null' } }),
    NARROWER,
  ],
  ...schemaRows('contains', { type: 'null' }, true, [...CONSTRAINT, UNKNOWN]),
  ...schemaRows('not', { type: 'null' }, true, [...CONSTRAINT, UNKNOWN]),
  ...schemaRows('allOf', [{ maxLength: 2 }], [{ maxLength: 2 }, { minLength: 1 }], [...CONSTRAINT, NARROWER]),
  ...schemaRows('anyOf', [{ type: 'null' }], [{ title: 'a' }, { type: 'null' }], [...CONSTRAINT, WIDER]),
  [
    'schema.anyOf',
    s({ anyOf: [{ type: 'null' }, { title: 'a' }] }),
    s({ anyOf: [{ title: 'a' }, { type: 'null' }] }),
    FINE,
  ],
  ...schemaRows('oneOf', [{ type: 'null' }], [{ type: 'null' }, { title: 'a' }], [...CONSTRAINT, 'breaks ?']),
];

describe('the rules, for the request of a webhook', () => {
  it.each(ROWS.map(([name, before, after, want]) => ({ name, given: [before, after] as const, want })))(
    '$name: $want',
    ({ given: [before, after], want }) => {
      expect([...new Set(judged(before, after))].filter((one) => want === FINE || one !== FINE)).toEqual([
        want,
      ]);
    },
  );

  it('each have a row above', () => {
    expect([...new Set(ROWS.map(([key]) => key))].sort()).toEqual(Object.keys(RULES).sort());
  });
});

describe('a required part of the request that the sender no longer sends breaks the receiver', () => {
  const item = { name: 'X-Hub-Signature-256', in: 'header', required: true };
  const other = { name: 'X-Other', in: 'header' };
  const inOperation = (...parameters: object[]) => post({ parameters });
  const inPathItem = (...parameters: object[]) => hooks({ ...HOOK, parameters });
  it.each<{ name: string; given: readonly [string, string] }>([
    { name: 'a header', given: [inOperation(item, other), inOperation(other)] },
    { name: 'the only header', given: [inOperation(item), post({})] },
    { name: 'a header of the path item', given: [inPathItem(item, other), inPathItem(other)] },
    { name: 'a query parameter', given: [parameter({ required: true }), post({})] },
    { name: 'the body', given: [body({ required: true }), hooks({ post: { summary: 'a' } })] },
    { name: 'a property', given: [s({ required: ['a'] }), s({})] },
  ])('$name', ({ given: [before, after] }) => {
    expect(changes(before, after).map(({ verdicts }) => verdicts.receiver)).toContain('breaking');
  });
});

describe('security is compared as it holds for an operation', () => {
  const A = { a: [] };
  const secured = (atRoot?: object[], ...inOperations: (object[] | undefined)[]) =>
    documentOf({
      ...(atRoot && { security: atRoot }),
      webhooks: Object.fromEntries(
        inOperations.map((security, index) => [`hook${index}`, { post: { summary: 'a', security } }]),
      ),
    });
  it.each<{ name: string; given: readonly [string, string]; want: readonly string[] }>([
    { name: 'an override', given: [secured([A], undefined), secured([A], [{ b: [] }])], want: [BOTH] },
    { name: 'an empty override', given: [secured([A], undefined), secured([A], [])], want: [WIDER] },
    { name: 'an override taken away', given: [secured([A], []), secured([A], undefined)], want: [NARROWER] },
    { name: 'an override that repeats', given: [secured([A], undefined), secured([A], [A])], want: [FINE] },
    {
      name: 'from the document to the operation',
      given: [secured([A], undefined), secured(undefined, [A])],
      want: [FINE, FINE],
    },
    {
      name: 'of a document that nobody takes',
      given: [secured([A], []), secured(undefined, [])],
      want: [FINE],
    },
    {
      name: 'of a document that one operation takes',
      given: [secured([A], [], undefined), secured(undefined, [], undefined)],
      want: [WIDER],
    },
    { name: 'made optional', given: [secured([A], undefined), secured([A, {}], undefined)], want: [WIDER] },
    {
      name: 'no longer optional',
      given: [secured([{}, A], undefined), secured([A], undefined)],
      want: [NARROWER],
    },
    { name: 'an empty list or {}', given: [secured([], undefined), secured([{}], undefined)], want: [FINE] },
    {
      name: 'one more scheme in an alternative',
      given: [secured([A], undefined), secured([{ a: [], b: [] }], undefined)],
      want: [NARROWER],
    },
    {
      name: 'one more scope',
      given: [secured([{ a: ['x'] }], undefined), secured([{ a: ['x', 'y'] }], undefined)],
      want: [NARROWER],
    },
    {
      name: 'another order',
      given: [secured([A, { b: [] }], undefined), secured([{ b: [] }, A], undefined)],
      want: [FINE],
    },
  ])('$name', ({ given: [before, after], want }) => {
    expect(judged(before, after)).toEqual(want);
  });
});

describe('what no rule knows is unclassified', () => {
  it.each<{ name: string; given: readonly [string, string]; want: string }>([
    { name: 'an extension', given: [post({}), post({ 'x-a': 1 })], want: UNKNOWN },
    {
      name: 'an extension called like an annotation',
      given: [root({}), root({ 'x-title': 1 })],
      want: UNKNOWN,
    },
    { name: 'a format', given: [s({ format: 'date' }), s({ format: 'time' })], want: UNKNOWN },
    { name: 'a default', given: [s({ default: 1 }), s({ default: 2 })], want: UNKNOWN },
    { name: 'a server', given: [root({}), root({ servers: [{ url: 'a' }] })], want: UNKNOWN },
    { name: 'a callback', given: [post({}), post({ callbacks: { a: { x: HOOK } } })], want: UNKNOWN },
    { name: 'an operationId', given: [post({}), post({ operationId: 'a' })], want: UNKNOWN },
    { name: 'a keyword of tomorrow', given: [s({ a: 1 }), s({ a: 2 })], want: UNKNOWN },
    { name: 'a bound that is no number', given: [s({ maximum: 'a' }), s({ maximum: 'b' })], want: UNKNOWN },
    { name: 'a type that is not a text', given: [s({ type: [{}] }), s({ type: [{ a: 1 }] })], want: UNKNOWN },
    {
      name: 'a component that nobody references, whatever it is called',
      given: [root({}), root({ components: { schemas: { title: { type: 'null' } } } })],
      want: UNKNOWN,
    },
  ])('$name', ({ given: [before, after], want }) => {
    expect(judged(before, after)).toEqual([want]);
  });
});

describe('a wider schema', () => {
  const narrow = { type: 'string' };
  const wide = { type: ['string', 'null'] };
  const at = (place: (schema: object) => string) => [place(narrow), place(wide)] as const;
  it.each<{ name: string; given: readonly [string, string]; want: Change['verdicts'] }>([
    {
      name: 'in the request of a webhook breaks the receiver',
      given: at((schema) => media({ schema })),
      want: { receiver: 'breaking', sender: 'not breaking' },
    },
    {
      name: 'in the response to a webhook breaks the sender',
      given: at((schema) => response({ content: { 'a/b': { schema } } })),
      want: { receiver: 'not breaking', sender: 'breaking' },
    },
    {
      name: 'in the request of a path breaks nobody',
      given: at((schema) =>
        documentOf({ paths: { '/a': { post: { requestBody: { content: { 'a/b': { schema } } } } } } }),
      ),
      want: { client: 'not breaking' },
    },
    {
      name: 'in the response of a path breaks the client',
      given: at((schema) =>
        documentOf({ paths: { '/a': { get: { responses: { 200: { content: { 'a/b': { schema } } } } } } } }),
      ),
      want: { client: 'breaking' },
    },
    {
      name: 'under `not` breaks the sender',
      given: at((not) => s({ not })),
      want: { receiver: 'not breaking', sender: 'breaking' },
    },
    {
      name: 'under `oneOf` may overlap',
      given: at((schema) => s({ oneOf: [schema] })),
      want: { receiver: 'breaking', sender: 'unclassified' },
    },
    {
      name: 'under `if` is not known',
      given: at((schema) => s({ if: schema })),
      want: { receiver: 'unclassified', sender: 'unclassified' },
    },
    {
      name: 'in a property, an item, an alternative breaks the receiver',
      given: at((schema) => s({ properties: { a: { items: { anyOf: [schema, { type: 'array' }] } } } })),
      want: { receiver: 'breaking', sender: 'not breaking' },
    },
  ])('$name', ({ given: [before, after], want }) => {
    expect(changes(before, after).map(({ verdicts }) => verdicts)).toEqual([want]);
  });
});

describe('changes', () => {
  const shared = (schema: object) => {
    const content = { content: { 'a/b': { schema: { $ref: '#/components/schemas/A' } } } };
    const hook = { post: { requestBody: content, responses: { 200: content } } };
    return documentOf({ webhooks: { a: hook, b: hook }, components: { schemas: { A: schema } } });
  };

  it('list a shared schema once for each direction, with all its users', () => {
    const found = changes(shared({ enum: ['a'] }), shared({ enum: ['a', 'b'] }));
    expect(found.map(({ verdicts, pointer, alsoAt }) => [verdicts.receiver, pointer, alsoAt])).toEqual([
      [
        'breaking',
        '/webhooks/a/post/requestBody/content/a~1b/schema/enum',
        ['/webhooks/b/post/requestBody/content/a~1b/schema/enum'],
      ],
      [
        'not breaking',
        '/webhooks/a/post/responses/200/content/a~1b/schema/enum',
        ['/webhooks/b/post/responses/200/content/a~1b/schema/enum'],
      ],
    ]);
  });

  it('are one change for a part that was added with all that is in it', () => {
    const given = s({ properties: { a: { type: 'object', properties: { b: { maxLength: 1 } } } } });
    expect(changes(s({ type: 'object' }), given)).toMatchObject([
      { what: 'type removed' },
      {
        what: 'property added',
        pointer: `${SCHEMA}/properties/a`,
        after: { text: '{ "type": "object", "properties": … }' },
      },
    ]);
  });

  it('in a definition are listed where it is used', () => {
    const given = (type: string) =>
      s({ $defs: { A: { type } }, properties: { a: { $ref: `#${SCHEMA}/$defs/A` } } });
    expect(changes(given('string'), given('null')).map(({ pointer }) => pointer)).toEqual([
      `${SCHEMA}/properties/a/type`,
    ]);
  });

  it('are none between a schema and a reference to it', () => {
    const inline = withSchema({ type: 'string' });
    const referenced = withSchema({ $ref: '#/components/schemas/A' }, { A: { type: 'string' } });
    expect(changes(inline, referenced)).toEqual([]);
  });

  it('are found in recursive schemas', () => {
    const node = (more: object) => ({ properties: { next: { $ref: '#/components/schemas/N' }, ...more } });
    const given = (more: object) => withSchema({ $ref: '#/components/schemas/N' }, { N: node(more) });
    expect(changes(given({}), given({ a: {} })).map(({ what, verdict }) => [what, verdict])).toEqual([
      ['property added', 'additive'],
    ]);
  });

  it('may be asked for one party alone', () => {
    const input = {
      before: { readText: reader({ a: s({ enum: ['a', 'b'] }) }), path: 'a' },
      after: { readText: reader({ b: s({ enum: ['a'] }) }), path: 'b' },
    };
    expect(changesBetween(input, 'receiver')).toMatchObject([
      { verdict: 'not breaking', verdicts: { receiver: 'not breaking' } },
    ]);
    expect(changesBetween(input, 'client')).toEqual([]);
  });
});
