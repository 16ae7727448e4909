import type { AnswerValues } from '@plant-store/contract';
import { z } from 'zod';

import type { DocumentParts } from './document-parts.js';
import { documentPartsOf } from './document-table.js';

const plant = z.object({ name: z.string() });
const event = z.object({ addedOn: z.string() });
const closedEvent = z.strictObject({ 'added/on': z.string(), by: z.string().optional() });
const plantRef = { $ref: '#/components/schemas/Plant' };
const eventRef = { $ref: '#/components/schemas/NewPlantEvent' };

test('without answers it shows nothing', () => {
  expect(documentPartsOf({})).toEqual({});
});

describe('the schema of the payload', () => {
  const json = { 'media-type': 'application/vnd.example+json' } as const;
  const alone: AnswerValues = { ...json, payload: 'plant' };
  const inField: AnswerValues = { ...json, payload: { plantField: 'plant' } };

  test.each<{ name: string; given: AnswerValues; want: object | undefined }>([
    { name: 'a plant whose fields are open', given: alone, want: undefined },
    { name: 'a plant', given: { ...alone, 'plant-fields': plant }, want: plantRef },
    {
      name: 'a plant in a field',
      given: { ...inField, 'plant-fields': plant },
      want: { type: 'object', required: ['plant'], properties: { plant: plantRef } },
    },
    {
      name: 'a plant beside an event',
      given: { ...inField, 'plant-fields': plant, 'event-payload-fields': event },
      want: { type: 'object', required: ['plant'], properties: { plant: plantRef }, allOf: [eventRef] },
    },
    {
      name: 'a plant beside an event that allows no other field',
      given: { ...inField, 'plant-fields': plant, 'event-payload-fields': closedEvent },
      want: {
        type: 'object',
        required: ['plant', 'added/on'],
        properties: {
          plant: plantRef,
          'added/on': { $ref: '#/components/schemas/NewPlantEvent/properties/added~1on' },
          by: { $ref: '#/components/schemas/NewPlantEvent/properties/by' },
        },
        additionalProperties: false,
      },
    },
  ])('$name', ({ given, want }) => {
    expect(documentPartsOf(given).requestBody).toEqual({
      required: true,
      content: { 'application/vnd.example+json': want === undefined ? {} : { schema: want } },
    });
  });
});

describe('a payload with a description and names', () => {
  const json = { 'media-type': 'application/json' } as const;
  const names = { plant: 'PlantRecord', event: 'PlantAdded', payload: 'NewPlant' };
  const description = 'A plant that was added.';
  const plantRecord = { $ref: '#/components/schemas/PlantRecord' };
  const newPlant = { $ref: '#/components/schemas/NewPlant' };

  test.each<{ name: string; given: AnswerValues; schema: object | undefined; named: string[] }>([
    {
      name: 'a plant alone',
      given: { payload: { shape: 'plant', description, names }, 'plant-fields': plant },
      schema: plantRecord,
      named: ['PlantRecord'],
    },
    {
      name: 'a plant in a field',
      given: { payload: { plantField: 'plant', description, names }, 'plant-fields': plant },
      schema: newPlant,
      named: ['NewPlant', 'PlantRecord'],
    },
    {
      name: 'a plant whose fields are open',
      given: { payload: { shape: 'plant', description, names } },
      schema: undefined,
      named: [],
    },
  ])('$name', ({ given, schema, named }) => {
    const parts = documentPartsOf({ ...json, ...given });

    expect(parts.requestBody).toEqual({
      description,
      required: true,
      content: { 'application/json': schema === undefined ? {} : { schema } },
    });
    expect(Object.keys(parts.schemas ?? {})).toEqual(named);
  });

  test('the payload refers to the others by their names', () => {
    const { schemas } = documentPartsOf({
      ...json,
      payload: { plantField: 'plant', names },
      'plant-fields': plant,
      'event-payload-fields': closedEvent,
    });

    expect(schemas?.['NewPlant']).toEqual({
      type: 'object',
      required: ['plant', 'added/on'],
      properties: {
        plant: plantRecord,
        'added/on': { $ref: '#/components/schemas/PlantAdded/properties/added~1on' },
        by: { $ref: '#/components/schemas/PlantAdded/properties/by' },
      },
      additionalProperties: false,
    });
  });
});

test('schemas with names of their own are components, and refer to each other there', () => {
  const light = z.enum(['sun', 'shade']).meta({ id: 'Light' });
  const branch = z
    .object({
      light,
      get branches() {
        return z.array(branch);
      },
    })
    .meta({ id: 'Branch' });
  const { schemas, requestBody } = documentPartsOf({
    'media-type': 'application/json',
    payload: { plantField: 'plant' },
    'plant-fields': branch,
    'event-payload-fields': z.object({ light, trunk: branch }),
  });

  const branchRef = { $ref: '#/components/schemas/Branch' };
  const lightRef = { $ref: '#/components/schemas/Light' };
  expect(requestBody?.content['application/json']?.schema).toEqual({
    type: 'object',
    required: ['plant'],
    properties: { plant: branchRef },
    allOf: [eventRef],
  });
  expect(schemas).toEqual({
    Branch: {
      type: 'object',
      properties: { light: lightRef, branches: { type: 'array', items: branchRef } },
      required: ['light', 'branches'],
    },
    Light: { type: 'string', enum: ['sun', 'shade'] },
    NewPlantEvent: {
      type: 'object',
      properties: { light: lightRef, trunk: branchRef },
      required: ['light', 'trunk'],
    },
  });
});

test.each<{ name: string; given: AnswerValues; want: DocumentParts }>([
  {
    name: 'a payload whose media type is not JSON has no schema',
    given: { payload: 'plant', 'media-type': 'text/plain' },
    want: { requestBody: { required: true, content: { 'text/plain': {} } } },
  },
  {
    name: 'a response may have other text than JSON',
    given: {
      'receiver-response': {
        status: 202,
        description: 'Taken.',
        content: { mediaType: 'text/plain', text: 'true' },
      },
    },
    want: { responses: { 202: { description: 'Taken.', content: { 'text/plain': { example: 'true' } } } } },
  },
  {
    name: 'failures with the same status are described one after another, each once',
    given: {
      'status-codes': {
        'content-invalid': { status: 400, description: 'Not a plant.' },
        'signature-invalid': { status: 400, description: 'Not signed.' },
        'content-malformed': { status: 400, description: 'Not a plant.' },
      },
    },
    want: { responses: { 400: { description: 'Not a plant.\n\nNot signed.' } } },
  },
  {
    name: 'an error payload has the name that its answer gives it',
    given: {
      'error-payloads': { mediaType: 'application/json', fields: { reason: 'code' }, name: 'Problem' },
      'error-codes': { unavailable: 'LATER' },
      'status-codes': { unavailable: { status: 503, description: 'Later.' } },
    },
    want: {
      schemas: { Problem: { type: 'object', properties: { reason: { type: 'string', enum: ['LATER'] } } } },
      responses: {
        503: {
          description: 'Later.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  },
  {
    name: 'a code that two failures share is listed once',
    given: {
      'error-payloads': { mediaType: 'application/json', fields: { reason: 'code' } },
      'error-codes': { unavailable: 'LATER', 'rate-exceeded': 'LATER' },
    },
    want: {
      schemas: {
        ErrorPayload: {
          type: 'object',
          properties: { reason: { type: 'string', enum: ['LATER'] } },
        },
      },
      responses: {},
    },
  },
])('$name', ({ given, want }) => {
  expect(documentPartsOf(given)).toEqual(want);
});

test.each<{ name: string; given: AnswerValues }>([
  { name: 'the shape of a payload of an unknown media type', given: { payload: 'plant' } },
  { name: 'an identifier in the content', given: { 'event-identity': { pointer: '/id' } } },
  { name: 'a version before the path', given: { 'request-versioning': { pathPrefix: '/v1' } } },
  { name: 'error codes that stand in no payload', given: { 'error-codes': { unavailable: 'LATER' } } },
])('OpenAPI has no place for $name', ({ given }) => {
  expect(documentPartsOf(given)).toEqual({});
});

test('a schema refers to its own parts at its place in the document', () => {
  const tree = z.object({
    $ref: z.string(),
    get branches() {
      return z.array(tree);
    },
    kind: z.literal('#'),
  });
  const { schemas } = documentPartsOf({ 'plant-fields': tree });

  expect(schemas?.['Plant']).toMatchObject({
    properties: {
      $ref: { type: 'string' },
      branches: { items: { $ref: '#/components/schemas/Plant' } },
      kind: { const: '#' },
    },
  });
});
