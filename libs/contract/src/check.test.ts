import type { Answers } from './answer-types.js';
import { type Failure, FAILURES } from './failures.js';
import type { AnswerSchema } from './answer-schema.js';
import { answerFaults } from './check.js';
import { isExecutable, openQuestions } from './register/register.js';

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

const words = '{ inWords: text that is not empty }';
const headerName = 'header must be a header name that HTTP, OpenAPI and Node.js leave free';
const componentName = 'letters, digits, dots, hyphens and underscores';
const milliseconds = 'a whole number of milliseconds from';
const names = `description?: text that is not empty, names?: { plant?, event?, payload?: ${componentName} }`;
const ownParts = 'must refer only to its own parts, such as #/$defs/Name';
const namePart = 'Name a part in $defs, and refer to it with $ref';
const freeStatus = 'a status from 400 to 599 that requires no other header field';
const httpsUrl = 'must be an absolute https URL without query and fragment ';

/** By question. */
const valid: Record<string, readonly unknown[]> = {
  'event-order': ['An example.'],
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
  expect(answerFaults({ [id]: answer })).toEqual([]);
});

test.each<Answers>([
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
  { payload: 'plant', 'plant-fields': named, 'event-payload-fields': dated },
  { payload: { plantField: 'plant' }, 'plant-fields': onlyNamed, 'event-payload-fields': dated },
  ...(['/plant/id', '/name'] as const).map((pointer): Answers => ({
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
  expect(answerFaults(answers)).toEqual([]);
});

/** By question: an answer, and a part of its first fault. */
const faulty: Record<string, readonly (readonly [answer: unknown, fault: string])[]> = {
  'event-order': [[' ', 'must be text that is not empty (got " ")']],
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
    ].map((address) => [address, httpsUrl] as const),
    ...['http://receiver.example', 'http://127.0.0.1.example/a', 'http://localhost.example'].map(
      (address) =>
        [address, `(plain http only to loopback: RFC 6750 §5.3); or ${words} (got "${address}")`] as const,
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
      `must be a media type without parameters, such as ${json}; or ${words} (got "text/plain; charset=utf-8")`,
    ],
  ],
  payload: [
    [
      { plantField: 'plant', names: { event: 'New Plant' } },
      `names.event must be ${componentName} (got "New Plant")`,
    ],
    [{ shape: 'plant', description: ' ' }, 'description must be text that is not empty (got " ")'],
    [{ plantField: '' }, 'plantField must be the name of a field (got "")'],
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
  const [first] = answerFaults({ [id]: answer });
  expect(first).toMatch(new RegExp(`^${id}: `));
  expect(first).toContain(fault);
  expect(first).not.toContain('user:password');
});

test.each<[Answers, string]>([
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
    { payload: 'plant', 'plant-fields': onlyNamed, 'event-payload-fields': dated },
    'plant-fields: must allow the fields of event-payload-fields',
  ],
  [
    { payload: 'plant', 'plant-fields': dated, 'event-payload-fields': onlyNamed },
    'event-payload-fields: must allow the fields of plant-fields',
  ],
  [
    {
      'event-identity': { pointer: '/a~1b/id' },
      payload: { plantField: 'p' },
      'event-payload-fields': onlyNamed,
    },
    'event-identity: points at the field a/b, which event-payload-fields does not allow',
  ],
  ...[onlyNamed, onlyFern].map((schema): [Answers, string] => [
    { 'event-identity': { pointer: '/id' }, payload: 'plant', 'plant-fields': schema },
    'event-identity: points at the field id, which plant-fields does not allow',
  ]),
])('a contradiction is in %j', (answers, fault) => {
  expect(answerFaults(answers)[0]).toContain(fault);
});

describe('schemas of a plant and its event that no payload can have together', () => {
  const sameObject = (id: string, field: string, reason: string): string =>
    `${id}: must allow the fields of ${id === 'plant-fields' ? 'event-payload-fields' : 'plant-fields'}, which are in the same object. It refuses ${field}, because ${reason}`;
  const strict = 'has additionalProperties: false';

  test.each<{ name: string; plant: object; event: object; fault: string }>([
    ...['anyOf', 'oneOf', 'allOf'].map((keyword) => ({
      name: `${keyword} of closed objects`,
      plant: { [keyword]: [closed('name', 'on'), closed('name')] },
      event: { properties: { on: {} } },
      fault: sameObject('plant-fields', 'on', `#/${keyword}/1 ${strict}`),
    })),
    {
      name: 'a closed object behind a reference in a choice',
      plant: { anyOf: [{ $ref: '#/$defs/Fern' }], $defs: { Fern: closed('name') } },
      event: { properties: { on: {} } },
      fault: sameObject('plant-fields', 'on', `#/$defs/Fern ${strict}`),
    },
    {
      name: 'a schema that combines itself',
      plant: { anyOf: [{ $ref: '#' }, closed('name')] },
      event: { properties: { on: {} } },
      fault: sameObject('plant-fields', 'on', `#/anyOf/1 ${strict}`),
    },
    {
      name: 'a branch of a condition',
      plant: { properties: { name: {} } },
      event: { if: { required: ['on'] }, then: closed('on') },
      fault: sameObject('event-payload-fields', 'name', `#/then ${strict}`),
    },
    {
      name: 'a record of numbers',
      plant: { properties: { name: {} } },
      event: record({ type: 'number' }),
      fault: sameObject('event-payload-fields', 'name', '# has additionalProperties: {"type":"number"}'),
    },
    {
      name: 'a record beside a closed object',
      plant: closed('name'),
      event: record({}),
      fault: sameObject('plant-fields', 'some of them', `# ${strict}`),
    },
    {
      name: 'keys of a record',
      plant: { properties: { name: {} } },
      event: { propertyNames: { enum: ['on'] }, properties: { on: {} } },
      fault: sameObject('event-payload-fields', 'name', '# has propertyNames: {"enum":["on"]}'),
    },
    {
      name: 'a plant that is text',
      plant: { anyOf: [{ type: 'string' }, {}] },
      event: { properties: { on: {} } },
      fault:
        'plant-fields: must be an object, because the fields of the event are beside its own (#/anyOf/0 has the type string)',
    },
  ])('$name', ({ plant, event, fault }) => {
    const schemas = {
      'plant-fields': schemaOf({ ...plant }),
      'event-payload-fields': schemaOf({ ...event }),
    };
    expect(answerFaults({ payload: 'plant', ...schemas })).toEqual([fault]);
  });

  test.each<{ name: string; event: object; reason: string }>([
    { name: 'a choice of closed events', event: { anyOf: [closed('on')] }, reason: `#/anyOf/0 ${strict}` },
    {
      name: 'a record',
      event: record({ type: 'number' }),
      reason: '# has additionalProperties: {"type":"number"}',
    },
    {
      name: 'a closed event with a bound',
      event: { ...closed('on'), minProperties: 1 },
      reason: `# ${strict}`,
    },
  ])('$name beside the field of the plant', ({ event, reason }) => {
    const answers = { payload: { plantField: 'plant' }, 'event-payload-fields': schemaOf({ ...event }) };
    expect(answerFaults(answers)).toEqual([
      `event-payload-fields: must be one object, or allow the field plant, which is beside its fields (${reason})`,
    ]);
  });

  test('an event that is no object', () => {
    const event = schemaOf({ type: ['object', 'null'] });
    expect(answerFaults({ payload: { plantField: 'plant' }, 'event-payload-fields': event })).toEqual([
      'event-payload-fields: must be an object, because its fields are beside the plant (# has the type object, null)',
    ]);
  });

  test('a choice is no contradiction if each branch allows the fields of the other schema', () => {
    const plant = schemaOf({ oneOf: [closed('name', 'on', 'size'), { properties: { size: {} } }] });
    const event = schemaOf({
      properties: { on: {} },
      patternProperties: { '^x-': {} },
      propertyNames: { type: 'string' },
      ...record({}),
    });
    const fields = { 'plant-fields': plant, 'event-payload-fields': schemaOf(closed('on', 'name', 'size')) };
    expect(answerFaults({ payload: 'plant', ...fields })).toEqual([]);
    expect(answerFaults({ payload: { plantField: 'plant' }, 'event-payload-fields': event })).toEqual([]);
  });
});

/** By question: what the compiler refuses, and JavaScript can pass all the same, with a part of each fault. */
const mistyped: Record<string, readonly (readonly [answer: unknown, ...faults: readonly string[]])[]> = {
  'plant-colour': [['green', 'is not a question of OPEN_QUESTIONS.md']],
  'http-method': [
    [undefined, `must be "POST" | "PUT" | "PATCH"; or ${words} (got undefined)`],
    ['GET', '(got "GET")'],
    [['POST'], '(got a list)'],
    [() => 'POST', '(got a function)'],
    ['x'.repeat(50), `(got "${'x'.repeat(39)}…")`],
    [{ inWords: 'any', method: 'POST' }, 'method is unknown', 'must be "POST"'],
  ],
  'size-limits': [
    ['1000', `must be a whole number of bytes from 1 to 400,000,000; or ${words} (got "1000")`],
  ],
  'rate-limits': [[null, 'seconds: a number above 0 }; or ']],
  'event-order': [[{ inWords: 'none' }, 'must be text that is not empty (got an object with inWords)']],
  'receiver-response': [
    [
      'any 2xx',
      'must be { status: 204 | 205, description: text that is not empty }; or { status: 200 | 201 |',
    ],
  ],
  payload: [
    [
      { plantfield: 'plant' },
      `must be "plant"; or { shape: "plant", ${names} }; or { plantField: the name of a field, ${names} }; or ${words} (got an object with plantfield)`,
    ],
  ],
  'event-identity': [[{ header: 'id', pointer: '/id' }, '(got an object with header, pointer)']],
  retry: [
    [
      { delays: [1, '2'], statuses: 'some', withoutResponse: 1 },
      'delays[1] must be a number (got "2")',
      'statuses must be "all" or a list of statuses (got "some")',
      'withoutResponse must be true or false (got 1)',
      `must be { delays: [${milliseconds} 0 to 2,147,483,647, …], statuses: "all" or a list of statuses, withoutResponse: true or false }; or ${words}`,
    ],
  ],
  signing: [
    [{ inWords: ' ' }, 'inWords must be text that is not empty (got " ")'],
    [
      { algorithm: 'md5', signed: 'content', signature: 'x-signature', timestamp: { header: 'x' } },
      'algorithm must be "hmac-sha256" | "hmac-sha512" (got "md5")',
      'signed must be a list (got "content")',
      'separator is missing',
      'signature must be an object (got "x-signature")',
      'timestamp.toleranceSeconds is missing',
      'key is missing',
      'must be { algorithm: "hmac-sha256" | "hmac-sha512", ',
    ],
  ],
  'status-codes': [
    [{ unavailable: 503 }, 'unavailable must be an object (got 503)', 'must be { '],
    [[], '(got a list)'],
  ],
  'error-codes': [
    [{ unavailable: undefined }, 'unavailable is missing', 'must be { '],
    [[], '(got a list)'],
  ],
  'error-payloads': [
    [
      { mediaType: json, fields: { a: 'title' } },
      'fields.a must be "status" | "code" | "description" (got "title")',
      'fields: { [text]: "status" | "code" | "description" }',
    ],
    [{ mediaType: json, fields: ['status'] }, 'fields must be an object (got a list)', 'must be { '],
  ],
  'plant-fields': [{ type: 'object' }, null, { '~standard': null }].map((schema) => [
    schema,
    `must be a Standard Schema, such as one of Zod, or what jsonSchema() of @plant-store/contract/json-schema makes of a JSON Schema; or ${words} (got `,
  ]),
  'event-payload-fields': [
    [
      { '~standard': { version: 1, vendor: 'valibot', validate: () => ({ value: 1 }) } },
      'must have a JSON Schema. Pass a schema of Valibot to toStandardJsonSchema()',
    ],
  ],
};

test.each(rowsOf(mistyped))('%s is refused with a line for each fault: %j', (id, [answer, ...faults]) => {
  const lines = answerFaults({ [id]: answer });
  expect(lines).toHaveLength(faults.length);
  for (const [index, line] of lines.entries()) {
    expect(line).toMatch(new RegExp(`^${id}: `));
    expect(line).toContain(faults[index]);
  }
});

describe('answers in words', () => {
  test.each(openQuestions.map(({ id }) => id).filter(isExecutable))('%s may have one', (id) => {
    expect(answerFaults({ [id]: { inWords: 'An example.' } })).toEqual([]);
  });

  test('are compared with no other answer', () => {
    const identity = { inWords: 'The first field.' };
    expect(answerFaults({ 'event-identity': identity, 'media-type': 'text/csv' })).toEqual([]);
    expect(answerFaults({ 'event-identity': identity, signing: signedEvent })).toEqual([
      'signing: signs the event id, so event-identity must be answered with a header',
    ]);
  });
});

function rowsOf<Row>(table: Record<string, readonly Row[]>): [id: string, row: Row][] {
  return Object.entries(table).flatMap(([id, rows]) => rows.map((row): [string, Row] => [id, row]));
}
