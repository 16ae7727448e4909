import { differences, factTexts, documentOf, SCHEMA, type Texts, withSchema } from '../../test/documents.js';

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
      name: 'an anchor',
      given: { 'main.yaml': withSchema({ $ref: '#p' }, { P: { $anchor: 'p', ...PLANT } }) },
    },
    {
      name: 'a dynamic anchor',
      given: { 'main.yaml': withSchema({ $ref: '#p' }, { P: { $dynamicAnchor: 'p', ...PLANT } }) },
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
      name: 'to an unknown anchor',
      given: { 'main.yaml': withSchema({ $ref: '#q' }) },
      want: 'main.yaml:1: $ref "#q" points to nothing',
    },
    {
      name: 'to an anchor that is there twice',
      given: { 'main.yaml': withSchema({ $ref: '#q' }, { A: { $anchor: 'q' }, B: { $anchor: 'q' } }) },
      want: 'main.yaml:1: $ref "#q" points to more than one place, main.yaml:1 and main.yaml:1',
    },
    {
      name: 'below an $id',
      given: {
        'main.yaml': withSchema(
          { $id: 'https://example.com/p', properties: { q: { $ref: '#/components/schemas/Q' } } },
          { Q: PLANT },
        ),
      },
      want: 'main.yaml:1: $ref "#/components/schemas/Q" is relative to the $id at main.yaml:1',
    },
    {
      name: 'to nothing, dynamically',
      given: { 'main.yaml': withSchema({ $dynamicRef: '#q' }) },
      want: 'main.yaml:1: $ref "#q" points to nothing',
    },
    {
      name: 'to one dynamic anchor or another',
      given: {
        'main.yaml': withSchema({ $ref: 'p.json' }, { A: { $dynamicAnchor: 'q' } }),
        'p.json': JSON.stringify({ $dynamicAnchor: 'q', items: { $dynamicRef: '#q' } }),
      },
      want: 'p.json:1: $dynamicRef "#q" may lead to main.yaml:1 or to p.json:1, which is not supported',
    },
    {
      name: 'to no file',
      given: { 'main.yaml': withSchema({ $ref: 'p.yaml' }) },
      want: 'main.yaml:1: $ref "p.yaml": p.yaml: cannot be read: there is no such file',
    },
    {
      name: 'to a file that cannot be parsed',
      given: { 'main.yaml': withSchema({ $ref: 'p.json' }), 'p.json': '{' },
      want: 'p.json:1: not JSON: expected a string',
    },
    {
      name: 'to another machine',
      given: { 'main.yaml': withSchema({ $ref: 'https://example.com/p.yaml' }) },
      want: 'is not a local file',
    },
    {
      name: 'with a broken escape',
      given: { 'main.yaml': withSchema({ $ref: '#/%zz' }) },
      want: 'main.yaml:1: $ref has a broken percent-encoding',
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

  it.each<{ name: string; one: Texts; other: Texts; want: string }>([
    {
      name: 'another file',
      one: { 'main.yaml': withSchema({ $dynamicRef: 'p.json#p' }), 'p.json': dynamic('string') },
      other: { 'main.yaml': withSchema({ $dynamicRef: 'p.json#p' }), 'p.json': dynamic('number') },
      want: `${SCHEMA}/$dynamicRef/type`,
    },
    {
      name: 'the same document',
      one: { 'main.yaml': withSchema({ $dynamicRef: '#p' }, { P: JSON.parse(dynamic('string')) as object }) },
      other: { 'main.yaml': withSchema({ $dynamicRef: '#p' }, { P: JSON.parse(dynamic('null')) as object }) },
      want: `${SCHEMA}/$dynamicRef/type`,
    },
  ])('are followed dynamically into $name', ({ one, other, want }) => {
    expect(differences(one, other).map(({ pointer }) => pointer)).toEqual([want]);
  });

  it('may be the name of a property', () => {
    const given = withSchema({ properties: { $ref: { type: 'string' } } });
    expect(factTexts({ 'main.yaml': given })).toHaveProperty([`${SCHEMA}/properties/$ref/type`], '"string"');
  });

  it.each([
    { name: 'no object', given: '[]', want: 'it holds no object' },
    { name: 'another kind of document', given: 'a: 1', want: 'it has no text under `openapi`' },
    { name: 'OpenAPI 3.0', given: 'openapi: 3.0.3', want: 'it declares OpenAPI 3.0.3' },
    { name: 'OpenAPI 3.2', given: documentOf({ openapi: '3.2.0' }), want: 'it declares OpenAPI 3.2.0' },
  ])('are not looked for in $name', ({ given, want }) => {
    expect(() => factTexts({ 'main.yaml': given })).toThrow(
      `main.yaml: not an OpenAPI 3.1 document: ${want}`,
    );
  });
});

function dynamic(type: string): string {
  return JSON.stringify({ $dynamicAnchor: 'p', type });
}
