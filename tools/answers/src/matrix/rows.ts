import type { ExecutableId } from '@plant-store/contract';

import type { Row, Seen } from './matrix.js';

/** What is seen while everything is open. */
export const OPEN: Seen = {
  receiver: {
    'as agreed': '204',
    'sent with POST': 'taken',
    'sent with GET': 'refused with 405',
    'of another media type': 'taken',
    'of another version': 'taken',
    'without a signature': 'taken',
    'without an identifier': 'taken',
    'that is no JSON': 'taken',
    'with a plant alone': 'taken',
    'with a plant without a name': 'taken',
    'with an event without a date': 'taken',
    'of 2000 bytes': 'taken',
    'sent twice': '2 kept',
    'after 20 others': 'taken',
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
    'answered 202': 'acknowledged',
    'answered 503, then 200': 'not acknowledged',
    'answered 409 with a problem': 'not acknowledged',
    '21 at once': '21 arrive',
    'time-out of an attempt': '15000 ms',
    'answered 400 with a code': 'not acknowledged',
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
  document: {},
};

const NOTHING: Seen = { receiver: {}, sender: {}, types: {}, document: {} };

/** What each answer changes. The compiler asks for a row for each question whose answer is carried out. */
export const ROWS: { readonly [Id in ExecutableId]: Row } = {
  'base-address': {
    ...NOTHING,
    builtOn: [],
    sender: {
      'without `baseUrl`': 'may be left out',
    },
    types: {
      'without `baseUrl`': 'compiles',
    },
    document: {
      '/servers/0/variables/base_url/default': '"https://receiver.example"',
    },
  },
  'http-method': {
    ...NOTHING,
    builtOn: [],
    receiver: {
      'sent with POST': 'refused with 405',
    },
    sender: {
      'without `method`': 'PUT',
    },
    types: {
      'without `method`': 'compiles',
    },
    document: {
      '/webhooks/~1plant~1webhook/put': '{}',
    },
  },
  'media-type': {
    ...NOTHING,
    builtOn: ['http-method'],
    receiver: {
      'of another media type': 'refused with 415',
    },
    sender: {
      'encoded as text/plain': 'PLANT_STORE_ENCODE_FAILED',
    },
    document: {
      '/webhooks/~1plant~1webhook/put': 'nothing',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json': '{}',
    },
  },
  payload: {
    ...NOTHING,
    builtOn: ['http-method', 'media-type'],
    receiver: {
      'that is no JSON': 'refused with 400',
      'with a plant alone': 'refused with 422',
    },
    sender: {
      'without `encode`': 'application/json {"plant":{"name":"Fern"}}',
    },
    types: {
      'without `encode`': 'compiles',
    },
    document: {
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json': 'nothing',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/type': '"object"',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/required': '["plant"]',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant': '{}',
      '/webhooks/~1plant~1webhook/put/requestBody/required': 'true',
    },
  },
  'plant-fields': {
    ...NOTHING,
    builtOn: ['http-method', 'media-type', 'payload'],
    receiver: {
      'with a plant without a name': 'refused with 422',
    },
    types: {
      'a plant without a name': 'does not compile',
    },
    document: {
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant':
        'nothing',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant/type':
        '"object"',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant/properties/name/type':
        '"string"',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant/properties/name/minLength':
        '1',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant/properties/heightInCentimetres/type':
        '"number"',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant/properties/heightInCentimetres/exclusiveMinimum':
        '0',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/properties/plant/required':
        '["name"]',
    },
  },
  'event-payload-fields': {
    ...NOTHING,
    builtOn: ['http-method', 'media-type', 'payload'],
    receiver: {
      'with an event without a date': 'refused with 422',
    },
    sender: {
      'without `encode`': 'application/json {"addedOn":"2026-01-31","plant":{"name":"Fern"}}',
    },
    types: {
      'sent without `event`': 'does not compile',
    },
    document: {
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/allOf/0/type': '"object"',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/allOf/0/properties/addedOn/type':
        '"string"',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/allOf/0/properties/addedOn/pattern':
        '"^\\\\d{4}-\\\\d{2}-\\\\d{2}$"',
      '/webhooks/~1plant~1webhook/put/requestBody/content/application~1json/schema/allOf/0/required':
        '["addedOn"]',
    },
  },
  'receiver-response': {
    ...NOTHING,
    builtOn: ['http-method'],
    receiver: {
      'as agreed': '200 · application/json · {"taken":true}',
    },
    sender: {
      'answered 202': 'not acknowledged',
    },
    types: {
      'a status of 200': 'compiles',
    },
    document: {
      '/webhooks/~1plant~1webhook/put': 'nothing',
      '/webhooks/~1plant~1webhook/put/responses/200/description': '"The plant was taken."',
      '/webhooks/~1plant~1webhook/put/responses/200/content/application~1json/example/taken': 'true',
    },
  },
  'status-codes': {
    ...NOTHING,
    builtOn: ['http-method', 'media-type', 'payload', 'plant-fields'],
    receiver: {
      'with a plant alone': 'refused with 409',
      'with a plant without a name': 'refused with 409',
    },
    sender: {
      'answered 409 with a problem': 'not acknowledged · content-invalid',
    },
    document: {
      '/webhooks/~1plant~1webhook/put/responses/409/description': '"The plant is not as agreed."',
      '/webhooks/~1plant~1webhook/put/responses/413/description': '"The plant is too large."',
    },
  },
  'error-payloads': {
    ...NOTHING,
    builtOn: ['http-method', 'media-type', 'payload', 'plant-fields', 'status-codes'],
    receiver: {
      'without a token': '401 · Bearer · application/problem+json · {"status":401}',
      'with a wrong token': '401 · Bearer error="invalid_token" · application/problem+json · {"status":401}',
    },
    sender: {
      'answered 409 with a problem': 'not acknowledged · content-invalid · {"code":"EXAMPLE_PLANT"}',
      'answered 400 with a code': 'not acknowledged · {"code":"EXAMPLE_PLANT"}',
    },
    document: {
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/type':
        '"object"',
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/required':
        '["status"]',
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/properties/status/type':
        '"integer"',
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/properties/title/type':
        '"string"',
    },
  },
  'error-codes': {
    ...NOTHING,
    builtOn: ['http-method', 'media-type', 'payload', 'plant-fields', 'status-codes', 'error-payloads'],
    receiver: {
      'with a wrong token':
        '401 · Bearer error="invalid_token" · application/problem+json · {"status":401,"code":"EXAMPLE_TOKEN"}',
    },
    sender: {
      'answered 400 with a code': 'not acknowledged · content-invalid · {"code":"EXAMPLE_PLANT"}',
    },
    document: {
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/properties/code/type':
        '"string"',
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/properties/code/enum/0':
        '"EXAMPLE_TOKEN"',
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/properties/code/enum/1':
        '"EXAMPLE_PLANT"',
      '/webhooks/~1plant~1webhook/put/responses/409/content/application~1problem+json/schema/properties/code/enum/2':
        '"EXAMPLE_RATE"',
    },
  },
  retry: {
    ...NOTHING,
    builtOn: [],
    sender: {
      'answered 503, then 200': 'acknowledged after 2',
    },
  },
  'event-identity': {
    ...NOTHING,
    builtOn: ['http-method'],
    receiver: {
      'without an identifier': 'refused with 400',
      'sent twice': '1 kept',
    },
    sender: {
      'with every option': 'PUT /plant/webhook · authorization content-type webhook-id · {"name":"Fern"}',
      'without `eventId`': 'needs eventId',
    },
    types: {
      'sent without `eventId`': 'does not compile',
    },
    document: {
      '/webhooks/~1plant~1webhook/put': 'nothing',
      '/webhooks/~1plant~1webhook/put/parameters/0/name': '"webhook-id"',
      '/webhooks/~1plant~1webhook/put/parameters/0/in': '"header"',
      '/webhooks/~1plant~1webhook/put/parameters/0/required': 'true',
      '/webhooks/~1plant~1webhook/put/parameters/0/schema/type': '"string"',
    },
  },
  signing: {
    ...NOTHING,
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
    types: {
      'without `signingKey`': 'does not compile',
    },
    document: {
      '/webhooks/~1plant~1webhook/put/parameters/1/name': '"webhook-timestamp"',
      '/webhooks/~1plant~1webhook/put/parameters/1/in': '"header"',
      '/webhooks/~1plant~1webhook/put/parameters/1/required': 'true',
      '/webhooks/~1plant~1webhook/put/parameters/1/schema/type': '"string"',
      '/webhooks/~1plant~1webhook/put/parameters/2/name': '"webhook-signature"',
      '/webhooks/~1plant~1webhook/put/parameters/2/in': '"header"',
      '/webhooks/~1plant~1webhook/put/parameters/2/required': 'true',
    },
  },
  'rate-limits': {
    ...NOTHING,
    builtOn: [],
    receiver: {
      'after 20 others': 'refused with 429',
    },
    sender: {
      '21 at once': '20 arrive',
    },
  },
  'size-limits': {
    ...NOTHING,
    builtOn: [],
    receiver: {
      'of 2000 bytes': 'refused with 413',
      'started with other settings': 'refuses MAX_CONTENT_BYTES',
    },
    sender: {
      'with content of 2000 bytes': 'PLANT_STORE_CONTENT_TOO_LARGE',
    },
  },
  'time-outs': {
    ...NOTHING,
    builtOn: [],
    receiver: {
      'started with other settings': 'refuses REQUEST_TIMEOUT_MS',
    },
    sender: {
      'time-out of an attempt': '4000 ms',
    },
  },
  'token-format': {
    ...NOTHING,
    builtOn: [],
    receiver: {
      'started with other settings': 'refuses ACCESS_TOKENS',
    },
    sender: {
      'with a token of another format': 'needs accessToken',
    },
    document: {
      '/components/securitySchemes/bearerAuth/bearerFormat': '"example"',
    },
  },
  'authentication-realm': {
    ...NOTHING,
    builtOn: [],
    receiver: {
      'without a token': '401 · Bearer realm="example"',
      'with a wrong token': '401 · Bearer realm="example", error="invalid_token"',
    },
  },
  'request-versioning': {
    ...NOTHING,
    builtOn: ['http-method'],
    receiver: {
      'of another version': 'refused with 400',
    },
    sender: {
      'with every option':
        'PUT /plant/webhook · authorization content-type plant-store-version · {"name":"Fern"}',
    },
    document: {
      '/webhooks/~1plant~1webhook/put': 'nothing',
      '/webhooks/~1plant~1webhook/put/parameters/0/name': '"plant-store-version"',
      '/webhooks/~1plant~1webhook/put/parameters/0/in': '"header"',
      '/webhooks/~1plant~1webhook/put/parameters/0/required': 'true',
      '/webhooks/~1plant~1webhook/put/parameters/0/schema/type': '"string"',
      '/webhooks/~1plant~1webhook/put/parameters/0/schema/const': '"1.0.0"',
    },
  },
};
