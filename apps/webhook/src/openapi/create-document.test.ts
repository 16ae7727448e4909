import 'reflect-metadata';

import { readFileSync } from 'node:fs';

import { answers, type Answers, type ExecutableId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { composeAnswers } from '../answers/compose-answers.js';
import { createDocument, formatDocument } from './create-document.js';

const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

/** Every key of a document, at whatever depth. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysOf(member)]);
}

test('it is openapi.json, byte for byte', async () => {
  expect(formatDocument(await createDocument(composeAnswers(answers)))).toBe(committed);
});

test.each<{ name: string; given: Answers }>([
  { name: 'everything open', given: {} },
  { name: 'everything answered', given: exampleAnswers },
])('with $name it is the same whenever it is generated', async ({ given }) => {
  const documents = await Promise.all([
    createDocument(composeAnswers(given)),
    createDocument(composeAnswers(given)),
  ]);
  documents.push(await createDocument(composeAnswers(given)));

  expect(new Set(documents.map(formatDocument)).size).toBe(1);
});

test.each(['operationId', 'tags', 'parameters', 'responses', 'requestBody', 'contact', 'bearerFormat'])(
  'Nest asserts no %s',
  async (key) => {
    expect(keysOf(await createDocument(composeAnswers({})))).not.toContain(key);
  },
);

test('nothing in it is empty except the paths and the scopes of the bearer scheme', async () => {
  const empty: string[] = [];
  const look = (value: unknown, at: string): void => {
    if (value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) {
      empty.push(at);
    } else if (typeof value === 'object' && value !== null) {
      Object.entries(value).forEach(([key, member]) => look(member, `${at}/${key}`));
    }
  };
  look(await createDocument(composeAnswers({})), '');

  expect(empty).toEqual(['/paths', '/security/0/bearerAuth']);
});

/** Where answers show. */
interface Shown {
  readonly server?: object;
  readonly securityScheme?: object;
  readonly schemas?: object;
  readonly operation?: object;
}

/** The document with everything open, and these parts. */
async function documentShowing({ server, securityScheme, schemas, operation }: Shown): Promise<object> {
  const { servers, webhooks, components, ...others } = (await createDocument(composeAnswers({}))) as {
    servers: object[];
    webhooks: Record<string, object>;
    components: { securitySchemes: Record<string, object> };
  };
  return {
    ...others,
    servers: [{ ...servers[0], ...server }],
    webhooks: {
      '/plant/webhook': { ...webhooks['/plant/webhook'], ...(operation && { put: operation }) },
    },
    components: {
      ...(schemas && { schemas }),
      securitySchemes: { bearerAuth: { ...components.securitySchemes['bearerAuth'], ...securityScheme } },
    },
  };
}

const header = (name: string, schema: object = { type: 'string' }): object => ({
  name,
  in: 'header',
  required: true,
  schema,
});
const body = (schema: object, required: object = { required: true }): object => ({
  requestBody: { content: { 'application/json': schema }, ...required },
});
const plantRequired = { type: 'object', required: ['plant'] };
const plant = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    heightInCentimetres: { type: 'number', exclusiveMinimum: 0 },
  },
  required: ['name'],
};
const event = {
  type: 'object',
  properties: { addedOn: { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}$` } },
  required: ['addedOn'],
};
const errorPayload = (code: object): object => ({
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'integer' }, title: { type: 'string' }, code },
});
const failures = (content?: object): object => ({
  409: { description: 'The plant is not as agreed.', ...content },
  413: { description: 'The plant is too large.', ...content },
});
const failuresWithPayload = failures({
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ErrorPayload' } } },
});
const taken = {
  description: 'The plant was taken.',
  content: { 'application/json': { example: { taken: true } } },
};

interface Case {
  /** The questions that must be answered for this answer to show completely. */
  readonly builtOn?: readonly ExecutableId[];
  readonly want: Shown;
}

const delivered: readonly ExecutableId[] = ['http-method', 'media-type', 'payload'];
const nothing: Case = { want: {} };

const cases: { readonly [Id in ExecutableId]: Case } = {
  'authentication-realm': nothing,
  'base-address': { want: { server: { variables: { base_url: { default: 'https://receiver.example' } } } } },
  'error-codes': {
    builtOn: ['http-method', 'status-codes', 'error-payloads'],
    want: {
      schemas: {
        ErrorPayload: errorPayload({
          type: 'string',
          enum: ['EXAMPLE_TOKEN', 'EXAMPLE_PLANT', 'EXAMPLE_RATE'],
        }),
      },
      operation: { responses: failuresWithPayload },
    },
  },
  'error-payloads': {
    builtOn: ['http-method', 'status-codes'],
    want: {
      schemas: { ErrorPayload: errorPayload({ type: 'string' }) },
      operation: { responses: failuresWithPayload },
    },
  },
  'event-identity': { builtOn: ['http-method'], want: { operation: { parameters: [header('webhook-id')] } } },
  'event-payload-fields': {
    builtOn: delivered,
    want: {
      schemas: { NewPlantEvent: event },
      operation: body({
        schema: {
          ...plantRequired,
          properties: { plant: {} },
          allOf: [{ $ref: '#/components/schemas/NewPlantEvent' }],
        },
      }),
    },
  },
  'http-method': { want: { operation: {} } },
  'media-type': { builtOn: ['http-method'], want: { operation: body({}, {}) } },
  payload: {
    builtOn: ['http-method', 'media-type'],
    want: { operation: body({ schema: { ...plantRequired, properties: { plant: {} } } }) },
  },
  'plant-fields': {
    builtOn: delivered,
    want: {
      schemas: { Plant: plant },
      operation: body({
        schema: { ...plantRequired, properties: { plant: { $ref: '#/components/schemas/Plant' } } },
      }),
    },
  },
  'rate-limits': nothing,
  'receiver-response': { builtOn: ['http-method'], want: { operation: { responses: { 200: taken } } } },
  'request-versioning': {
    builtOn: ['http-method'],
    want: {
      operation: { parameters: [header('plant-store-version', { type: 'string', const: '1.0.0' })] },
    },
  },
  retry: nothing,
  signing: {
    builtOn: ['http-method', 'event-identity'],
    want: {
      operation: {
        parameters: [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')],
      },
    },
  },
  'size-limits': nothing,
  'status-codes': { builtOn: ['http-method'], want: { operation: { responses: failures() } } },
  'time-outs': nothing,
  'token-format': { want: { securityScheme: { bearerFormat: 'example' } } },
};

test.each(Object.entries(cases))('what the answer to %s shows', async (id, { builtOn = [], want }) => {
  const given = Object.fromEntries(
    [...builtOn, id].map((question) => [question, exampleAnswers[question as ExecutableId]]),
  ) as Answers;

  expect(await createDocument(composeAnswers(given))).toEqual(await documentShowing(want));
});

const withoutOperation: Shown = {
  server: { variables: { base_url: { default: 'https://receiver.example' } } },
  securityScheme: { bearerFormat: 'example' },
  schemas: {
    Plant: plant,
    NewPlantEvent: event,
    ErrorPayload: errorPayload({ type: 'string', enum: ['EXAMPLE_TOKEN', 'EXAMPLE_PLANT', 'EXAMPLE_RATE'] }),
  },
};

test('what all answers together show', async () => {
  expect(await createDocument(composeAnswers(exampleAnswers))).toEqual(
    await documentShowing({
      ...withoutOperation,
      operation: {
        parameters: [
          header('webhook-id'),
          header('webhook-timestamp'),
          header('webhook-signature'),
          header('plant-store-version', { type: 'string', const: '1.0.0' }),
        ],
        ...body({
          schema: {
            ...plantRequired,
            properties: { plant: { $ref: '#/components/schemas/Plant' } },
            allOf: [{ $ref: '#/components/schemas/NewPlantEvent' }],
          },
        }),
        responses: { 200: taken, ...failuresWithPayload },
      },
    }),
  );
});

test('while the method is open, nothing shows that belongs to an operation', async () => {
  const { 'http-method': method, ...others } = exampleAnswers;
  expect(method).toBe('PUT');

  expect(await createDocument(composeAnswers(others))).toEqual(await documentShowing(withoutOperation));
});
