/**
 * A document as it may look once every question has its example answer: written by hand, with a server variable, header
 * parameters, responses with content, and a format of tokens. Nobody gave these answers.
 */
const errorPayload = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'integer' }, code: { type: 'string', enum: ['EXAMPLE_PLANT'] } },
};
const refused = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: errorPayload } },
});
const header = (name: string, schema: object = {}) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string', ...schema },
});

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
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['plant'],
                properties: {
                  plant: {
                    type: 'object',
                    required: ['name'],
                    properties: { name: { type: 'string', minLength: 1 } },
                  },
                },
                allOf: [{ type: 'object', properties: { addedOn: { type: 'string' } } }],
              },
            },
          },
        },
        responses: {
          200: {
            description: 'The plant was taken.',
            content: { 'application/json': { example: { taken: true } } },
          },
          409: refused('The plant is not as agreed.'),
          413: refused('The plant is too large.'),
        },
      },
    },
  },
  components: {
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'example' } },
  },
  security: [{ bearerAuth: [] }],
});
