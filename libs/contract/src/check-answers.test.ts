import { answerFaults } from './answer-faults.js';
import type { AnswerSchema } from './answer-kinds/schema.js';
import type { Answers } from './answer-types.js';

const signing = {
  algorithm: 'hmac-sha256',
  signed: ['content'],
  separator: '.',
  signature: { header: 'example-signature', prefix: '', encoding: 'hex' },
  key: { prefix: '', encoding: 'utf8' },
} as const;
const schemaOf = (schema: Record<string, unknown>): AnswerSchema => ({
  '~standard': {
    version: 1,
    vendor: 'example',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => schema },
  },
});
const named = schemaOf({ type: 'object', properties: { name: {} } });
const onlyNamed = schemaOf({ type: 'object', properties: { name: {} }, additionalProperties: false });
const dated = schemaOf({ type: 'object', properties: { addedOn: {} } });
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
  ['as much content as can be taken', { 'size-limits': 500_000_000 }],
  ['an identity in JSON', { 'event-identity': { pointer: '/a~1b' }, 'media-type': 'model/gltf+json' }],
  [
    'fields beside those of a plant',
    { payload: 'plant', 'plant-fields': named, 'event-payload-fields': dated },
  ],
  [
    'an identity in the plant, beside an event that allows no other field',
    {
      'event-identity': { pointer: '/plant/id' },
      payload: { plantField: 'plant' },
      'event-payload-fields': onlyNamed,
    },
  ],
  [
    'an identity in a field that the event names',
    {
      'event-identity': { pointer: '/name' },
      payload: { plantField: 'plant' },
      'event-payload-fields': onlyNamed,
    },
  ],
  [
    'fields of a plant that allows no others, which stands by itself',
    { payload: { plantField: 'plant' }, 'plant-fields': onlyNamed, 'event-payload-fields': dated },
  ],
  [
    'a retry after a success that is no acknowledgement',
    {
      'receiver-response': { status: 201, description: 'Taken.' },
      retry: { delays: [1], statuses: [202], withoutAnswer: true },
    },
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
  [
    'a base address with credentials',
    { 'base-address': 'https://user:password@receiver.example' },
    'base-address holds credentials',
  ],
  ['an empty code', { 'error-codes': { unavailable: '' } }, 'error-codes has an empty code'],
  [
    'payloads of a type with a parameter',
    { 'error-payloads': { mediaType: 'application/json;a=b', fields: { a: 'code' } } },
    'none of JSON, without parameters: application/json;a=b',
  ],
  ['a pointer to all of the content', { 'event-identity': { pointer: '' as '/' } }, 'no JSON Pointer'],
  ['a pointer with a tilde by itself', { 'event-identity': { pointer: '/a~b' } }, 'no JSON Pointer'],
  [
    'an answer without a description',
    { 'receiver-response': { status: 202, description: ' ' } },
    'receiver-response has no description',
  ],
  [
    'content that nothing can carry',
    {
      'receiver-response': {
        status: 204 as 200,
        description: 'Taken.',
        content: { mediaType: 'text/plain', text: 'ok' },
      },
    },
    'receiver-response has content, which a 204 cannot have',
  ],
  ...['/..', '/v1/./a', '/:version', '/*', '/(v1)', '/v%31', '//v1'].map(
    (pathPrefix): [string, Answers, string] => [
      `a prefix that names no path of its own: ${pathPrefix}`,
      { 'request-versioning': { pathPrefix: pathPrefix as '/' } },
      'request-versioning has a `pathPrefix` that is none',
    ],
  ),
  [
    'a wait that no timer takes',
    { retry: { delays: [2 ** 31], statuses: 'all', withoutAnswer: true } },
    'retry has a delay',
  ],
  [
    'a signature whose prefix has a space',
    { signing: { ...signing, signature: { ...signing.signature, prefix: 'a b' } } },
    'signing has a prefix of the signature',
  ],
  [
    'a tolerance that is none',
    { signing: { ...signing, timestamp: { header: 'time', toleranceSeconds: NaN } } },
    'signing has a tolerance',
  ],
  [
    'one header for two answers',
    { 'event-identity': { header: 'Event' }, 'request-versioning': { header: 'event', value: '1' } },
    'request-versioning uses the header event, which event-identity uses',
  ],
  [
    'one header for signature and time',
    { signing: { ...signing, timestamp: { header: 'Example-Signature', toleranceSeconds: 1 } } },
    'signing uses the header Example-Signature, which signing uses',
  ],
  [
    'an identity in content that is no JSON',
    { 'event-identity': { pointer: '/id' }, 'media-type': 'text/csv' },
    'event-identity points into JSON, and media-type is none of JSON: text/csv',
  ],
  [
    'a plant in the place of a field of the event',
    { payload: { plantField: 'addedOn' }, 'event-payload-fields': dated },
    'payload has the plant under addedOn',
  ],
  [
    'a plant that allows no field of the event beside its own',
    { payload: 'plant', 'plant-fields': onlyNamed, 'event-payload-fields': dated },
    'plant-fields allows no field of event-payload-fields',
  ],
  [
    'an event that allows no field of the plant beside its own',
    { payload: 'plant', 'plant-fields': dated, 'event-payload-fields': onlyNamed },
    'event-payload-fields allows no field of plant-fields',
  ],
  [
    'an identity in an event that does not allow it',
    {
      'event-identity': { pointer: '/a~1b/id' },
      payload: { plantField: 'plant' },
      'event-payload-fields': onlyNamed,
    },
    'event-identity points at the field a/b, which event-payload-fields does not allow',
  ],
  [
    'an identity in a plant that does not allow it',
    { 'event-identity': { pointer: '/id' }, payload: 'plant', 'plant-fields': onlyNamed },
    'event-identity points at the field id, which plant-fields does not allow',
  ],
  [
    'a retry after an acknowledgement',
    { retry: { delays: [1], statuses: [204, 503], withoutAnswer: true } },
    'retry has another attempt after 204',
  ],
  [
    'a challenge without its field',
    { 'status-codes': { 'signature-invalid': { status: 401, description: 'Not signed.' } } },
    'status-codes has 401 for signature-invalid, which wants a field',
  ],
  ['more than can be taken', { 'size-limits': 500_000_001 }, 'size-limits is more than a receiver can take'],
  [
    'a time-out that no timer takes',
    { 'time-outs': { delivery: 2 ** 31, response: 1 } },
    'time-outs has a time',
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
  ['a time-out of nothing', { 'time-outs': { delivery: 0, response: 1 } }, 'time-outs has a time'],
  [
    'a pattern that is none',
    { 'token-format': { name: 'JWT', pattern: '(' } },
    'token-format has a `pattern`',
  ],
])('%s has one', (_name, answers, fault) => {
  expect(answerFaults(answers)).toEqual([expect.stringContaining(fault)]);
});
