/**
 * An example, and named one: a document that has whatever a document may have once questions are answered. None of it
 * says anything of the plant store.
 */
export const EXAMPLE_DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Example <interface>', version: '2', license: { name: 'MIT' }, description: 'An example.' },
  servers: [{ url: 'https://example.test', description: 'one place' }],
  webhooks: {
    '/example/hook': {
      summary: 'Example hook',
      description: 'Told when *something* happens, e.g. in `code` | or <b>not</b>',
      put: {
        operationId: 'exampleHook',
        tags: ['example'],
        security: [{ token: [] }, { oauth: ['write'], token: [] }, {}],
        parameters: [
          {
            name: 'X-Example',
            in: 'header',
            required: true,
            schema: { type: 'string' },
            description: 'A parameter',
          },
        ],
        requestBody: {
          required: true,
          description: 'The example body',
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Event' },
              examples: {
                first: {
                  summary: 'the first',
                  value: { id: '1', thing: { name: 'ex_am*ple', sizes: [1, 2] } },
                },
              },
            },
          },
        },
        responses: {
          200: {
            description: 'Taken',
            headers: { 'X-Answer': { description: 'a header', schema: { type: 'string' } } },
            content: {
              'text/plain': { schema: { type: 'string', minLength: 1 }, example: 'plain ``` text' },
            },
          },
          204: { description: 'Taken, and nothing to say' },
          '4XX': { $ref: '#/components/responses/Refused' },
        },
      },
    },
    second: { post: { summary: 'A second hook' }, get: {}, description: '- a list, or not' },
  },
  components: {
    schemas: {
      Event: {
        type: 'object',
        required: ['id', 'thing'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', format: 'uuid', description: 'Identifies the event' },
          thing: { $ref: '#/components/schemas/Thing' },
        },
      },
      Thing: {
        type: 'object',
        description: 'A thing: it may hold others',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, pattern: '^[a-z|]+$' },
          sizes: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 3 },
          kind: { enum: ['a', 'b'], default: 'a' },
          parent: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] },
          tags: { type: ['array', 'null'], items: { type: 'string' } },
          anything: true,
        },
      },
    },
    responses: { Refused: { description: 'Refused', content: { 'application/json': { schema: false } } } },
    securitySchemes: {
      token: { type: 'http', scheme: 'Bearer', bearerFormat: 'example', description: 'A token' },
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://example.test', scopes: {} } },
      },
    },
  },
  security: [{ token: [] }],
});
