import type { AnswerSet } from './enter-answers.js';

/**
 * A payload as teams have it: the plant alone, nested, described and named, with its identifier, signed, acknowledged
 * with 202, and refused with a code and a message. Examples, which nobody gave.
 */
export const realPayload: AnswerSet = {
  name: 'real-payload',
  code: `import { z } from 'zod';

import type { Answers } from './answer-types.js';

const plant = z.object({
  id: z.string().min(1),
  latinName: z.string().min(1),
  commonNames: z.array(z.string()),
  light: z.enum(['full sun', 'partial shade', 'shade']).meta({ id: 'Light' }),
  inStock: z.int().min(0).max(1_000_000),
  price: z.object({ amount: z.number().min(0), currency: z.string().length(3) }),
  pottedOn: z.string().nullable().optional(),
});

/** The answers on the code's side. */
export const answers = {
  'http-method': 'POST',
  'media-type': 'application/vnd.plant+json',
  payload: { shape: 'plant', description: 'The plant that was added.', names: { plant: 'PlantRecord' } },
  'plant-fields': plant,
  'event-identity': { pointer: '/id' },
  'receiver-response': { status: 202, description: 'The plant was taken.' },
  signing: {
    algorithm: 'hmac-sha256',
    signed: ['timestamp', 'content'],
    separator: '.',
    signature: { header: 'x-plant-signature', prefix: 'sha256=', encoding: 'hex' },
    timestamp: { header: 'x-plant-timestamp', toleranceSeconds: 300 },
    key: { prefix: '', encoding: 'utf8' },
  },
  'error-payloads': {
    mediaType: 'application/json',
    fields: { code: 'code', message: 'description' },
    required: ['code', 'message'],
  },
  'error-codes': {
    'credentials-missing': 'plants.credentials_missing',
    'credentials-malformed': 'plants.credentials_malformed',
    'token-invalid': 'plants.token_invalid',
    'path-unknown': 'plants.path_unknown',
    'method-not-allowed': 'plants.method_not_allowed',
    'content-missing': 'plants.content_missing',
    'content-malformed': 'plants.content_malformed',
    'content-invalid': 'plants.content_invalid',
    'content-too-large': 'plants.content_too_large',
    'media-type-unsupported': 'plants.media_type_unsupported',
    'version-unsupported': 'plants.version_unsupported',
    'event-id-missing': 'plants.event_id_missing',
    'signature-invalid': 'plants.signature_invalid',
    'rate-exceeded': 'plants.rate_exceeded',
    'unavailable': 'plants.unavailable',
  },
  'status-codes': {
    'credentials-missing': { description: 'Credentials are missing.' },
    'credentials-malformed': { description: 'The credentials are malformed.' },
    'token-invalid': { description: 'The token is not accepted.' },
    'path-unknown': { description: 'There is nothing here.' },
    'method-not-allowed': { description: 'Use POST.' },
    'content-missing': { status: 400, description: 'There is no plant.' },
    'content-malformed': { status: 400, description: 'The plant is not JSON.' },
    'content-invalid': { status: 422, description: 'The plant is not as agreed.' },
    'content-too-large': { status: 413, description: 'The plant is too large.' },
    'media-type-unsupported': { status: 415, description: 'The media type is not that of plants.' },
    'version-unsupported': { status: 400, description: 'The version is not supported.' },
    'event-id-missing': { status: 400, description: 'The plant has no id.' },
    'signature-invalid': { status: 403, description: 'The signature is not valid.' },
    'rate-exceeded': { status: 429, description: 'There are too many plants.' },
    'unavailable': { status: 503, description: 'Try again later.' },
  },
} as const satisfies Answers;
`,
  overlay: `overlay: 1.0.0
info:
  title: Examples of answers, which nobody gave
  version: 1.0.0
actions:
  - target: $.webhooks['/plant/webhook']
    x-question: http-method
    x-answer: POST
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: As every other webhook of the store.
    update:
      post: {}
  - target: $.webhooks['/plant/webhook'].post
    x-question: media-type
    x-answer: application/vnd.plant+json
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The media type of the plants' service.
    update:
      requestBody:
        content:
          application/vnd.plant+json: {}
  - target: $.webhooks['/plant/webhook'].post.requestBody
    x-question: payload
    x-answer:
      shape: plant
      description: The plant that was added.
      names: { plant: PlantRecord }
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: There is nothing but the plant.
    update:
      description: The plant that was added.
      required: true
  - target: $.components
    x-question: plant-fields
    x-answer:
      type: object
      properties:
        id: { type: string, minLength: 1 }
        latinName: { type: string, minLength: 1 }
        commonNames: { type: array, items: { type: string } }
        light: { $ref: '#/$defs/Light' }
        inStock: { type: integer, minimum: 0, maximum: 1000000 }
        price:
          type: object
          properties:
            amount: { type: number, minimum: 0 }
            currency: { type: string, minLength: 3, maxLength: 3 }
          required: [amount, currency]
        pottedOn: { type: [string, 'null'] }
      required: [id, latinName, commonNames, light, inStock, price]
      $defs:
        Light: { type: string, enum: [full sun, partial shade, shade] }
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The fields of the plants' service.
    update:
      schemas:
        PlantRecord:
          type: object
          properties:
            id: { type: string, minLength: 1 }
            latinName: { type: string, minLength: 1 }
            commonNames: { type: array, items: { type: string } }
            light: { $ref: '#/components/schemas/Light' }
            inStock: { type: integer, minimum: 0, maximum: 1000000 }
            price:
              type: object
              properties:
                amount: { type: number, minimum: 0 }
                currency: { type: string, minLength: 3, maxLength: 3 }
              required: [amount, currency]
            pottedOn: { type: [string, 'null'] }
          required: [id, latinName, commonNames, light, inStock, price]
        Light: { type: string, enum: [full sun, partial shade, shade] }
  - target: $.webhooks['/plant/webhook'].post.requestBody.content['application/vnd.plant+json']
    x-question: plant-fields
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The fields of the plants' service.
    update:
      schema: { $ref: '#/components/schemas/PlantRecord' }
  - target: $
    x-question: event-identity
    x-answer:
      pointer: /id
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: A plant is new once.
  - target: $.webhooks['/plant/webhook'].post
    x-question: receiver-response
    x-answer:
      status: 202
      description: The plant was taken.
    x-answered-by: Grace Gardener
    x-date: 2026-02-03
    x-reason: Receivers handle plants later.
    update:
      responses:
        '202':
          description: The plant was taken.
  - target: $.webhooks['/plant/webhook'].post
    x-question: signing
    x-answer:
      algorithm: hmac-sha256
      signed: [timestamp, content]
      separator: .
      signature:
        header: x-plant-signature
        prefix: sha256=
        encoding: hex
      timestamp:
        header: x-plant-timestamp
        toleranceSeconds: 300
      key:
        prefix: ''
        encoding: utf8
    x-answered-by: Grace Gardener
    x-date: 2026-02-03
    x-reason: As the other webhooks are signed.
    update:
      parameters:
        - name: x-plant-timestamp
          in: header
          required: true
          schema:
            type: string
        - name: x-plant-signature
          in: header
          required: true
          schema:
            type: string
  - target: $.webhooks['/plant/webhook'].post
    x-question: status-codes
    x-answer:
      credentials-missing: { description: Credentials are missing. }
      credentials-malformed: { description: The credentials are malformed. }
      token-invalid: { description: The token is not accepted. }
      path-unknown: { description: There is nothing here. }
      method-not-allowed: { description: Use POST. }
      content-missing: { status: 400, description: There is no plant. }
      content-malformed: { status: 400, description: The plant is not JSON. }
      content-invalid: { status: 422, description: The plant is not as agreed. }
      content-too-large: { status: 413, description: The plant is too large. }
      media-type-unsupported: { status: 415, description: The media type is not that of plants. }
      version-unsupported: { status: 400, description: The version is not supported. }
      event-id-missing: { status: 400, description: The plant has no id. }
      signature-invalid: { status: 403, description: The signature is not valid. }
      rate-exceeded: { status: 429, description: There are too many plants. }
      unavailable: { status: 503, description: Try again later. }
    x-answered-by: Grace Gardener
    x-date: 2026-02-03
    x-reason: As the other services refuse.
    update:
      responses:
        '400': { description: "The credentials are malformed.\\n\\nThere is no plant.\\n\\nThe plant is not JSON.\\n\\nThe version is not supported.\\n\\nThe plant has no id." }
        '401': { description: "Credentials are missing.\\n\\nThe token is not accepted." }
        '403': { description: The signature is not valid. }
        '404': { description: There is nothing here. }
        '405': { description: Use POST. }
        '413': { description: The plant is too large. }
        '415': { description: The media type is not that of plants. }
        '422': { description: The plant is not as agreed. }
        '429': { description: There are too many plants. }
        '503': { description: Try again later. }
  - target: $.components.schemas
    x-question: error-payloads
    x-answer:
      mediaType: application/json
      fields: { code: code, message: description }
      required: [code, message]
    x-answered-by: Grace Gardener
    x-date: 2026-02-03
    x-reason: As the other services refuse.
    update:
      ErrorPayload:
        type: object
        required: [code, message]
        properties:
          code: { type: string }
          message: { type: string }
  - target: $.webhooks['/plant/webhook'].post.responses
    x-question: error-payloads
    x-answered-by: Grace Gardener
    x-date: 2026-02-03
    x-reason: As the other services refuse.
    update:
      '400': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '401': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '403': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '404': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '405': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '413': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '415': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '422': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '429': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
      '503': { content: { application/json: { schema: { $ref: '#/components/schemas/ErrorPayload' } } } }
  - target: $.components.schemas.ErrorPayload.properties.code
    x-question: error-codes
    x-answer:
      credentials-missing: plants.credentials_missing
      credentials-malformed: plants.credentials_malformed
      token-invalid: plants.token_invalid
      path-unknown: plants.path_unknown
      method-not-allowed: plants.method_not_allowed
      content-missing: plants.content_missing
      content-malformed: plants.content_malformed
      content-invalid: plants.content_invalid
      content-too-large: plants.content_too_large
      media-type-unsupported: plants.media_type_unsupported
      version-unsupported: plants.version_unsupported
      event-id-missing: plants.event_id_missing
      signature-invalid: plants.signature_invalid
      rate-exceeded: plants.rate_exceeded
      unavailable: plants.unavailable
    x-answered-by: Grace Gardener
    x-date: 2026-02-03
    x-reason: As the other services refuse.
    update:
      enum: [plants.credentials_missing, plants.credentials_malformed, plants.token_invalid, plants.path_unknown, plants.method_not_allowed, plants.content_missing, plants.content_malformed, plants.content_invalid, plants.content_too_large, plants.media_type_unsupported, plants.version_unsupported, plants.event_id_missing, plants.signature_invalid, plants.rate_exceeded, plants.unavailable]
`,
};
