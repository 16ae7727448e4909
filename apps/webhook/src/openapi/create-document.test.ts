import 'reflect-metadata';

import { readFileSync } from 'node:fs';

import {
  answers,
  type Answers,
  type CarriedOut,
  carriedOut,
  type ExecutableId,
  isJsonMediaType,
  plainAnswers,
} from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { composeAnswers } from '../answers/compose-answers.js';
import type { DocumentQuestion } from '../answers/document-table.js';
import { createDocument, formatDocument } from './create-document.js';

const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

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

test('with everything open, it states the specification, and Nest adds nothing', async () => {
  expect(await createDocument(composeAnswers({}))).toEqual(specified);
});

/** Where answers show. */
interface Shown {
  readonly server?: object;
  readonly securityScheme?: object;
  readonly schemas?: object;
  readonly operation?: object;
}

/** The specification, and these parts. */
function documentShowing({ server, securityScheme, schemas, operation }: Shown): object {
  const { webhooks, components } = specified;
  return {
    ...specified,
    servers: [{ ...specified.servers[0], ...server }],
    webhooks: {
      '/plant/webhook': { ...webhooks['/plant/webhook'], ...(operation && { put: operation }) },
    },
    components: {
      ...(schemas && { schemas }),
      securitySchemes: { bearerAuth: { ...components.securitySchemes.bearerAuth, ...securityScheme } },
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

const cases: { readonly [Id in DocumentQuestion]: Case } = {
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
  'receiver-response': { builtOn: ['http-method'], want: { operation: { responses: { 200: taken } } } },
  'request-versioning': {
    builtOn: ['http-method'],
    want: {
      operation: { parameters: [header('plant-store-version', { type: 'string', const: '1.0.0' })] },
    },
  },
  signing: {
    builtOn: ['http-method', 'event-identity'],
    want: {
      operation: {
        parameters: [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')],
      },
    },
  },
  'status-codes': { builtOn: ['http-method'], want: { operation: { responses: failures() } } },
  'token-format': { want: { securityScheme: { bearerFormat: 'example' } } },
};

test('the other answers show nothing', async () => {
  const others = Object.fromEntries(Object.entries(exampleAnswers).filter(([id]) => !(id in cases)));

  expect(await createDocument(composeAnswers(others))).toEqual(specified);
});

test.each(Object.entries(cases))('what the answer to %s shows', async (id, { builtOn = [], want }) => {
  const given = Object.fromEntries(
    [...builtOn, id].map((question) => [question, exampleAnswers[question as ExecutableId]]),
  ) as Answers;

  expect(await createDocument(composeAnswers(given))).toEqual(documentShowing(want));
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
    documentShowing({
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

  expect(await createDocument(composeAnswers(others))).toEqual(documentShowing(withoutOperation));
});

/** The words with which the document shows an answer: those of OpenAPI and JSON Schema, and names that are ours. */
const VOCABULARY =
  '$ref ErrorPayload NewPlantEvent Plant additionalProperties allOf base_url bearerFormat const content default description enum example false header in integer name object parameters properties required requestBody responses schema schemas string true type variables'.split(
    ' ',
  );

/** The statuses that a standard settles. Their descriptions alone can be answered. */
const SETTLED = ['400', '401', '404', '405'];

/** All keys and values. What a reference leads to is listed where it is. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) {
    const keys = Array.isArray(value) ? [] : Object.keys(value);
    const values = Object.entries(value).filter(
      ([key, member]) => key !== '$ref' || typeof member !== 'string',
    );
    return [...keys, ...values.flatMap(([, member]) => wordsIn(member))];
  }
  // Descriptions of one status stand one after the other.
  return String(value).split('\n\n');
}

/** The content of the answered response, which is text in the answer, and an example in the document. */
function responseContent({ 'receiver-response': response }: CarriedOut): unknown {
  const content = response?.content;
  return content && isJsonMediaType(content.mediaType) ? JSON.parse(content.text) : [];
}

/** What a document says that neither the specification nor an answer does. */
function unexplained(document: object, given: Answers): string[] {
  const carried: CarriedOut = carriedOut(given);
  const method = carried['http-method']?.toLowerCase() ?? [];
  const stated = [specified, plainAnswers(given), responseContent(carried)].flatMap(wordsIn);
  const known = new Set([...stated, ...VOCABULARY, ...SETTLED].concat(method));
  return wordsIn(document).filter((word) => !known.has(word));
}

test.each<{ name: string; given: Answers }>([
  { name: 'the answers given so far', given: answers },
  { name: 'the example answers', given: exampleAnswers },
])('with $name, what it adds to the specification is a part of an answer', async ({ given }) => {
  const document = await createDocument(composeAnswers(given));

  expect(unexplained(document, given)).toEqual([]);
  expect(unexplained({ ...document, 'x-a': 'b' }, given)).toEqual(['x-a', 'b']);
});
