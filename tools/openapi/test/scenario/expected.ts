import type { ExecutableId } from '@plant-store/contract';
import { type Observations, onEach, type Row, type Seen } from './observations.js';

/** What is seen with everything open. */
export const OPEN: Seen = {
  receiver: {
    'as agreed': '204',
    'sent with POST': 'accepted',
    'sent with GET': 'refused with 405',
    'of another media type': 'accepted',
    'of another version': 'accepted',
    'without a signature': 'accepted',
    'without an identifier': 'accepted',
    'that is no JSON': 'accepted',
    'with a plant alone': 'accepted',
    'with a plant without a name': 'accepted',
    'with an event without a date': 'accepted',
    'of 2000 bytes': 'accepted',
    'sent twice': '2 kept',
    'after 20 others': 'accepted',
    'without a token': '401 · Bearer',
    'with a wrong token': '401 · Bearer error="invalid_token"',
    'started with other settings': 'listens',
  },
  sender: {
    'with every option': 'PUT /plant/webhook · authorization content-type · {"name":"Fern"}',
    'without `baseUrl`': 'needs baseUrl',
    'without `method`': 'needs method',
    'without `encode`': 'needs encode',
    'without `signingKey`': 'may be left out',
    'without `eventId`': 'sent',
    'encoded as text/plain': 'sent',
    'with content of 2000 bytes': 'sent',
    'with a token of another format': 'sent',
    'after a 202': 'acknowledged',
    'after a 503, then a 200': 'not acknowledged',
    'after a 409 with a problem': 'not acknowledged',
    '21 at once': '21 arrive',
    'time-out of an attempt': '15000 ms',
    'after a 400 with a code': 'not acknowledged',
  },
  types: {
    'with every option': 'compiles',
    'without `baseUrl`': 'does not compile',
    'without `method`': 'does not compile',
    'without `encode`': 'does not compile',
    'without `signingKey`': 'compiles',
    'a plant without a name': 'compiles',
    'sent with everything': 'compiles',
    'sent without `eventId`': 'compiles',
    'sent without `event`': 'compiles',
    'a status of 200': 'does not compile',
  },
};

/** What each answer changes. It changes nothing that its row does not list. */
export const ROWS: { readonly [Id in ExecutableId]: Row<Id> } = {
  'base-address': {
    sender: { 'without `baseUrl`': 'may be left out' },
    types: { 'without `baseUrl`': 'compiles' },
  },
  'http-method': {
    receiver: { 'sent with POST': 'refused with 405' },
    sender: { 'without `method`': 'PUT' },
    types: { 'without `method`': 'compiles' },
  },
  'media-type': {
    builtOn: ['http-method'],
    receiver: { 'of another media type': 'refused with 415' },
    sender: { 'encoded as text/plain': 'PLANT_STORE_ENCODE_FAILED' },
    // Without a payload, a caller still has to encode.
    types: 'with payload',
  },
  payload: {
    builtOn: ['http-method', 'media-type'],
    receiver: { 'that is no JSON': 'refused with 400', 'with a plant alone': 'refused with 422' },
    sender: { 'without `encode`': 'application/json {"plant":{"name":"Fern"}}' },
    types: { 'without `encode`': 'compiles' },
  },
  'plant-fields': {
    builtOn: ['http-method', 'media-type', 'payload'],
    receiver: { 'with a plant without a name': 'refused with 422' },
    types: { 'a plant without a name': 'does not compile' },
  },
  'event-payload-fields': {
    builtOn: ['http-method', 'media-type', 'payload'],
    receiver: { 'with an event without a date': 'refused with 422' },
    sender: { 'without `encode`': 'application/json {"addedOn":"2026-01-31","plant":{"name":"Fern"}}' },
    types: { 'sent without `event`': 'does not compile' },
  },
  'receiver-response': {
    builtOn: ['http-method'],
    receiver: { 'as agreed': '200 · application/json · {"taken":true}' },
    sender: { 'after a 202': 'not acknowledged' },
    types: { 'a status of 200': 'compiles' },
  },
  'status-codes': {
    builtOn: ['http-method', 'media-type', 'payload', 'plant-fields'],
    receiver: { 'with a plant alone': 'refused with 409', 'with a plant without a name': 'refused with 409' },
    sender: { 'after a 409 with a problem': 'not acknowledged · content-invalid' },
  },
  'error-payloads': {
    builtOn: ['http-method', 'media-type', 'payload', 'plant-fields', 'status-codes'],
    receiver: {
      'without a token': '401 · Bearer · application/problem+json · {"status":401}',
      'with a wrong token': '401 · Bearer error="invalid_token" · application/problem+json · {"status":401}',
    },
    sender: {
      'after a 409 with a problem': 'not acknowledged · content-invalid · {"code":"EXAMPLE_PLANT"}',
      'after a 400 with a code': 'not acknowledged · {"code":"EXAMPLE_PLANT"}',
    },
  },
  'error-codes': {
    builtOn: ['http-method', 'media-type', 'payload', 'plant-fields', 'status-codes', 'error-payloads'],
    receiver: {
      'with a wrong token':
        '401 · Bearer error="invalid_token" · application/problem+json · {"status":401,"code":"EXAMPLE_TOKEN"}',
    },
    sender: { 'after a 400 with a code': 'not acknowledged · content-invalid · {"code":"EXAMPLE_PLANT"}' },
  },
  retry: {
    sender: { 'after a 503, then a 200': 'acknowledged after 2' },
  },
  'event-identity': {
    builtOn: ['http-method'],
    receiver: { 'without an identifier': 'refused with 400', 'sent twice': '1 kept' },
    sender: {
      'with every option': 'PUT /plant/webhook · authorization content-type webhook-id · {"name":"Fern"}',
      'without `eventId`': 'needs eventId',
    },
    types: { 'sent without `eventId`': 'does not compile' },
  },
  signing: {
    builtOn: ['http-method', 'event-identity'],
    receiver: {
      'without a signature': 'refused with 403',
      'started with other settings': 'refuses SIGNING_KEYS',
    },
    sender: {
      'with every option':
        'PUT /plant/webhook · authorization content-type webhook-id webhook-signature webhook-timestamp · {"name":"Fern"}',
      'without `signingKey`': 'needs signingKey',
    },
    types: { 'without `signingKey`': 'does not compile' },
  },
  'rate-limits': {
    receiver: { 'after 20 others': 'refused with 429' },
    sender: { '21 at once': '20 arrive' },
  },
  'size-limits': {
    receiver: {
      'of 2000 bytes': 'refused with 413',
      'started with other settings': 'refuses MAX_CONTENT_BYTES',
    },
    sender: { 'with content of 2000 bytes': 'PLANT_STORE_CONTENT_TOO_LARGE' },
  },
  'time-outs': {
    receiver: { 'started with other settings': 'refuses REQUEST_TIMEOUT_MS' },
    sender: { 'time-out of an attempt': '4000 ms' },
  },
  'token-format': {
    receiver: { 'started with other settings': 'refuses ACCESS_TOKENS' },
    sender: { 'with a token of another format': 'needs accessToken' },
  },
  'authentication-realm': {
    receiver: {
      'without a token': '401 · Bearer realm="example"',
      'with a wrong token': '401 · Bearer realm="example", error="invalid_token"',
    },
  },
  'request-versioning': {
    builtOn: ['http-method'],
    receiver: { 'of another version': 'refused with 400' },
    sender: {
      'with every option':
        'PUT /plant/webhook · authorization content-type plant-store-version · {"name":"Fern"}',
    },
  },
};

/** What an answer changes, by surface. */
export function changesOf(id: ExecutableId): Seen {
  const row: { readonly [Name in keyof Seen]?: Observations | string } = ROWS[id];
  return onEach((surface) => {
    const changes = row[surface];
    return typeof changes === 'object' ? changes : {};
  });
}

/** The answers on which an answer is built. */
export function builtOn(id: ExecutableId): readonly ExecutableId[] {
  return ROWS[id].builtOn ?? [];
}
