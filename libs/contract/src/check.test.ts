import type { AnswerValues } from './answer-types.js';
import { type Failure, FAILURES } from './failures.js';
import type { AnswerSchema } from './answer-schema.js';
import { answerFaults, valueFaults } from './check.js';
import { openQuestions } from './register/register.js';

const json = 'application/json';
const signing = {
  algorithm: 'hmac-sha256',
  signed: ['content'],
  separator: '.',
  signature: { header: 'example-signature', prefix: '', encoding: 'hex' },
  key: { prefix: '', encoding: 'utf8' },
} as const;
const signedEvent = { ...signing, signed: ['event-id', 'content'] } as const;

function schemaOf(
  schema: Record<string, unknown>,
  input = (): Record<string, unknown> => schema,
): AnswerSchema {
  const validate = (value: unknown): { value: unknown } => ({ value });
  return { '~standard': { version: 1, vendor: 'example', validate, jsonSchema: { input } } };
}
const named = schemaOf({ type: 'object', properties: { name: {} } });
const onlyNamed = schemaOf({ type: 'object', properties: { name: {} }, additionalProperties: false });
const dated = schemaOf({ type: 'object', properties: { addedOn: {} } });
const light = { enum: ['sun', 'shade'] };
const closed = (...fields: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field, {}])),
  additionalProperties: false,
});
const record = (value: unknown) => ({ type: 'object', additionalProperties: value });
const onlyFern = schemaOf({
  $ref: '#/$defs/Fern',
  $defs: { Fern: { properties: { name: {} }, additionalProperties: false } },
});
const withoutJsonSchema = schemaOf({}, () => {
  throw new Error('a date has none');
});

/** Failures whose status a standard settles. */
const settled = [
  'credentials-missing',
  'credentials-malformed',
  'token-invalid',
  'path-unknown',
  'method-not-allowed',
];
const failures = Object.keys(FAILURES) as Failure[];
const codes = Object.fromEntries(failures.map((name) => [name, 'E']));
const incompleteCodes = Object.fromEntries(Object.entries(codes).filter(([name]) => name !== 'unavailable'));
const statuses = Object.fromEntries(
  failures.map((name) => [name, { ...(!settled.includes(name) && { status: 400 }), description: 'No.' }]),
);

const headerName = 'header must be a header name that HTTP, OpenAPI and Node.js leave free';
const componentName = 'letters, digits, dots, hyphens and underscores';
const milliseconds = 'a whole number of milliseconds from';
const ownParts = 'must refer only to its own parts, such as #/$defs/Name';
const namePart = 'Name a part in $defs, and refer to it with $ref';
const freeStatus = 'a status from 400 to 599 that requires no other header field';
const httpsUrl = 'must be an absolute https URL without query and fragment ';

/** By question. */
const valid: Record<string, readonly unknown[]> = {
  'authentication-realm': ['plants of the "store"'],
  'base-address': [
    'https://receiver.example/base',
    'HTTPS://receiver.example:8443',
    'http://127.0.0.1:3000/base',
    'http://localhost',
    'http://[::1]:3000',
  ],
  'error-payloads': [
    { mediaType: 'application/vnd.plant-store.v1+json', fields: { a: 'code' } },
    { mediaType: json, fields: { status: 'status' }, required: ['status'] },
    { mediaType: json, fields: { constructor: 'status', prototype: 'code' }, required: ['constructor'] },
  ],
  'event-identity': [{ header: 'Event-Id' }, { pointer: '/id' }],
  'request-versioning': [{ pathPrefix: '/v1/plants' }],
  retry: [
    { delays: [], statuses: [], withoutResponse: false },
    { delays: [1], statuses: 'all', withoutResponse: false },
  ],
  signing: [signing, { ...signing, timestamp: undefined }],
  'size-limits': [400_000_000],
  payload: [{ shape: 'plant', description: 'A new plant.', names: undefined }],
  'plant-fields': [
    // Names of fields, and data, are no references.
    schemaOf({ properties: { $ref: { const: { $ref: 'x' } }, $id: { default: { $id: 'x' } } } }),
    schemaOf({ enum: [{ $ref: 'x' }], examples: [{ $ref: 'x' }] }),
    schemaOf({ patternProperties: { $id: {} }, dependentSchemas: { $anchor: {} } }),
    schemaOf({ properties: { 'a b': {} }, items: { $ref: '#/properties/a%20b' } }),
    Object.assign(() => {}, named),
  ],
};

test.each(rowsOf(valid))('%s may be %j', (id, answer) => {
  expect(valueFaults({ [id]: answer })).toEqual([]);
});

test.each<AnswerValues>([
  {},
  {
    'error-payloads': {
      mediaType: json,
      fields: { code: 'code', message: 'description', status: 'status' },
      required: ['code', 'message'],
    },
    'error-codes': codes,
    'status-codes': statuses,
  },
  { signing: signedEvent, 'event-identity': { header: 'event-id' } },
  { 'event-identity': { pointer: '/a~1b' }, 'media-type': 'model/gltf+json' },
  { payload: { plantField: 'plant' }, 'plant-fields': onlyNamed, 'event-payload-fields': dated },
  ...(['/plant/id', '/name'] as const).map((pointer): AnswerValues => ({
    'event-identity': { pointer },
    payload: { plantField: 'plant' },
    'event-payload-fields': onlyNamed,
  })),
  {
    payload: { plantField: 'plant', names: { plant: 'Plant-1', event: 'New.Event', payload: 'New_Plant' } },
    'plant-fields': named,
    'event-payload-fields': dated,
  },
  // Plant and event share a definition.
  {
    'plant-fields': schemaOf({ properties: { light: { $ref: '#/$defs/Light' } }, $defs: { Light: light } }),
    'event-payload-fields': schemaOf({ items: { $ref: '#/$defs/Light' }, $defs: { Light: light } }),
  },
  {
    'receiver-response': { status: 201, description: 'Taken.' },
    retry: { delays: [1], statuses: [202], withoutResponse: true },
  },
])('no contradiction is in %j', (answers) => {
  expect(valueFaults(answers)).toEqual([]);
});

/** By question: an answer, and a part of its first fault. */
const faulty: Record<string, readonly (readonly [answer: unknown, fault: string])[]> = {
  'authentication-realm': [
    ['a\nb', 'must be printable ASCII'],
    ['plants ', 'must be printable ASCII that neither begins nor ends with a space'],
  ],
  'base-address': [
    ...[
      '/base',
      'https://receiver.example/?a',
      'https://receiver.example/a#b',
      'https://receiver.example:',
      'https://receiver.example:123456',
      'https://[',
      // What no sender can parse, or that people can't see.
      'https://receiver.example:99999',
      'https://256.256.256.256',
      'https://[:::]',
      'https://xn--a',
      'https://receiver.example/\u0000',
      'https://receiver\u202e.example',
    ].map((address) => [address, httpsUrl] as const),
    ...['http://receiver.example', 'http://127.0.0.1.example/a', 'http://localhost.example'].map(
      (address) => [address, `(plain http only to loopback: RFC 6750 §5.3) (got "${address}")`] as const,
    ),
    ...['', '/'].map(
      (end) =>
        [
          `https://receiver.example/plant/webhook${end}`,
          'must not end in /plant/webhook, because senders append it',
        ] as const,
    ),
    ...['https://user:password@receiver.example/?a', 'http://user:password@127.0.0.1'].map(
      (address) => [address, 'must not contain credentials, because it is published'] as const,
    ),
  ],
  'error-codes': [
    [{ sunburn: 'E1' }, 'sunburn is unknown'],
    [{ unavailable: '' }, 'unavailable must be text that is not empty (got "")'],
  ],
  'status-codes': [
    [{ sunburn: { status: 400, description: 'Too bright.' } }, 'sunburn is unknown'],
    [
      { 'token-invalid': { status: 403, description: 'No.' } },
      'token-invalid.status must be left out, because a standard settles it (got 403)',
    ],
    [{ unavailable: { description: 'Later.' } }, 'unavailable.status is missing'],
    [
      { unavailable: { status: 503, description: '' } },
      'unavailable.description must be text that is not empty',
    ],
    ...[200, 401, 405, 407, 426].map(
      (status) =>
        [
          { unavailable: { status, description: 'Later.' } },
          `unavailable.status must be ${freeStatus} (got ${status})`,
        ] as const,
    ),
  ],
  'error-payloads': [
    [{ mediaType: 'text/plain', fields: { a: 'code' } }, 'mediaType must be a media type of JSON, such as '],
    [
      { mediaType: `${json};a=b`, fields: { a: 'code' } },
      'mediaType must be a media type without parameters',
    ],
    [{ mediaType: json, fields: {} }, 'fields must have at least one field'],
    [
      { mediaType: json, fields: { message: 'description' }, required: ['message'] },
      'requires message, so status-codes must have a description for every failure (missing: credentials-missing, ',
    ],
    [
      { mediaType: json, fields: { a: 'status' }, required: ['b'] },
      'must have a field for each name in `required`',
    ],
    [
      { mediaType: json, fields: { a: 'code' }, name: 'My Error' },
      `name must be ${componentName} (got "My Error")`,
    ],
  ],
  'event-identity': [
    ...['event id', 'Authorization', 'Proxy-Connection', 'Accept', '__Proto__', 'Set-Cookie'].map(
      (header) => [{ header }, `${headerName} (got "${header}")`] as const,
    ),
    [{ pointer: '' }, 'pointer must be a JSON Pointer to a field'],
    [{ pointer: '/a~b' }, 'pointer must be a JSON Pointer to a field'],
  ],
  'plant-fields': [
    [withoutJsonSchema, 'must have a JSON Schema (a date has none)'],
    ...['https://schemas.example/price.json', '#light', '#/$defs/Lihgt'].map(
      ($ref) =>
        [schemaOf({ items: { $ref }, $defs: { Light: light } }), `${ownParts} (got "${$ref}")`] as const,
    ),
    ...['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef'].map(
      (keyword) =>
        [schemaOf({ items: { [keyword]: 'light' } }), `must not have ${keyword}. ${namePart}`] as const,
    ),
    [
      schemaOf({ $defs: { 'the light': light } }),
      `must name the parts in $defs with ${componentName}, for they become components (got "the light")`,
    ],
    [
      schemaOf({ type: 'object', $defs: { Plant: light } }),
      'has a schema called Plant, as plant-fields has.',
    ],
    [
      schemaOf({ allOf: [{ properties: { name: {} } }], unevaluatedProperties: false }),
      'must not have unevaluatedProperties. Name all fields in properties, and write additionalProperties: false',
    ],
  ],
  'media-type': [
    [
      'text/plain; charset=utf-8',
      `must be a media type without parameters, such as ${json} (got "text/plain; charset=utf-8")`,
    ],
  ],
  payload: [
    [
      { plantField: 'plant', names: { event: 'New Plant' } },
      `names.event must be ${componentName} (got "New Plant")`,
    ],
    [{ shape: 'plant', description: ' ' }, 'description must be text that is not empty (got " ")'],
    ...['', '__proto__'].map(
      (plantField) =>
        [{ plantField }, `plantField must be the name of a field (got "${plantField}")`] as const,
    ),
    [{ shape: 'plant', description: '\u200b' }, 'description must be text that is not empty'],
  ],
  'rate-limits': [
    [{ deliveries: 0, seconds: 1 }, 'deliveries must be a whole number from 1 to 1,000,000 (got 0)'],
    [{ deliveries: 1, seconds: 0 }, 'seconds must be a number above 0 (got 0)'],
    [{ deliveries: 1, seconds: Infinity }, 'seconds must be a number above 0 (got Infinity)'],
  ],
  'receiver-response': [
    [{ status: 202, description: ' ' }, 'description must be text that is not empty (got " ")'],
    [
      { status: 200, description: 'Taken.', content: { mediaType: 'json', text: '{}' } },
      'content.mediaType must be a media type',
    ],
    [
      { status: 200, description: 'Taken.', content: { mediaType: json, text: 'ok' } },
      'content must have a text that is JSON',
    ],
    ...[204, 205].map(
      (status) =>
        [
          { status, description: 'Taken.', content: { mediaType: 'text/plain', text: 'ok' } },
          'content must be left out, because a 204 or 205 response has none (got an object with mediaType, text)',
        ] as const,
    ),
  ],
  'request-versioning': [
    [{ header: 'version', value: '' }, 'value must be printable ASCII'],
    ...['/v1/', '/..', '/v1/./a', '/:version', '/*', '/(v1)', '/v%31', '//v1'].map(
      (pathPrefix) => [{ pathPrefix }, 'pathPrefix must be one or more plain path segments'] as const,
    ),
  ],
  retry: [
    ...[0.5, 2 ** 31].map(
      (delay) =>
        [
          { delays: [delay], statuses: 'all', withoutResponse: true },
          `delays[0] must be ${milliseconds} 0 to 2,147,483,647`,
        ] as const,
    ),
    [
      { delays: [1], statuses: [42], withoutResponse: true },
      'statuses[0] must be a whole number from 100 to 599 (got 42)',
    ],
    [{ delays: [1], statuses: [204, 503], withoutResponse: true }, 'statuses must not include 204'],
  ],
  signing: [
    [{ ...signing, signed: [] }, 'signed must include the content'],
    [
      { ...signing, signed: ['timestamp', 'content'] },
      'signs the timestamp, so `timestamp` must name its header',
    ],
    [signedEvent, 'signs the event id, so event-identity must be answered with a header'],
    [
      { ...signing, signature: { ...signing.signature, header: 'a b' } },
      'signature.header must be a header name',
    ],
    [
      { ...signing, timestamp: { header: 'Host', toleranceSeconds: 1 } },
      'timestamp.header must be a header name',
    ],
    [
      { ...signing, timestamp: { header: 'Example-Signature', toleranceSeconds: 1 } },
      'cannot use the header Example-Signature, because signing uses it',
    ],
    [
      { ...signing, timestamp: { header: 'time', toleranceSeconds: NaN } },
      'timestamp.toleranceSeconds must be a number (got NaN)',
    ],
    [
      { ...signing, signature: { ...signing.signature, prefix: 'a b' } },
      'signature.prefix must be printable ASCII without spaces',
    ],
    ...['a b', 'v1,', ' v1', '#v1', 'ä'].map(
      (prefix) =>
        [
          { ...signing, key: { ...signing.key, prefix } },
          'key.prefix must be printable ASCII without spaces and commas that does not begin with #',
        ] as const,
    ),
  ],
  'size-limits': [
    [500_000_001, 'must be a whole number of bytes from 1 to 400,000,000'],
    [0, 'must be a whole number of bytes'],
  ],
  'time-outs': [
    [{ delivery: 2 ** 31, response: 1 }, `delivery must be ${milliseconds} 1 to 2,147,483,647`],
    [{ delivery: 0, response: 1 }, `delivery must be ${milliseconds} 1 to 2,147,483,647`],
    [{ delivery: 1, response: 0 }, `response must be ${milliseconds} 1 to 2,147,483,647`],
  ],
  'token-format': [
    [{ name: 'JWT', pattern: '(' }, 'pattern must be a regular expression'],
    [{ name: 'JWT', pattern: '' }, 'pattern must be a regular expression that is not empty'],
  ],
};

test.each(rowsOf(faulty))('%s must not be %j', (id, [answer, fault]) => {
  const [first] = valueFaults({ [id]: answer });
  expect(first).toMatch(new RegExp(`^${id}: `));
  expect(first).toContain(fault);
  expect(first).not.toContain('user:password');
});

test.each<[AnswerValues, string]>([
  [
    {
      'error-payloads': { mediaType: json, fields: { error: 'code' }, required: ['error'] },
      'error-codes': incompleteCodes,
    },
    'error-payloads: requires error, so error-codes must have a code for every failure (missing: unavailable)',
  ],
  [
    {
      'plant-fields': schemaOf({ $defs: { Light: light } }),
      'event-payload-fields': schemaOf({ $defs: { Light: { type: 'string' } } }),
    },
    'event-payload-fields: has a schema called Light, as plant-fields has. Name one of the two otherwise, in payload or in $defs',
  ],
  [
    { payload: { shape: 'plant', names: { plant: 'New', payload: 'New' } }, 'plant-fields': named },
    'payload: has a schema called New, as payload has.',
  ],
  [
    { 'plant-fields': named, 'error-payloads': { mediaType: json, fields: { a: 'code' }, name: 'Plant' } },
    'plant-fields: has a schema called Plant, as error-payloads has.',
  ],
  [
    { signing: signedEvent, 'event-identity': { pointer: '/id' } },
    'signing: signs the event id, so event-identity must be answered with a header',
  ],
  [
    { 'event-identity': { header: 'Event' }, 'request-versioning': { header: 'event', value: '1' } },
    'request-versioning: cannot use the header event, because event-identity uses it',
  ],
  [
    { 'event-identity': { pointer: '/id' }, 'media-type': 'text/csv' },
    'event-identity: a pointer needs JSON content, but media-type is text/csv',
  ],
  [
    { payload: { plantField: 'addedOn' }, 'event-payload-fields': dated },
    'payload: plantField cannot be addedOn',
  ],
  [
    {
      'event-identity': { pointer: '/a~1b/id' },
      payload: { plantField: 'p' },
      'event-payload-fields': onlyNamed,
    },
    'event-identity: points at the field a/b, which event-payload-fields does not allow',
  ],
  ...[onlyNamed, onlyFern].map((schema): [AnswerValues, string] => [
    { 'event-identity': { pointer: '/id' }, payload: 'plant', 'plant-fields': schema },
    'event-identity: points at the field id, which plant-fields does not allow',
  ]),
])('a contradiction is in %j', (answers, fault) => {
  expect(valueFaults(answers)[0]).toContain(fault);
});

describe('event fields', () => {
  const plain = { type: 'object', properties: { on: {} }, required: ['on'] };
  const faultsOfEvent = (event: object, payload: AnswerValues['payload'] = { plantField: 'plant' }) =>
    valueFaults({ payload, 'event-payload-fields': schemaOf({ ...event }) });

  test.each([
    plain,
    { ...plain, additionalProperties: false },
    { ...plain, additionalProperties: {}, title: 'Added', description: 'A plant was added.' },
    { $ref: '#/$defs/Added', $defs: { Added: plain } },
  ])('may be %j', (event) => {
    expect(faultsOfEvent(event)).toEqual([]);
  });

  test.each([
    { ...plain, type: ['object', 'null'] },
    { anyOf: [closed('on')] },
    { ...plain, minProperties: 2 },
    { ...plain, patternProperties: { '^x-': {} } },
    record({ type: 'number' }),
  ])('must not be %j, which leaves no place for the plant', (event) => {
    expect(faultsOfEvent(event)).toEqual([
      'event-payload-fields: must be one object with its fields in properties, because the plant is beside them',
    ]);
  });

  test.each(['plant', { shape: 'plant' }] as const)('need a field for the plant: payload %j', (payload) => {
    expect(faultsOfEvent(plain, payload)).toEqual([
      "event-payload-fields: needs a payload such as { plantField: 'plant' }, in which the plant is beside the fields of the event",
    ]);
  });
});

/** By question: what the compiler refuses, and JavaScript can pass all the same, with a part of each fault. */
const mistyped: Record<string, readonly (readonly [answer: unknown, ...faults: readonly string[]])[]> = {
  'plant-colour': [['green', 'is not a question of OPEN_QUESTIONS.md']],
  'http-method': [
    [undefined, `must be "POST" | "PUT" | "PATCH" (got undefined)`],
    ['GET', '(got "GET")'],
    [['POST'], '(got a list)'],
    [() => 'POST', '(got a function)'],
    ['x'.repeat(50), `(got "${'x'.repeat(39)}…")`],
  ],
  'size-limits': [['1000', 'must be a number (got "1000")']],
  'rate-limits': [
    [
      null,
      'must have the form: A number of deliveries, and a span of seconds. OPEN_QUESTIONS.md has an example (got null)',
    ],
  ],
  'event-order': [['none', 'can only be answered in words: write inWords instead of is']],
  'receiver-response': [
    ['any 2xx', 'must have the form: A status code and its description, with content if there is any.'],
  ],
  payload: [[{ plantfield: 'plant' }, 'must have the form: The shape of the payload: ']],
  'event-identity': [[{ header: 'id', pointer: '/id' }, '(got an object with header, pointer)']],
  retry: [
    [
      { delays: [1, '2'], statuses: 'some', withoutResponse: 1 },
      'delays[1] must be a number (got "2")',
      'statuses must be "all" or a list of statuses (got "some")',
      'withoutResponse must be true or false (got 1)',
      'must have the form: A policy: ',
    ],
  ],
  signing: [
    [
      { algorithm: 'md5', signed: 'content', signature: 'x-signature', timestamp: { header: 'x' } },
      'algorithm must be "hmac-sha256" | "hmac-sha512" (got "md5")',
      'signed must be a list (got "content")',
      'separator is missing',
      'signature must be an object (got "x-signature")',
      'timestamp.toleranceSeconds is missing',
      'key is missing',
      'must have the form: A keyed hash: ',
    ],
  ],
  'status-codes': [
    [{ unavailable: 503 }, 'unavailable must be an object (got 503)', 'must have the form: '],
    [[], '(got a list)'],
  ],
  'error-codes': [
    [{ unavailable: undefined }, 'unavailable is missing', 'must have the form: '],
    [[], '(got a list)'],
  ],
  'error-payloads': [
    [
      { mediaType: json, fields: { a: 'title' } },
      'fields.a must be "status" | "code" | "description" (got "title")',
      'must have the form: A JSON media type, ',
    ],
    ...['constructor', 'prototype', '__proto__'].map((name): [unknown, ...string[]] => [
      { mediaType: json, fields: { a: 'status', [name]: 'title' } },
      `fields.${name} must be "status" | "code" | "description" (got "title")`,
      'must have the form: ',
    ]),
    [
      { mediaType: json, fields: ['status'] },
      'fields must be an object (got a list)',
      'must have the form: ',
    ],
  ],
  'plant-fields': [{ type: 'object' }, null, { '~standard': null }].map((schema) => [
    schema,
    `must be a Standard Schema, such as one of Zod, or what jsonSchema() of @plant-store/contract/json-schema makes of a JSON Schema (got `,
  ]),
  'event-payload-fields': [
    [
      { '~standard': { version: 1, vendor: 'valibot', validate: () => ({ value: 1 }) } },
      'must have a JSON Schema. Pass a schema of Valibot to toStandardJsonSchema()',
    ],
  ],
};

test.each(rowsOf(mistyped))('%s is refused with a line for each fault: %j', (id, [answer, ...faults]) => {
  const lines = valueFaults({ [id]: answer });
  expect(lines).toHaveLength(faults.length);
  for (const [index, line] of lines.entries()) {
    expect(line).toMatch(new RegExp(`^${id}: `));
    expect(line).toContain(faults[index]);
  }
});

describe('an entry', () => {
  const by = { who: 'Ada Grower', on: '2026-01-31', why: 'Minutes of the day.' };

  test.each(openQuestions.map(({ id }) => id))('%s may be answered in words', (id) => {
    expect(answerFaults({ [id]: { inWords: 'An example.', ...by } })).toEqual([]);
  });

  test('that is carried out has a value of its kind', () => {
    expect(answerFaults({ 'http-method': { is: 'PUT', ...by } })).toEqual([]);
    expect(answerFaults({ 'http-method': { is: 'GET', ...by }, retry: { is: 1, ...by } })).toEqual([
      'http-method: must be "POST" | "PUT" | "PATCH" (got "GET")',
      expect.stringContaining('retry: must have the form: A policy: '),
    ]);
  });

  const form =
    "must have the form: { is: …, who: '…', on: '2026-01-31', why: '…' }, or the same with inWords: '…' instead of is";

  test.each<[name: string, id: string, entry: unknown, faults: readonly string[]]>([
    [
      'an unknown question',
      'plant-colour',
      { is: 'green', ...by },
      ['is not a question of OPEN_QUESTIONS.md'],
    ],
    ['a value alone', 'http-method', 'PUT', [`${form} (got "PUT")`]],
    ['nothing', 'http-method', undefined, [`${form} (got undefined)`]],
    ['no answer', 'http-method', by, ['must have either is or inWords']],
    ['two answers', 'http-method', { is: 'PUT', inWords: 'PUT', ...by }, ['must have either is or inWords']],
    [
      'a value that nobody carries out',
      'event-order',
      { is: 'none', ...by },
      ['can only be answered in words: write inWords instead of is'],
    ],
    [
      'a day that is none',
      'retry',
      { inWords: 'No.', ...by, on: '2026-02-30' },
      ['on must be a day such as 2026-01-31 (got "2026-02-30")', form].slice(0, 1),
    ],
    [
      'what the page has to paste',
      'retry',
      { inWords: '…', who: '…', on: '2026-01-31', why: '…' },
      [
        'inWords must be text, instead of the … that was pasted (got "…")',
        'who must be text, instead of the … that was pasted (got "…")',
        'why must be text, instead of the … that was pasted (got "…")',
      ],
    ],
    [
      'text that nobody can see',
      'retry',
      { inWords: '\u200b', who: '\u00ad\u2060', on: '2026-01-31', why: '\u3164\ufe0f\u{e0041}' },
      [
        'inWords must be text, instead of the … that was pasted (got "\u200b")',
        'who must be text, instead of the … that was pasted (got "\u00ad\u2060")',
        'why must be text, instead of the … that was pasted (got "\u3164\ufe0f\u{e0041}")',
      ],
    ],
    [
      'a missing name and an unknown member',
      'retry',
      { inWords: 'No.', on: '2026-01-31', why: 'W.', by: 'Ada' },
      ['who is missing', 'by is unknown', form],
    ],
  ])('%s', (_name, id, entry, faults) => {
    expect(answerFaults({ [id]: entry })).toEqual(faults.map((fault) => `${id}: ${fault}`));
  });

  test('is not of a day to come, if the clock is given', () => {
    const now = new Date('2026-01-30T12:00:00Z');
    const answers = (on: string) => ({ retry: { inWords: 'No.', ...by, on } });
    expect(answerFaults(answers('2026-01-31'), now)).toEqual([]);
    expect(answerFaults(answers('2026-02-01'), now)).toEqual([
      'retry: on must be the day of the answer, not one to come (got "2026-02-01")',
    ]);
    expect(answerFaults(answers('2026-02-01'))).toEqual([]);
  });

  test('contradicts no answer in words', () => {
    const identity = { inWords: 'The first field.', ...by };
    expect(answerFaults({ 'event-identity': identity, 'media-type': { is: 'text/csv', ...by } })).toEqual([]);
    expect(answerFaults({ 'event-identity': identity, signing: { is: signedEvent, ...by } })).toEqual([
      'signing: signs the event id, so event-identity must be answered with a header',
    ]);
  });
});

function rowsOf<Row>(table: Record<string, readonly Row[]>): [id: string, row: Row][] {
  return Object.entries(table).flatMap(([id, rows]) => rows.map((row): [string, Row] => [id, row]));
}
