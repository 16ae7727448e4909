import { answerFaults } from './answer-faults.js';
import type { Answers } from './answer-types.js';

const signing = {
  algorithm: 'hmac-sha256',
  signed: ['content'],
  separator: '.',
  signature: { header: 'example-signature', prefix: '', encoding: 'hex' },
  key: { prefix: '', encoding: 'utf8' },
} as const;
const noJsonSchema = {
  '~standard': {
    version: 1,
    vendor: 'example',
    validate: (value: unknown) => ({ value }),
    jsonSchema: {
      input: () => {
        throw new Error('a date has none');
      },
    },
  },
} as const;

test('no answer has no fault', () => {
  expect(answerFaults({})).toEqual([]);
});

test.each<[string, Answers]>([
  ['text', { 'event-order': 'An example.' }],
  ['a realm', { 'authentication-realm': 'plants of the "store"' }],
  ['a base address with a path', { 'base-address': 'https://receiver.example/base' }],
  [
    'error payloads of a JSON type',
    { 'error-payloads': { mediaType: 'application/problem+json', fields: { a: 'code' } } },
  ],
  ['an identity in a header', { 'event-identity': { header: 'Event-Id' } }],
  ['an identity in the content', { 'event-identity': { pointer: '/id' } }],
  ['a prefix', { 'request-versioning': { pathPrefix: '/v1/plants' } }],
  ['no further attempt', { retry: { delays: [], statuses: [], withoutAnswer: false } }],
  ['a signature over the content', { signing }],
  [
    'a signature over the identity in a header',
    { signing: { ...signing, signed: ['event-id', 'content'] }, 'event-identity': { header: 'event-id' } },
  ],
])('%s has none', (_name, answers) => {
  expect(answerFaults(answers)).toEqual([]);
});

test.each<[string, Answers, string]>([
  ['text that says nothing', { 'event-order': ' ' }, 'event-order is no text'],
  ['a realm with a line break', { 'authentication-realm': 'a\nb' }, 'authentication-realm is no text'],
  ['a relative base address', { 'base-address': '/base' }, 'base-address is no http or https URL'],
  [
    'a base address with a query',
    { 'base-address': 'https://receiver.example/?a' },
    'base-address is no http',
  ],
  [
    'a code for no failure',
    { 'error-codes': { sunburn: 'E1' } as never },
    'error-codes has a key that is none of',
  ],
  [
    'payloads that are no JSON',
    { 'error-payloads': { mediaType: 'text/plain', fields: { a: 'code' } } },
    'text/plain',
  ],
  [
    'payloads without a field',
    { 'error-payloads': { mediaType: 'application/json', fields: {} } },
    'has no field',
  ],
  ['a header that is none', { 'event-identity': { header: 'event id' } }, 'whose name is none: event id'],
  [
    'a header that is taken',
    { 'event-identity': { header: 'Authorization' } },
    'Authorization, which is taken',
  ],
  ['a schema without JSON Schema', { 'plant-fields': noJsonSchema }, 'has no JSON Schema: a date has none'],
  [
    'a media type with a parameter',
    { 'media-type': 'text/plain; charset=utf-8' },
    'media-type is no media type',
  ],
  ['a field without a name', { payload: { plantField: '' } }, 'payload has an empty `plantField`'],
  ['a rate of none', { 'rate-limits': { deliveries: 0, seconds: 1 } }, 'rate-limits is none from 1 to'],
  ['a rate in no time', { 'rate-limits': { deliveries: 1, seconds: 0 } }, 'rate-limits is for no span'],
  [
    'an answer of no media type',
    {
      'receiver-response': { status: 200, description: 'Taken.', content: { mediaType: 'json', text: '{}' } },
    },
    'receiver-response has content of no media type',
  ],
  [
    'an answer of JSON that is none',
    {
      'receiver-response': {
        status: 200,
        description: 'Taken.',
        content: { mediaType: 'application/json', text: 'ok' },
      },
    },
    'receiver-response has content that is not of its media type',
  ],
  [
    'a version that is no value',
    { 'request-versioning': { header: 'version', value: '' } },
    'none of a header field',
  ],
  [
    'a prefix with a slash at its end',
    { 'request-versioning': { pathPrefix: '/v1/' } },
    'has a `pathPrefix`',
  ],
  [
    'a wait of half a millisecond',
    { retry: { delays: [0.5], statuses: 'all', withoutAnswer: true } },
    'retry has a delay',
  ],
  [
    'a retry after no status',
    { retry: { delays: [1], statuses: [42], withoutAnswer: true } },
    'retry has a status',
  ],
  ['a signature over nothing', { signing: { ...signing, signed: [] } }, 'does not sign the content'],
  [
    'a signature over a time that is not sent',
    { signing: { ...signing, signed: ['timestamp', 'content'] } },
    'signs a timestamp, and has no `timestamp`',
  ],
  [
    'a signature over an identity that is open',
    { signing: { ...signing, signed: ['event-id', 'content'] } },
    'answer event-identity with a header',
  ],
  [
    'a signature over an identity in the content',
    { signing: { ...signing, signed: ['event-id', 'content'] }, 'event-identity': { pointer: '/id' } },
    'answer event-identity with a header',
  ],
  ['a size of nothing', { 'size-limits': 0 }, 'size-limits is no whole number'],
  [
    'a success for a failure',
    { 'status-codes': { unavailable: { status: 200, description: 'Fine.' } } },
    'status-codes has 200 for unavailable',
  ],
  [
    'a status without a description',
    { 'status-codes': { unavailable: { status: 503, description: '' } } },
    'status-codes has no description for unavailable',
  ],
  ['a time-out of nothing', { 'time-outs': { delivery: 0, answer: 1 } }, 'time-outs has a time'],
  [
    'a pattern that is none',
    { 'token-format': { name: 'JWT', pattern: '(' } },
    'token-format has a `pattern`',
  ],
])('%s has one', (_name, answers, fault) => {
  expect(answerFaults(answers)).toEqual([expect.stringContaining(fault)]);
});
