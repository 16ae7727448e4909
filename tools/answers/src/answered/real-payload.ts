import type { AnswerSet } from './enter-answers.js';

/**
 * A payload as teams have it: the plant alone, nested, with its identifier, signed, acknowledged with 202. Examples,
 * which nobody gave.
 */
export const realPayload: AnswerSet = {
  name: 'real-payload',
  code: `import { z } from 'zod';

import type { Answers } from './answer-types.js';

const plant = z.object({
  id: z.string().min(1),
  latinName: z.string().min(1),
  commonNames: z.array(z.string()),
  light: z.enum(['full sun', 'partial shade', 'shade']),
  price: z.object({ amount: z.number().min(0), currency: z.string().length(3) }),
  pottedOn: z.string().nullable().optional(),
});

/** The answers on the code's side. */
export const answers = {
  'http-method': 'POST',
  'media-type': 'application/vnd.plant+json',
  payload: 'plant',
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
    x-answer: plant
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: There is nothing but the plant.
    update:
      required: true
  - target: $.webhooks['/plant/webhook'].post.requestBody.content['application/vnd.plant+json']
    x-question: plant-fields
    x-answer:
      type: object
      properties:
        id: { type: string, minLength: 1 }
        latinName: { type: string, minLength: 1 }
        commonNames: { type: array, items: { type: string } }
        light: { type: string, enum: [full sun, partial shade, shade] }
        price:
          type: object
          properties:
            amount: { type: number, minimum: 0 }
            currency: { type: string, minLength: 3, maxLength: 3 }
          required: [amount, currency]
        pottedOn: { type: [string, 'null'] }
      required: [id, latinName, commonNames, light, price]
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The fields of the plants' service.
    update:
      schema:
        type: object
        properties:
          id: { type: string, minLength: 1 }
          latinName: { type: string, minLength: 1 }
          commonNames: { type: array, items: { type: string } }
          light: { type: string, enum: [full sun, partial shade, shade] }
          price:
            type: object
            properties:
              amount: { type: number, minimum: 0 }
              currency: { type: string, minLength: 3, maxLength: 3 }
            required: [amount, currency]
          pottedOn: { type: [string, 'null'] }
        required: [id, latinName, commonNames, light, price]
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
`,
};
