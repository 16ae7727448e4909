import { factTexts, documentOf, SCHEMA, type Texts, withSchema } from '../../test/documents.js';

const PLANT = { type: 'string' };

describe('references', () => {
  it.each<{ name: string; given: Texts }>([
    {
      name: 'a JSON Pointer',
      given: { 'main.yaml': withSchema({ $ref: '#/components/schemas/P' }, { P: PLANT }) },
    },
    {
      name: 'an escaped pointer',
      given: { 'main.yaml': withSchema({ $ref: '#/components/schemas/a~1b~0%20c' }, { 'a/b~ c': PLANT }) },
    },
    {
      name: 'a reference to a reference',
      given: {
        'main.yaml': withSchema(
          { $ref: '#/components/schemas/A' },
          { A: { $ref: '#/components/schemas/P' }, P: PLANT },
        ),
      },
    },
    {
      name: 'a whole file',
      given: { 'main.yaml': withSchema({ $ref: './p.json' }), 'p.json': JSON.stringify(PLANT) },
    },
    {
      name: 'a part of a file in another folder',
      given: {
        'main.yaml': withSchema({ $ref: 'x/p.yaml#/a/0' }),
        'x/p.yaml': 'a: [{ $ref: ../q.yaml }]',
        'q.yaml': 'type: string',
      },
    },
    {
      name: 'a file that refers back',
      given: {
        'main.yaml': withSchema({ $ref: 'x/p.yaml' }, { P: PLANT }),
        'x/p.yaml': '$ref: "../main.yaml#/components/schemas/P"',
      },
    },
  ])('follow $name', ({ given }) => {
    expect(factTexts(given)).toMatchObject(factTexts({ 'main.yaml': withSchema(PLANT) }));
  });

  it.each<{ name: string; given: Texts; want: string }>([
    {
      name: 'to nothing',
      given: { 'main.yaml': withSchema({ $ref: '#/components/schemas/Q' }) },
      want: 'main.yaml:1: $ref "#/components/schemas/Q" points to nothing',
    },
    {
      name: 'to an anchor',
      given: { 'main.yaml': withSchema({ $ref: '#q' }, { A: { $anchor: 'q' } }) },
      want: 'main.yaml:1: $ref "#q" names an anchor; write a JSON Pointer, such as #/components/schemas/NAME',
    },
    {
      name: 'to an anchor in another file',
      given: { 'main.yaml': withSchema({ $ref: 'p.json#q' }), 'p.json': '{"$dynamicAnchor": "q"}' },
      want: 'main.yaml:1: $ref "p.json#q" names an anchor',
    },
    {
      name: 'that are dynamic',
      given: { 'main.yaml': withSchema({ $dynamicRef: '#q' }, { A: { $dynamicAnchor: 'q' } }) },
      want: 'main.yaml:1: $dynamicRef is not supported: write a $ref',
    },
    {
      name: 'below an $id',
      given: {
        'main.yaml': withSchema(
          { $id: 'https://example.com/p', properties: { q: { $ref: '#/components/schemas/Q' } } },
          { Q: PLANT },
        ),
      },
      want: 'main.yaml:1: $ref below the $id at main.yaml:1 is not supported: take the $id away',
    },
    {
      name: 'to no file',
      given: { 'main.yaml': withSchema({ $ref: 'p.yaml' }) },
      want: 'main.yaml:1: $ref "p.yaml" points to nothing: p.yaml: cannot be read: there is no such file',
    },
    {
      name: 'to a file that cannot be parsed',
      given: { 'main.yaml': withSchema({ $ref: 'p.json' }), 'p.json': '{' },
      want: 'p.json:1: not JSON: close brace expected',
    },
    {
      name: 'to another machine',
      given: { 'main.yaml': withSchema({ $ref: 'https://example.com/p.yaml' }) },
      want: 'is not a local file',
    },
    {
      name: 'with a broken escape',
      given: { 'main.yaml': withSchema({ $ref: '#/%zz' }) },
      want: 'main.yaml:1: $ref "#/%zz" has a broken escape',
    },
    {
      name: 'that only lead to each other',
      given: {
        'main.yaml': withSchema(
          { $ref: '#/components/schemas/A' },
          { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } },
        ),
      },
      want: 'leads back to itself',
    },
  ])('are refused $name', ({ given, want }) => {
    expect(() => factTexts(given)).toThrow(want);
  });

  it.each([
    { name: 'an example', given: { example: { $ref: '#/nothing' } }, pointer: '/example/$ref' },
    { name: 'a default', given: { default: { $ref: '#/nothing' } }, pointer: '/default/$ref' },
    { name: 'a const', given: { const: { $ref: '#/nothing' } }, pointer: '/const/$ref' },
    { name: 'an enum', given: { enum: [{ $ref: '#/nothing' }] }, pointer: '/enum/0/$ref' },
    { name: 'an extension', given: { 'x-a': { $ref: '#/nothing' } }, pointer: '/x-a/$ref' },
  ])('are data in $name', ({ given, pointer }) => {
    expect(factTexts({ 'main.yaml': withSchema(given) })).toHaveProperty([SCHEMA + pointer], '"#/nothing"');
  });

  it('do not stop at an $id that has none below it, or that is data', () => {
    const given = { $id: 'https://example.com/p', properties: { $id: { type: 'string' } } };
    expect(factTexts({ 'main.yaml': withSchema(given) })).toHaveProperty([`${SCHEMA}/$id`], `"${given.$id}"`);
    const named = {
      properties: { $id: { $ref: '#/components/schemas/P' } },
      example: { $id: 'p', $ref: 'q' },
    };
    expect(factTexts({ 'main.yaml': withSchema(named, { P: PLANT }) })).toHaveProperty(
      [`${SCHEMA}/properties/$id/type`],
      '"string"',
    );
  });

  it('may be the name of a property', () => {
    const given = withSchema({ properties: { $ref: { type: 'string' } } });
    expect(factTexts({ 'main.yaml': given })).toHaveProperty([`${SCHEMA}/properties/$ref/type`], '"string"');
  });

  it.each([
    { name: 'no object', given: '[]', want: 'expected an object' },
    { name: 'another kind of document', given: 'a: 1', want: '`openapi` must be a text' },
    { name: 'OpenAPI 3.0', given: 'openapi: 3.0.3', want: 'it declares OpenAPI 3.0.3' },
    { name: 'OpenAPI 3.2', given: documentOf({ openapi: '3.2.0' }), want: 'it declares OpenAPI 3.2.0' },
  ])('are not read in $name', ({ given, want }) => {
    expect(() => factTexts({ 'main.yaml': given })).toThrow(
      `main.yaml: not an OpenAPI 3.1 document: ${want}`,
    );
  });
});
