import type { AnswerValues } from './answer-types.js';
import { componentsOf, namedComponents } from './document.js';
import type { JsonSchema } from './references.js';

const at = (place: string): JsonSchema => ({ $ref: `#/components/schemas/${place}` });

test.each<{ name: string; schema: JsonSchema; names?: object; want: ReturnType<typeof componentsOf> }>([
  {
    name: 'a schema without definitions has our name',
    schema: { type: 'object' },
    want: { own: { name: 'Plant', schema: { type: 'object' } }, definitions: [] },
  },
  {
    name: 'an answer names it',
    schema: { items: { $ref: '#' } },
    names: { plant: 'Fern' },
    want: { own: { name: 'Fern', schema: { items: at('Fern') } }, definitions: [] },
  },
  {
    name: 'definitions have their own names, and references lead to them and to parts of them',
    schema: {
      properties: {
        light: { $ref: '#/$defs/Light' },
        shade: { $ref: '#/$defs/Light/properties/a~1b' },
        name: { $ref: '#/properties/light' },
      },
      $defs: { Light: { properties: { 'a/b': { $ref: '#/$defs/Light' } } } },
    },
    want: {
      own: {
        name: 'Plant',
        schema: {
          properties: {
            light: at('Light'),
            shade: at('Light/properties/a~1b'),
            name: at('Plant/properties/light'),
          },
        },
      },
      definitions: [{ name: 'Light', schema: { properties: { 'a/b': at('Light') } } }],
    },
  },
  {
    name: 'a schema that is one of its definitions has the name of that',
    schema: { $ref: '#/$defs/Fern', $defs: { Fern: { items: { $ref: '#/$defs/Fern' } }, Light: {} } },
    want: {
      own: { name: 'Fern', schema: { items: at('Fern') } },
      definitions: [{ name: 'Light', schema: {} }],
    },
  },
  {
    name: 'an answer names that, too',
    schema: { $ref: '#/$defs/Fern', $defs: { Fern: { items: { $ref: '#/$defs/Fern' } } } },
    names: { plant: 'Record' },
    want: { own: { name: 'Record', schema: { items: at('Record') } }, definitions: [] },
  },
  {
    name: 'a schema that has more than a reference has our name',
    schema: {
      allOf: [{ $ref: '#/$defs/Fern/properties/a%20b' }],
      $ref: '#/$defs/Fern',
      $defs: { Fern: { properties: { 'a b': {} } } },
    },
    want: {
      own: { name: 'Plant', schema: { allOf: [at('Fern/properties/a%20b')], ...at('Fern') } },
      definitions: [{ name: 'Fern', schema: { properties: { 'a b': {} } } }],
    },
  },
  {
    name: 'a schema that is a part of one of its definitions has our name',
    schema: { $ref: '#/$defs/Fern/items', $defs: { Fern: { items: {} } } },
    want: {
      own: { name: 'Plant', schema: at('Fern/items') },
      definitions: [{ name: 'Fern', schema: { items: {} } }],
    },
  },
  {
    name: 'data and names of fields are no references',
    schema: { const: { $ref: '#' }, properties: { $ref: { $ref: '#' } } },
    want: {
      own: { name: 'Plant', schema: { const: { $ref: '#' }, properties: { $ref: at('Plant') } } },
      definitions: [],
    },
  },
])('$name', ({ schema, names, want }) => {
  expect(componentsOf('plant', schema, names)).toEqual(want);
});

const schemaOf = (schema: JsonSchema) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'example',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => ({ ...schema }) },
  },
});

test.each<{ name: string; given: AnswerValues; want: Record<string, string> }>([
  { name: 'no answers', given: {}, want: {} },
  {
    name: 'schemas that nothing names',
    given: {
      'plant-fields': schemaOf({ type: 'object' }),
      'event-payload-fields': schemaOf({ type: 'object' }),
      'error-payloads': { mediaType: 'application/json', fields: { status: 'status' } },
    },
    want: {
      ErrorPayload: 'error-payloads',
      Plant: 'plant-fields',
      NewPlantEvent: 'event-payload-fields',
    },
  },
  {
    name: 'schemas that answers name',
    given: {
      payload: { plantField: 'plant', names: { plant: 'Fern', event: 'Added', payload: 'Order' } },
      'plant-fields': schemaOf({ type: 'object' }),
      'event-payload-fields': schemaOf({ type: 'object' }),
      'error-payloads': { mediaType: 'application/json', fields: { status: 'status' }, name: 'Problem' },
    },
    want: { Order: 'payload', Problem: 'error-payloads', Fern: 'payload', Added: 'payload' },
  },
  {
    name: 'definitions',
    given: {
      'plant-fields': schemaOf({ items: { $ref: '#/$defs/Light' }, $defs: { Light: {}, Soil: {} } }),
      'event-payload-fields': schemaOf({ $ref: '#/$defs/Added', $defs: { Added: {} } }),
    },
    want: {
      Plant: 'plant-fields',
      Light: 'plant-fields',
      Soil: 'plant-fields',
      Added: 'event-payload-fields',
    },
  },
  {
    name: 'schemas that are open',
    given: { payload: { plantField: 'plant', names: { plant: 'Fern' } } },
    want: {},
  },
])('the names of components: $name', ({ given, want }) => {
  const named = namedComponents(given).map(({ name, id }) => [name, id]);
  expect(Object.fromEntries(named)).toEqual(want);
});
