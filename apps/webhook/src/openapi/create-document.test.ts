/**
 * What each example answer shows in the document is in the matrix (docs/reference/answers.md), and the gate holds openapi.json
 * against the specification. This is what they can't see: the document as a whole.
 */
import 'reflect-metadata';

import { exampleAnswers } from '@plant-store/example-answers';

import { composeAnswers } from '../answers/compose-answers.js';
import { createDocument } from './create-document.js';

/** What the specification states, and nothing else. Its text is the only reason to change this. */
const specified = {
  openapi: '3.1.0',
  info: { title: 'OpenAPI Plant Store', license: { name: 'MIT' }, version: '1.0.0' },
  servers: [{ url: '{base_url}' }],
  paths: {},
  webhooks: {
    '/plant/webhook': {
      summary: 'New Plant',
      description: 'Information about a new plant added to the store',
    },
  },
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
  security: [{ bearerAuth: [] }],
};

test('with everything open, it states the specification, and Nest adds nothing', async () => {
  expect(await createDocument(composeAnswers({}))).toEqual(specified);
});

const CODES = { type: 'string', enum: ['EXAMPLE_TOKEN', 'EXAMPLE_PLANT', 'EXAMPLE_RATE'] };

/** The specification, and what shows of all example answers outside an operation. */
const answered = {
  ...specified,
  servers: [{ ...specified.servers[0], variables: { base_url: { default: 'https://receiver.example' } } }],
  components: {
    schemas: {
      Plant: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1 },
          heightInCentimetres: { type: 'number', exclusiveMinimum: 0 },
        },
        required: ['name'],
      },
      NewPlantEvent: {
        type: 'object',
        properties: { addedOn: { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}$` } },
        required: ['addedOn'],
      },
      ErrorPayload: {
        type: 'object',
        required: ['status'],
        properties: { status: { type: 'integer' }, title: { type: 'string' }, code: CODES },
      },
    },
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'example' } },
  },
};

const header = (name: string, schema: object = {}): object => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string', ...schema },
});
const problem = (description: string): object => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ErrorPayload' } } },
});

const operation = {
  parameters: [
    header('webhook-id'),
    header('webhook-timestamp'),
    header('webhook-signature'),
    header('plant-store-version', { const: '1.0.0' }),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['plant'],
          properties: { plant: { $ref: '#/components/schemas/Plant' } },
          allOf: [{ $ref: '#/components/schemas/NewPlantEvent' }],
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The plant was taken.',
      content: { 'application/json': { example: { taken: true } } },
    },
    409: problem('The plant is not as agreed.'),
    413: problem('The plant is too large.'),
  },
};

test('what all answers together show, whenever it is generated', async () => {
  const webhook = { ...specified.webhooks['/plant/webhook'], put: operation };
  const want = { ...answered, webhooks: { '/plant/webhook': webhook } };

  for (const document of await Promise.all([1, 2].map(() => createDocument(composeAnswers(exampleAnswers)))))
    expect(document).toEqual(want);
});

test('while the method is open, nothing shows that belongs to an operation', async () => {
  const { 'http-method': method, ...others } = exampleAnswers;
  expect(method).toBe('PUT');

  expect(await createDocument(composeAnswers(others))).toEqual(answered);
});
