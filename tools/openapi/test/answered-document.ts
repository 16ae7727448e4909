/**
 * The document as it may look once every question has its example answer, written by hand: a server variable, header
 * parameters, responses with content, a format of tokens, schemas with references. Nobody gave these answers.
 */
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const refused = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: reference('ErrorPayload') } },
});
const header = (name: string, schema: object = {}) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string', ...schema },
});

const schemas = {
  Plant: {
    type: 'object',
    description: 'A plant: it may stand in *a* pot <b>',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, pattern: '^[a-z|]+$' },
      sizes: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 3 },
      kind: { enum: ['a', 'b'], default: 'a' },
      tags: { type: ['array', 'null'], items: { type: 'string' } },
      pot: reference('Plant/$defs/Pot'),
      parent: { anyOf: [reference('Plant'), { type: 'null' }] },
      anything: true,
    },
    additionalProperties: false,
    $defs: { Pot: { type: 'object', properties: { size: { type: 'integer', title: 'In centimetres' } } } },
  },
  NewPlantEvent: { type: 'object', properties: { addedOn: { type: 'string', format: 'date' } } },
  ErrorPayload: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'integer' }, code: { type: 'string', enum: ['EXAMPLE_PLANT'] } },
  },
};

export const ANSWERED_DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'OpenAPI Plant Store', license: { name: 'MIT' }, version: '1.0.0' },
  servers: [{ url: '{base_url}', variables: { base_url: { default: 'https://receiver.example' } } }],
  paths: {},
  webhooks: {
    '/plant/webhook': {
      summary: 'New Plant',
      description: 'Information about a new plant added to the store',
      put: {
        parameters: [header('webhook-id'), header('plant-store-version', { const: '1.0.0' })],
        requestBody: {
          description: 'The plant and its event.',
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['plant'],
                properties: {
                  plant: reference('Plant'),
                  event: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } },
                },
                allOf: [reference('NewPlantEvent')],
              },
            },
          },
        },
        responses: {
          200: {
            description: 'The plant was taken.',
            content: { 'application/json': { example: { taken: true } } },
          },
          202: { description: 'Kept', content: { 'text/plain': { example: 'plain ``` text' } } },
          204: { description: 'Nothing to say' },
          409: refused('The plant is not as agreed.'),
          413: refused('The plant is too large.'),
        },
      },
    },
  },
  components: {
    schemas,
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'example' } },
  },
  security: [{ bearerAuth: [] }],
});
