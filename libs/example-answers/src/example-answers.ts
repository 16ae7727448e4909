import type { Answers } from '@plant-store/contract';

import { exampleEvent, examplePlant } from './example-plant.js';

/**
 * An example answer to every question of the register. **Nobody gave them.** Tests use them to answer questions.
 * example-answers.overlay.yaml is the other side.
 */
export const exampleAnswers = {
  'store-operations': 'An example: there are no others.',
  'base-address': 'https://receiver.example',
  'delivery-target': 'An example: the path is appended to an address that each receiver gives the store.',
  'plant-fields': examplePlant,
  'states-and-transitions': 'An example: there are none.',
  'http-method': 'PUT',
  'http-version': 'An example: HTTP/1.1.',
  'webhook-key': 'An example: under its path.',
  payload: { plantField: 'plant' },
  'media-type': 'application/json',
  'receiver-response': {
    status: 200,
    description: 'The plant was taken.',
    content: { mediaType: 'application/json', text: '{"taken":true}' },
  },
  'event-payload-fields': exampleEvent,
  'triggering-operation': 'An example: adding a plant by hand.',
  'token-issuance': 'An example: the operator of a receiver hands it to the store.',
  'token-format': { name: 'example', pattern: '^example-' },
  'token-lifetime': 'An example: until the operator takes it off the list.',
  'notification-security': 'An example: yes, with a token of the receiver.',
  'authentication-realm': 'example',
  'transport-security': 'An example: TLS 1.3, ended in front of the receiver.',
  retry: { delays: [100, 200], statuses: [429, 503], withoutResponse: true },
  // As in Standard Webhooks.
  signing: {
    algorithm: 'hmac-sha256',
    signed: ['event-id', 'timestamp', 'content'],
    separator: '.',
    signature: { header: 'webhook-signature', prefix: 'v1,', encoding: 'base64' },
    timestamp: { header: 'webhook-timestamp', toleranceSeconds: 300 },
    key: { prefix: 'whsec_', encoding: 'base64' },
  },
  'event-identity': { header: 'webhook-id' },
  'event-order': 'An example: none.',
  'error-codes': {
    'token-invalid': 'EXAMPLE_TOKEN',
    'content-invalid': 'EXAMPLE_PLANT',
    'rate-exceeded': 'EXAMPLE_RATE',
  },
  'status-codes': {
    'content-invalid': { status: 409, description: 'The plant is not as agreed.' },
    'content-too-large': { status: 413, description: 'The plant is too large.' },
  },
  'error-payloads': {
    mediaType: 'application/problem+json',
    fields: { status: 'status', title: 'description', code: 'code' },
  },
  'rate-limits': { deliveries: 20, seconds: 60 },
  'size-limits': 1_000,
  'time-outs': { delivery: 2_000, response: 4_000 },
  'request-versioning': { header: 'plant-store-version', value: '1.0.0' },
  'deprecation-policy': 'An example: a year of notice.',
} as const satisfies Answers;
