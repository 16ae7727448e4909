import { Validator } from '@seriousme/openapi-schema-validator';
import { faultsOf } from '../src/commands/validate.js';
import { formatPlace } from '../src/read/source-node.js';
import { ToolError } from '../src/read/tool-error.js';
import { reader, type Texts } from './documents.js';
import { everyObject } from './every-object.js';
import { everyMutation, mutate } from './mutations.js';

/** Each fault as `line: pointer problem`. */
const faults = (text: string, others: Texts = {}) =>
  faultsOf(reader({ 'a.yaml': text, ...others }), 'a.yaml').map(
    ({ place, pointer, problem }) => `${formatPlace(place)}: ${pointer} ${problem}`,
  );

/** A document with these fields from line 3 on. */
const document = (fields: string) => `openapi: 3.1.0\ninfo: { title: T, version: '1' }\n${fields}\n`;

/** A document with this schema, at `/components/schemas/A`. Its first keyword is on line 6. */
const schema = (keywords: string) =>
  document(`components:\n  schemas:\n    A:\n      ${keywords.replaceAll('\n', '\n      ')}`);

const A = '/components/schemas/A';

describe('a valid document', () => {
  it('has no faults, whatever object it uses', () => {
    expect(faults(JSON.stringify(everyObject))).toEqual([]);
  });

  it.each([
    ['a schema that is true or false', schema('properties: { a: true, b: false }')],
    ['a keyword that nobody knows', schema('nullable: true')],
    ['a pattern that JavaScript takes only without the flag u', schema("pattern: '^[\\w-\\.]+$'")],
    [
      'a schema of another dialect',
      schema('$schema: http://json-schema.org/draft-04/schema#\nrequired: name'),
    ],
    ['data that looks like a reference', schema('example: { $ref: 5 }\ndefault: { $ref: 5 }')],
    ['a property that is called $ref', schema('properties: { $ref: { type: string } }')],
    [
      'a reference to the value of an unknown keyword',
      schema('parts: { type: string }\nitems: { $ref: "#/components/schemas/A/parts" }'),
    ],
    [
      'a server with a variable that it does not describe',
      document("paths: {}\nservers: [{ url: '{base_url}/a' }]"),
    ],
    ['two webhooks of one path item', document('webhooks: { a: &a { post: { summary: s } }, b: *a }')],
  ])('may have %s', (_, text) => {
    expect(faults(text)).toEqual([]);
  });
});

describe('a fault of a schema is found at its line', () => {
  it.each([
    [
      'type: strin',
      '6: /type must be one of array, boolean, integer, null, number, object, string (got "strin")',
    ],
    ['type: [string, string]', '6: /type has "string" twice'],
    ['type: []', '6: /type must name at least one type'],
    ['type: object\nrequired: name', '7: /required must be a list of texts (got "name")'],
    ['required: [a, b, a]', '6: /required has "a" twice'],
    ['required: true', '6: /required must be a list of texts (got true)'],
    ['$ref: 5', '6: /$ref must be a text (got 5)'],
    ['enum: a', '6: /enum must be a list (got "a")'],
    ['maxLength: -1', '6: /maxLength must be a whole number from 0 (got -1)'],
    ['maxLength: 1.5', '6: /maxLength must be a whole number from 0 (got 1.5)'],
    ['multipleOf: 0', '6: /multipleOf must be a number above 0 (got 0)'],
    ['exclusiveMinimum: true', '6: /exclusiveMinimum must be a number (got true)'],
    ["pattern: '(?i)a'", '6: /pattern must be a regular expression (ECMA-262) (got "(?i)a")'],
    ["patternProperties:\n  '(': {}", '7: /patternProperties/( is no regular expression (ECMA-262)'],
    ['items: []', '6: /items must be a schema (got a list)'],
    ['allOf: []', '6: /allOf must have at least one item'],
    ['allOf: {}', '6: /allOf must be a list (got a map)'],
    ['properties: [a]', '6: /properties must be a map (got a list)'],
    [
      'properties:\n  a:\n    type: x',
      '8: /properties/a/type must be one of array, boolean, integer, null, number, object, string (got "x")',
    ],
    ['examples: 1', '6: /examples must be a list (got 1)'],
    ['discriminator: { mapping: {} }', '6: /discriminator needs `propertyName`'],
  ])('%j', (keywords, want) => {
    const [line = '', rest = ''] = want.split(': /');
    expect(faults(schema(keywords))).toEqual([`a.yaml:${line}: ${A}/${rest}`]);
  });
});

const OK = 'responses: { 200: { description: d } }';

describe('a fault of OpenAPI is found at its line', () => {
  it.each([
    ['an unknown field', 'paths: {}\nsumary: s', '4: /sumary is no field of the document'],
    ['a field that is missing', 'paths: {}\ntags: [{}]', '4: /tags/0 needs `name`'],
    ['a path without a slash', `paths:\n  a: {}`, '4: /paths/a is no path: a path starts with `/`'],
    [
      'an unknown status',
      `webhooks:\n  a:\n    get:\n      responses:\n        2000: { description: d }`,
      '7: /webhooks/a/get/responses/2000 is no status: write `200`, `4XX` or `default`, for instance',
    ],
    [
      'a parameter without schema and content',
      'components:\n  parameters:\n    P: { name: p, in: query }',
      '5: /components/parameters/P needs `schema` or `content`',
    ],
    [
      'an optional parameter of a path',
      'components:\n  parameters:\n    P: { name: p, in: path, schema: {} }',
      '5: /components/parameters/P must be `required: true`, because it is part of the path',
    ],
    [
      'an unknown place of a parameter',
      'components:\n  parameters:\n    P: { name: p, in: body, schema: {} }',
      '5: /components/parameters/P/in must be one of query, header, path, cookie (got "body")',
    ],
    [
      'a path without its parameter',
      `paths:\n  /a/{id}:\n    get: { ${OK} }`,
      '5: /paths/~1a~1{id}/get needs a parameter "id" in the path, because the path has {id}',
    ],
    [
      'a parameter without its path',
      `paths:\n  /a:\n    parameters:\n      - { name: id, in: path, required: true, schema: {} }`,
      "6: /paths/~1a/parameters has {id}, which /a doesn't have",
    ],
    [
      'two paths that differ in a name only',
      'paths:\n  /a/{b}: {}\n  /a/{c}: {}',
      '5: /paths/~1a~1{c} is the same path as /a/{b}',
    ],
    [
      'a parameter that comes twice',
      `webhooks:\n  a:\n    parameters:\n      - { name: A, in: header, schema: {} }\n      - { name: a, in: header, schema: {} }`,
      '7: /webhooks/a/parameters/1 is a second parameter "a" in the header',
    ],
    [
      'an operationId that comes twice',
      `webhooks:\n  a:\n    get: { operationId: x, ${OK} }\n    put:\n      operationId: x`,
      '7: /webhooks/a/put/operationId is "x", as at a.yaml:5; each operation needs its own',
    ],
    [
      'a security scheme that nobody defined',
      'paths: {}\nsecurity:\n  - key: []',
      '5: /security/0/key is no security scheme of `components.securitySchemes`',
    ],
    [
      'a security scheme without what its type needs',
      'components:\n  securitySchemes:\n    k: { type: apiKey, in: header }',
      '5: /components/securitySchemes/k needs `name`, because its type is apiKey',
    ],
    [
      'a format of bearer tokens without the scheme bearer',
      'components:\n  securitySchemes:\n    A: { type: http, scheme: basic, bearerFormat: JWT }',
      '5: /components/securitySchemes/A/bearerFormat is only for a security scheme of the type http with the scheme bearer',
    ],
    [
      'a field of another type of security scheme',
      'components:\n  securitySchemes:\n    A: { type: apiKey, in: header, name: a, scheme: bearer }',
      '5: /components/securitySchemes/A/scheme is not for a security scheme of the type apiKey',
    ],
    [
      'a default of a server that is no value of its enum',
      "paths: {}\nservers:\n  - url: 'https://{a}'\n    variables: { a: { default: x, enum: [y] } }",
      '6: /servers/0/variables/a/default must be one of the values of `enum`',
    ],
    [
      'a tag that comes twice',
      'paths: {}\ntags:\n  - name: a\n  - name: a',
      '6: /tags/1/name is "a", as an earlier tag is',
    ],
    [
      'a name of a component with other characters',
      'components:\n  schemas: { a/b: {} }',
      '4: /components/schemas has the name "a/b"; use letters, digits, `.`, `-` and `_`',
    ],
    [
      'a schema that is a reference to a response',
      'components:\n  responses: { R: { description: d } }\n  schemas:\n    A:\n      $ref: "#/components/responses/R"',
      '7: /components/schemas/A/$ref leads to a response, but a schema must stand here',
    ],
    [
      'a reference that is no text',
      'components:\n  responses:\n    R: { $ref: [] }',
      '5: /components/responses/R/$ref must be a text (got a list)',
    ],
    [
      'a reference to nothing in a callback',
      'components:\n  callbacks:\n    C: { $u: { parameters: [{ $ref: "none.yaml#/x" }] } }',
      '5: /components/callbacks/C/$u/parameters/0/$ref leads to nothing (got "none.yaml#/x")',
    ],
    [
      'a reference to nothing in a link',
      'components:\n  links:\n    L: { $ref: "#/components/links/M" }',
      '5: /components/links/L/$ref leads to nothing (got "#/components/links/M")',
    ],
  ])('%s', (_, fields, want) => {
    expect(faults(document(fields))).toEqual([`a.yaml:${want}`]);
  });

  it('in another file', () => {
    const main = document('components:\n  schemas:\n    A: { $ref: b.yaml#/x }');
    expect(faults(main, { 'b.yaml': 'x:\n  type: 1\n' })).toEqual([
      'b.yaml:2: /x/type must be one of array, boolean, integer, null, number, object, string (got 1)',
    ]);
  });
});

describe('a document with any single mutation', () => {
  it('has a fault if the schema of OpenAPI finds one', async () => {
    const validator = new Validator({ allErrors: false });
    for (const mutation of everyMutation(everyObject)) {
      const text = JSON.stringify(mutate(everyObject, mutation));
      const { errors } = await validator.validate(JSON.parse(text) as Record<string, unknown>);
      // A text is an error about a reference.
      if (Array.isArray(errors))
        expect({ mutation, faults: faultsOrRefusal(text) }).not.toMatchObject({ faults: [] });
    }
  });
});

function faultsOrRefusal(text: string): string[] {
  try {
    return faults(text);
  } catch (error) {
    if (error instanceof ToolError) return [error.message];
    throw error;
  }
}
