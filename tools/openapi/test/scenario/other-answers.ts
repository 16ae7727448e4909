import type { ExecutableAnswers, ExecutableId } from '@plant-store/contract';
import { exampleAnswers, exampleEvent, examplePlant } from '@plant-store/example-answers';

const { signing } = exampleAnswers;

/** More answers that nobody gave, by question and name. */
export const otherAnswers = {
  'http-method': { post: 'POST' },
  'media-type': { vendor: 'application/vnd.plant+json' },
  payload: { alone: 'plant', renamed: { plantField: 'newPlant' } },
  'plant-fields': {
    looser: examplePlant.partial(),
    stricter: examplePlant.required(),
    larger: examplePlant.extend({ colour: examplePlant.shape.name.optional() }),
    // TypeScript doesn't see the difference.
    limited: examplePlant.extend({ name: examplePlant.shape.name.max(20) }),
  },
  'event-payload-fields': {
    looser: exampleEvent.partial(),
    larger: exampleEvent.extend({ addedBy: examplePlant.shape.name }),
  },
  'receiver-response': {
    empty: { status: 204, description: 'The plant was taken.' },
    silent: { status: 200, description: 'The plant was taken.' },
  },
  'token-format': {
    other: { name: 'other', pattern: '^other-' },
    renamed: { name: 'renamed', pattern: '^example-' },
  },
  'authentication-realm': { other: 'other' },
  retry: {
    always: { delays: [1], statuses: 'all', withoutResponse: false },
    longer: { delays: [1, 2, 3], statuses: [429, 503], withoutResponse: true },
  },
  signing: {
    sha512: { ...signing, algorithm: 'hmac-sha512' },
    'other-header': { ...signing, signature: { ...signing.signature, header: 'plant-signature' } },
    'other-key': { ...signing, key: { prefix: '', encoding: 'utf8' } },
    'content-alone': {
      algorithm: signing.algorithm,
      signed: ['content'],
      separator: '',
      signature: signing.signature,
      key: signing.key,
    },
    'content-and-time': { ...signing, signed: ['content'] },
    stricter: { ...signing, timestamp: { ...signing.timestamp, toleranceSeconds: 100 } },
  },
  'event-identity': {
    'other-header': { header: 'event-id' },
    upper: { header: 'Webhook-Id' },
    content: { pointer: '/id' },
  },
  'error-codes': { other: { 'content-invalid': 'OTHER_PLANT' } },
  'status-codes': {
    other: { 'content-invalid': { status: 422, description: 'The plant is not as agreed.' } },
  },
  'error-payloads': { other: { mediaType: 'application/json', fields: { error: 'code' } } },
  'rate-limits': { higher: { deliveries: 30, seconds: 60 }, lower: { deliveries: 10, seconds: 60 } },
  'size-limits': { larger: 1_500, smaller: 500, largest: 2_000_000 },
  'time-outs': {
    'long-response': { delivery: 2_000, response: 15_000 },
    long: { delivery: 30_000, response: 15_000 },
  },
  'request-versioning': {
    newer: { header: 'plant-store-version', value: '2.0.0' },
    prefix: { pathPrefix: '/v1' },
  },
} as const satisfies {
  readonly [Id in ExecutableId]?: Readonly<Record<string, ExecutableAnswers[Id]>>;
};
