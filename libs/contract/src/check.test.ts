import { type Answers, isExecutable } from './answer-types.js';
import { type Failure, FAILURES } from './failures.js';
import type { AnswerSchema } from './answer-schema.js';
import { answerFaults } from './check.js';
import { kinds } from './kinds/kinds.js';
import { openQuestions } from './register/register.js';

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
const settled = [
  'credentials-missing',
  'credentials-malformed',
  'token-invalid',
  'path-unknown',
  'method-not-allowed',
];
function forEveryFailure<Value>(valueOf: (failure: string) => Value): Record<Failure, Value> {
  const names = Object.keys(FAILURES) as Failure[];
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Failure, Value>;
}
const light = { enum: ['sun', 'shade'] };
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

const words = '{ inWords: text that is not empty }';
const headerName = 'a header name that HTTP, OpenAPI and Node.js leave free';
const componentName = 'letters, digits, dots, hyphens and underscores';
const description = `description?: text that is not empty, names?: { plant?, event?, payload?: ${componentName} }`;

test('an empty set of answers has no fault', () => {
  expect(answerFaults({})).toEqual([]);
});

test.each<[string, Answers]>([
  ['text', { 'event-order': 'An example.' }],
  ['a realm', { 'authentication-realm': 'plants of the "store"' }],
  ['a base address with a path', { 'base-address': 'https://receiver.example/base' }],
  ['a base address with a port', { 'base-address': 'HTTPS://receiver.example:8443' }],
  ['a base address of this machine', { 'base-address': 'http://127.0.0.1:3000/base' }],
  ['a base address of this machine by name', { 'base-address': 'http://localhost' }],
  ['a base address of this machine with IPv6', { 'base-address': 'http://[::1]:3000' }],
  [
    'error payloads of a JSON type',
    { 'error-payloads': { mediaType: 'application/problem+json', fields: { a: 'code' } } },
  ],
  [
    'error payloads of a JSON type of a vendor',
    { 'error-payloads': { mediaType: 'application/vnd.plant-store.v1+json', fields: { a: 'code' } } },
  ],
  [
    'error payloads that require the status, while status-codes is open',
    {
      'error-payloads': {
        mediaType: 'application/json',
        fields: { status: 'status' },
        required: ['status'],
      },
    },
  ],
  [
    'error payloads that require a code and a message, with one for every failure',
    {
      'error-payloads': {
        mediaType: 'application/json',
        fields: { code: 'code', message: 'description', status: 'status' },
        required: ['code', 'message'],
      },
      'error-codes': forEveryFailure(() => 'E'),
      'status-codes': forEveryFailure(
        (name) =>
          (settled.includes(name) ? { description: 'No.' } : { status: 400, description: 'No.' }) as never,
      ),
    },
  ],
  ['an identity in a header', { 'event-identity': { header: 'Event-Id' } }],
  ['an identity in the content', { 'event-identity': { pointer: '/id' } }],
  ['a prefix', { 'request-versioning': { pathPrefix: '/v1/plants' } }],
  ['no further attempt', { retry: { delays: [], statuses: [], withoutResponse: false } }],
  ['a further attempt after any status', { retry: { delays: [1], statuses: 'all', withoutResponse: false } }],
  ['a signature over the content', { signing }],
  [
    'a signature over the identity in a header',
    { signing: { ...signing, signed: ['event-id', 'content'] }, 'event-identity': { header: 'event-id' } },
  ],
  ['the largest size limit', { 'size-limits': 400_000_000 }],
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
    'fields of a plant that allows no others, in a field of its own',
    { payload: { plantField: 'plant' }, 'plant-fields': onlyNamed, 'event-payload-fields': dated },
  ],
  [
    'a payload with a description and names',
    {
      payload: {
        plantField: 'plant',
        description: 'A new plant.',
        names: { plant: 'Plant-1', event: 'New.Event', payload: 'New_Plant' },
      },
      'plant-fields': named,
      'event-payload-fields': dated,
    },
  ],
  ['a plant alone, with a description', { payload: { shape: 'plant', description: 'A new plant.' } }],
  [
    'a definition that plant and event share',
    {
      'plant-fields': schemaOf({ properties: { light: { $ref: '#/$defs/Light' } }, $defs: { Light: light } }),
      'event-payload-fields': schemaOf({ items: { $ref: '#/$defs/Light' }, $defs: { Light: light } }),
    },
  ],
  [
    'members that are undefined',
    {
      payload: { shape: 'plant', names: undefined },
      signing: { ...signing, timestamp: undefined },
    } as never,
  ],
  [
    'a field called $ref, and data with a reference',
    {
      'plant-fields': schemaOf({
        properties: { $ref: { const: { $ref: 'x' } }, $id: { default: { $id: 'x' } } },
      }),
    },
  ],
  [
    'references in examples and values, and names of fields in every keyword that has them',
    {
      'plant-fields': schemaOf({
        enum: [{ $ref: 'x' }],
        examples: [{ $ref: 'x' }],
        patternProperties: { $id: {} },
        dependentSchemas: { $anchor: {} },
      }),
    },
  ],
  [
    'a reference with an escaped name',
    { 'plant-fields': schemaOf({ properties: { 'a b': {} }, items: { $ref: '#/properties/a%20b' } }) },
  ],
  ['a schema that is a function', { 'plant-fields': Object.assign(() => {}, named) }],
  [
    'a retry after a success that does not acknowledge',
    {
      'receiver-response': { status: 201, description: 'Taken.' },
      retry: { delays: [1], statuses: [202], withoutResponse: true },
    },
  ],
])('%s has no fault', (_name, answers) => {
  expect(answerFaults(answers)).toEqual([]);
});

test.each<[string, Answers, string]>([
  ['text that says nothing', { 'event-order': ' ' }, 'event-order: must be text that is not empty (got " ")'],
  [
    'a realm with a line break',
    { 'authentication-realm': 'a\nb' },
    'authentication-realm: must be printable ASCII',
  ],
  [
    'a realm that ends with a space',
    { 'authentication-realm': 'plants ' },
    'authentication-realm: must be printable ASCII that neither begins nor ends with a space',
  ],
  ['a relative base address', { 'base-address': '/base' }, 'base-address: must be an absolute https URL'],
  [
    'a base address with a query',
    { 'base-address': 'https://receiver.example/?a' },
    'base-address: must be an absolute https URL',
  ],
  ...['https://receiver.example/a#b', 'https://receiver.example:', 'https://receiver.example:123456'].map(
    (address): [string, Answers, string] => [
      `the base address ${address}`,
      { 'base-address': address },
      'base-address: must be an absolute https URL without query and fragment ',
    ],
  ),
  [
    'a base address without a host',
    { 'base-address': 'https://[' },
    'base-address: must be an absolute https URL without query and fragment ',
  ],
  ...['http://receiver.example', 'http://127.0.0.1.example/a', 'http://localhost.example'].map(
    (address): [string, Answers, string] => [
      `the base address ${address}, which every sender refuses`,
      { 'base-address': address },
      `(plain http only to loopback: RFC 6750 §5.3); or { inWords: text that is not empty } (got "${address}")`,
    ],
  ),
  [
    'a code for an unknown failure',
    { 'error-codes': { sunburn: 'E1' } as never },
    'error-codes: sunburn is unknown',
  ],
  [
    'a response to an unknown failure',
    { 'status-codes': { sunburn: { status: 400, description: 'Too bright.' } } as never },
    'status-codes: sunburn is unknown',
  ],
  [
    'payloads that are not JSON',
    { 'error-payloads': { mediaType: 'text/plain', fields: { a: 'code' } } },
    'error-payloads: mediaType must be a media type of JSON, such as application/problem+json (got "text/plain")',
  ],
  [
    'payloads without a field',
    { 'error-payloads': { mediaType: 'application/json', fields: {} } },
    'error-payloads: fields must have at least one field',
  ],
  [
    'payloads that require a code, of which one is missing',
    {
      'error-payloads': { mediaType: 'application/json', fields: { error: 'code' }, required: ['error'] },
      'error-codes': Object.fromEntries(
        Object.entries(forEveryFailure(() => 'E')).filter(([name]) => name !== 'unavailable'),
      ),
    },
    'error-payloads: requires error, so error-codes must have a code for every failure (missing: unavailable)',
  ],
  [
    'payloads that require a message, while status-codes is open',
    {
      'error-payloads': {
        mediaType: 'application/json',
        fields: { message: 'description' },
        required: ['message'],
      },
    },
    'error-payloads: requires message, so status-codes must have a description for every failure (missing: credentials-missing, ',
  ],
  [
    'payloads that require a field that they do not have',
    { 'error-payloads': { mediaType: 'application/json', fields: { a: 'status' }, required: ['b'] } },
    'error-payloads: must have a field for each name in `required`',
  ],
  [
    'another status than a standard settles',
    { 'status-codes': { 'token-invalid': { status: 403, description: 'No.' } as never } },
    'status-codes: token-invalid.status must be left out, because a standard settles it (got 403)',
  ],
  [
    'a description without a status',
    { 'status-codes': { unavailable: { description: 'Later.' } as never } },
    'status-codes: unavailable.status is missing',
  ],
  [
    'an invalid header name',
    { 'event-identity': { header: 'event id' } },
    'event-identity: header must be a header name that HTTP, OpenAPI and Node.js leave free (got "event id")',
  ],
  [
    'a reserved header',
    { 'event-identity': { header: 'Authorization' } },
    'event-identity: header must be a header name that HTTP, OpenAPI and Node.js leave free (got "Authorization")',
  ],
  [
    'a schema without JSON Schema',
    { 'plant-fields': noJsonSchema },
    'plant-fields: must have a JSON Schema (a date has none)',
  ],
  [
    'a header of the connection',
    { 'event-identity': { header: 'Proxy-Connection' } },
    'leave free (got "Proxy-Connection")',
  ],
  ['a header that OpenAPI ignores', { 'event-identity': { header: 'Accept' } }, 'leave free (got "Accept")'],
  [
    'a header that Node.js does not read',
    { 'event-identity': { header: '__Proto__' } },
    'leave free (got "__Proto__")',
  ],
  [
    'a header that has several values',
    { 'event-identity': { header: 'Set-Cookie' } },
    'leave free (got "Set-Cookie")',
  ],
  [
    'a media type with a parameter',
    { 'media-type': 'text/plain; charset=utf-8' },
    'media-type: must be a media type without parameters, such as application/json; or { inWords: text that is not empty } (got "text/plain; charset=utf-8")',
  ],
  [
    'a schema that refers to another document',
    { 'plant-fields': schemaOf({ properties: { price: { $ref: 'https://schemas.example/price.json' } } }) },
    'plant-fields: must refer only to its own parts, such as #/$defs/Name (got "https://schemas.example/price.json")',
  ],
  [
    'a schema that refers to an anchor',
    { 'plant-fields': schemaOf({ items: { $ref: '#light' } }) },
    'plant-fields: must refer only to its own parts, such as #/$defs/Name (got "#light")',
  ],
  ...['$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef'].map(
    (keyword): [string, Answers, string] => [
      `a schema with ${keyword}`,
      { 'plant-fields': schemaOf({ items: { [keyword]: 'light' } }) },
      `plant-fields: must not have ${keyword}. Name a part in $defs, and refer to it with $ref`,
    ],
  ),
  [
    'a schema that refers to nothing',
    { 'plant-fields': schemaOf({ items: { $ref: '#/$defs/Lihgt' }, $defs: { Light: light } }) },
    'plant-fields: must refer only to its own parts, such as #/$defs/Name (got "#/$defs/Lihgt")',
  ],
  [
    'a schema with an $id',
    { 'event-payload-fields': schemaOf({ $id: 'https://schemas.example/event', type: 'object' }) },
    'event-payload-fields: must not have $id. Name a part in $defs, and refer to it with $ref',
  ],
  [
    'a definition whose name cannot be that of a component',
    { 'plant-fields': schemaOf({ $defs: { 'the light': light } }) },
    'plant-fields: must name the parts in $defs with letters, digits, dots, hyphens and underscores, for they become components (got "the light")',
  ],
  [
    'two definitions with one name',
    {
      'plant-fields': schemaOf({ $defs: { Light: light } }),
      'event-payload-fields': schemaOf({ $defs: { Light: { type: 'string' } } }),
    },
    'event-payload-fields: has a schema called Light, as plant-fields has. Name one of the two otherwise, in payload or in $defs',
  ],
  [
    'a definition with the name of the whole schema',
    { 'plant-fields': schemaOf({ type: 'object', $defs: { Plant: light } }) },
    'plant-fields: has a schema called Plant, as plant-fields has.',
  ],
  [
    'one name for plant and payload',
    { payload: { shape: 'plant', names: { plant: 'New', payload: 'New' } }, 'plant-fields': named },
    'payload: has a schema called New, as payload has.',
  ],
  [
    'the name of the error payload',
    {
      payload: { shape: 'plant', names: { plant: 'ErrorPayload' } },
      'plant-fields': named,
      'error-payloads': { mediaType: 'application/json', fields: { a: 'code' } },
    },
    'payload: has a schema called ErrorPayload, as error-payloads has.',
  ],
  [
    'an error payload with a name that plant-fields has',
    {
      'plant-fields': named,
      'error-payloads': { mediaType: 'application/json', fields: { a: 'code' }, name: 'Plant' },
    },
    'plant-fields: has a schema called Plant, as error-payloads has.',
  ],
  [
    'an error payload with a name that cannot be that of a component',
    { 'error-payloads': { mediaType: 'application/json', fields: { a: 'code' }, name: 'My Error' } },
    'error-payloads: name must be letters, digits, dots, hyphens and underscores (got "My Error")',
  ],
  [
    'a schema whose other fields are those that nothing evaluates',
    { 'plant-fields': schemaOf({ allOf: [{ properties: { name: {} } }], unevaluatedProperties: false }) },
    'plant-fields: must not have unevaluatedProperties. Name all fields in properties, and write additionalProperties: false',
  ],
  [
    'a name that cannot be that of a component',
    { payload: { plantField: 'plant', names: { event: 'New Plant' } } },
    'payload: names.event must be letters, digits, dots, hyphens and underscores (got "New Plant")',
  ],
  [
    'a description that says nothing',
    { payload: { shape: 'plant', description: ' ' } },
    'payload: description must be text that is not empty (got " ")',
  ],
  [
    'an identity in a plant that does not allow it, whose schema is a definition',
    {
      'event-identity': { pointer: '/id' },
      payload: { shape: 'plant' },
      'plant-fields': schemaOf({
        $ref: '#/$defs/Fern',
        $defs: { Fern: { properties: { name: {} }, additionalProperties: false } },
      }),
    },
    'event-identity: points at the field id, which plant-fields does not allow',
  ],
  [
    'a field without a name',
    { payload: { plantField: '' } },
    'payload: plantField must be the name of a field (got "")',
  ],
  [
    'a rate of no deliveries',
    { 'rate-limits': { deliveries: 0, seconds: 1 } },
    'rate-limits: deliveries must be a whole number from 1 to 1,000,000 (got 0)',
  ],
  [
    'a rate in no time',
    { 'rate-limits': { deliveries: 1, seconds: 0 } },
    'rate-limits: seconds must be a number above 0 (got 0)',
  ],
  [
    'a rate in endless time',
    { 'rate-limits': { deliveries: 1, seconds: Infinity } },
    'rate-limits: seconds must be a number above 0 (got Infinity)',
  ],
  [
    'a response whose media type is invalid',
    {
      'receiver-response': { status: 200, description: 'Taken.', content: { mediaType: 'json', text: '{}' } },
    },
    'receiver-response: content.mediaType must be a media type',
  ],
  [
    'a response whose JSON is invalid',
    {
      'receiver-response': {
        status: 200,
        description: 'Taken.',
        content: { mediaType: 'application/json', text: 'ok' },
      },
    },
    'receiver-response: content must have a text that is JSON',
  ],
  [
    'a version that is empty',
    { 'request-versioning': { header: 'version', value: '' } },
    'request-versioning: value must be printable ASCII',
  ],
  [
    'a prefix with a slash at its end',
    { 'request-versioning': { pathPrefix: '/v1/' } },
    'request-versioning: pathPrefix must be one or more plain path segments',
  ],
  [
    'a wait of half a millisecond',
    { retry: { delays: [0.5], statuses: 'all', withoutResponse: true } },
    'retry: delays[0] must be a whole number of milliseconds from 0 to 2,147,483,647',
  ],
  [
    'a retry after an invalid status',
    { retry: { delays: [1], statuses: [42], withoutResponse: true } },
    'retry: statuses[0] must be a whole number from 100 to 599 (got 42)',
  ],
  [
    'a signature over nothing',
    { signing: { ...signing, signed: [] } },
    'signing: signed must include the content',
  ],
  [
    'a signature over a time that is not sent',
    { signing: { ...signing, signed: ['timestamp', 'content'] } },
    'signing: signs the timestamp, so `timestamp` must name its header',
  ],
  [
    'a signature over an identity that is open',
    { signing: { ...signing, signed: ['event-id', 'content'] } },
    'signing: signs the event id, so event-identity must be answered with a header',
  ],
  [
    'a signature over an identity in the content',
    { signing: { ...signing, signed: ['event-id', 'content'] }, 'event-identity': { pointer: '/id' } },
    'signing: signs the event id, so event-identity must be answered with a header',
  ],
  [
    'a base address with credentials',
    { 'base-address': 'https://user:password@receiver.example' },
    'base-address: must not contain credentials',
  ],
  [
    'a base address of this machine with credentials, without quoting the password',
    { 'base-address': 'http://user:password@127.0.0.1' },
    'base-address: must not contain credentials, because it is published',
  ],
  [
    'a base address with credentials and a query, without quoting the password',
    { 'base-address': 'https://user:password@receiver.example/?a' },
    'base-address: must not contain credentials, because it is published',
  ],
  [
    'an empty code',
    { 'error-codes': { unavailable: '' } },
    'error-codes: unavailable must be text that is not empty (got "")',
  ],
  [
    'payloads of a type with a parameter',
    { 'error-payloads': { mediaType: 'application/json;a=b', fields: { a: 'code' } } },
    'error-payloads: mediaType must be a media type without parameters',
  ],
  [
    'a pointer to all of the content',
    { 'event-identity': { pointer: '' as '/' } },
    'event-identity: pointer must be a JSON Pointer to a field',
  ],
  [
    'a pointer with a tilde by itself',
    { 'event-identity': { pointer: '/a~b' } },
    'event-identity: pointer must be a JSON Pointer to a field',
  ],
  [
    'a response without a description',
    { 'receiver-response': { status: 202, description: ' ' } },
    'receiver-response: description must be text that is not empty (got " ")',
  ],
  ...[204, 205].map((status): [string, Answers, string] => [
    `content in a ${status} response`,
    {
      'receiver-response': {
        status: status as 200,
        description: 'Taken.',
        content: { mediaType: 'text/plain', text: 'ok' },
      },
    },
    'receiver-response: content must be left out, because a 204 or 205 response has none (got an object with mediaType, text)',
  ]),
  ...['/..', '/v1/./a', '/:version', '/*', '/(v1)', '/v%31', '//v1'].map(
    (pathPrefix): [string, Answers, string] => [
      `the path prefix ${pathPrefix}`,
      { 'request-versioning': { pathPrefix: pathPrefix as '/' } },
      'request-versioning: pathPrefix must be one or more plain path segments',
    ],
  ),
  [
    'a wait that is too long for a timer',
    { retry: { delays: [2 ** 31], statuses: 'all', withoutResponse: true } },
    'retry: delays[0] must be a whole number of milliseconds from 0 to 2,147,483,647',
  ],
  [
    'a signature in an invalid header',
    { signing: { ...signing, signature: { ...signing.signature, header: 'a b' } } },
    'signing: signature.header must be a header name',
  ],
  [
    'a time in a reserved header',
    { signing: { ...signing, timestamp: { header: 'Host', toleranceSeconds: 1 } } },
    'signing: timestamp.header must be a header name',
  ],
  [
    'a signature whose prefix has a space',
    { signing: { ...signing, signature: { ...signing.signature, prefix: 'a b' } } },
    'signing: signature.prefix must be printable ASCII without spaces',
  ],
  ...['a b', 'v1,', ' v1', '#v1', 'ä'].map((prefix): [string, Answers, string] => [
    `a prefix of keys that no list or file of keys can have: ${prefix}`,
    { signing: { ...signing, key: { ...signing.key, prefix } } },
    'signing: key.prefix must be printable ASCII without spaces and commas that does not begin with #',
  ]),
  [
    'an invalid tolerance',
    { signing: { ...signing, timestamp: { header: 'time', toleranceSeconds: NaN } } },
    'signing: timestamp.toleranceSeconds must be a number (got NaN)',
  ],
  [
    'one header for two answers',
    { 'event-identity': { header: 'Event' }, 'request-versioning': { header: 'event', value: '1' } },
    'request-versioning: cannot use the header event, because event-identity uses it',
  ],
  [
    'one header for signature and time',
    { signing: { ...signing, timestamp: { header: 'Example-Signature', toleranceSeconds: 1 } } },
    'signing: cannot use the header Example-Signature, because signing uses it',
  ],
  [
    'an identity in content that is not JSON',
    { 'event-identity': { pointer: '/id' }, 'media-type': 'text/csv' },
    'event-identity: a pointer needs JSON content, but media-type is text/csv',
  ],
  [
    'a plant in a field that the event has',
    { payload: { plantField: 'addedOn' }, 'event-payload-fields': dated },
    'payload: plantField cannot be addedOn',
  ],
  [
    'a plant that allows no field of the event beside its own',
    { payload: 'plant', 'plant-fields': onlyNamed, 'event-payload-fields': dated },
    'plant-fields: must allow the fields of event-payload-fields',
  ],
  [
    'an event that allows no field of the plant beside its own',
    { payload: 'plant', 'plant-fields': dated, 'event-payload-fields': onlyNamed },
    'event-payload-fields: must allow the fields of plant-fields',
  ],
  [
    'an identity in an event that does not allow it',
    {
      'event-identity': { pointer: '/a~1b/id' },
      payload: { plantField: 'plant' },
      'event-payload-fields': onlyNamed,
    },
    'event-identity: points at the field a/b, which event-payload-fields does not allow',
  ],
  [
    'an identity in a plant that does not allow it',
    { 'event-identity': { pointer: '/id' }, payload: 'plant', 'plant-fields': onlyNamed },
    'event-identity: points at the field id, which plant-fields does not allow',
  ],
  [
    'a retry after an acknowledgement',
    { retry: { delays: [1], statuses: [204, 503], withoutResponse: true } },
    'retry: statuses must not include 204',
  ],
  ...[401, 405, 407, 426].map((status): [string, Answers, string] => [
    `a ${status} without its field`,
    { 'status-codes': { 'signature-invalid': { status, description: 'Not signed.' } } },
    `status-codes: signature-invalid.status must be a status from 400 to 599 that requires no other header field (got ${status})`,
  ]),
  [
    'a size above the maximum',
    { 'size-limits': 500_000_001 },
    'size-limits: must be a whole number of bytes from 1 to 400,000,000',
  ],
  [
    'a time-out that is too long for a timer',
    { 'time-outs': { delivery: 2 ** 31, response: 1 } },
    'time-outs: delivery must be a whole number of milliseconds from 1 to 2,147,483,647',
  ],
  ['a size of nothing', { 'size-limits': 0 }, 'size-limits: must be a whole number of bytes'],
  [
    'a success for a failure',
    { 'status-codes': { unavailable: { status: 200, description: 'Fine.' } } },
    'status-codes: unavailable.status must be a status from 400 to 599 that requires no other header field (got 200)',
  ],
  [
    'a status without a description',
    { 'status-codes': { unavailable: { status: 503, description: '' } } },
    'status-codes: unavailable.description must be text that is not empty (got "")',
  ],
  [
    'a time-out of nothing',
    { 'time-outs': { delivery: 0, response: 1 } },
    'time-outs: delivery must be a whole number of milliseconds from 1 to 2,147,483,647',
  ],
  [
    'a response in no time',
    { 'time-outs': { delivery: 1, response: 0 } },
    'time-outs: response must be a whole number of milliseconds from 1 to 2,147,483,647',
  ],
  [
    'an invalid pattern',
    { 'token-format': { name: 'JWT', pattern: '(' } },
    'token-format: pattern must be a regular expression',
  ],
  [
    'a pattern that is empty, and so matches everything',
    { 'token-format': { name: 'JWT', pattern: '' } },
    'token-format: pattern must be a regular expression that is not empty',
  ],
])('%s has a fault', (_name, answers, fault) => {
  expect(answerFaults(answers)[0]).toContain(fault);
});

/** The compiler refuses these. JavaScript, and `as any`, can pass them all the same. */
test.each<[string, Record<string, unknown>, string[]]>([
  [
    'a question that is not in the register',
    { 'plant-colour': 'green' },
    ['plant-colour: is not a question of the register'],
  ],
  ...[undefined, 'GET', ['POST'], () => 'POST'].map((value): [string, Record<string, unknown>, string[]] => [
    `a method of another type: ${typeof value}`,
    { 'http-method': value },
    [
      `http-method: must be "POST" | "PUT" | "PATCH"; or ${words} (got ${{ undefined: 'undefined', string: '"GET"', object: 'a list', function: 'a function' }[typeof value as string]})`,
    ],
  ]),
  [
    'a word that is long',
    { 'http-method': 'x'.repeat(50) },
    [`http-method: must be "POST" | "PUT" | "PATCH"; or ${words} (got "${'x'.repeat(39)}…")`],
  ],
  [
    'text instead of a number',
    { 'size-limits': '1000' },
    [`size-limits: must be a whole number of bytes from 1 to 400,000,000; or ${words} (got "1000")`],
  ],
  [
    'null instead of an object',
    { 'rate-limits': null },
    [
      `rate-limits: must be { deliveries: a whole number from 1 to 1,000,000, seconds: a number above 0 }; or ${words} (got null)`,
    ],
  ],
  [
    'an object instead of words',
    { 'event-order': { inWords: 'none' } },
    ['event-order: must be text that is not empty (got an object with inWords)'],
  ],
  [
    'words that say nothing',
    { signing: { inWords: ' ' } },
    ['signing: inWords must be text that is not empty (got " ")'],
  ],
  [
    'words and something else',
    { 'http-method': { inWords: 'any', method: 'POST' } },
    ['http-method: method is unknown', `http-method: must be "POST" | "PUT" | "PATCH"; or ${words}`],
  ],
  [
    'a value for each of several forms',
    { 'receiver-response': 'any 2xx' },
    [
      `receiver-response: must be { status: 204 | 205, description: text that is not empty }; or { status: 200 | 201 | 202 | 203, description: text that is not empty, content?: { mediaType: a media type without parameters, such as application/json, text: text } }; or ${words} (got "any 2xx")`,
    ],
  ],
  [
    'a member of another name',
    { payload: { plantfield: 'plant' } },
    [
      `payload: must be "plant"; or { shape: "plant", ${description} }; or { plantField: the name of a field, ${description} }; or ${words} (got an object with plantfield)`,
    ],
  ],
  [
    'both forms of an identity',
    { 'event-identity': { header: 'id', pointer: '/id' } },
    [
      `event-identity: must be { header: ${headerName} }; or { pointer: a JSON Pointer to a field, such as /id }; or ${words} (got an object with header, pointer)`,
    ],
  ],
  [
    'members of other types',
    { retry: { delays: [1, '2'], statuses: 'some', withoutResponse: 1 } },
    [
      'retry: delays[1] must be a number (got "2")',
      'retry: statuses must be "all" or a list of statuses (got "some")',
      'retry: withoutResponse must be true or false (got 1)',
      `retry: must be { delays: [a whole number of milliseconds from 0 to 2,147,483,647, …], statuses: "all" or a list of statuses, withoutResponse: true or false }; or ${words}`,
    ],
  ],
  [
    'half a signing scheme',
    {
      signing: { algorithm: 'md5', signed: 'content', signature: 'x-signature', timestamp: { header: 'x' } },
    },
    [
      'signing: algorithm must be "hmac-sha256" | "hmac-sha512" (got "md5")',
      'signing: signed must be a list (got "content")',
      'signing: separator is missing',
      'signing: signature must be an object (got "x-signature")',
      'signing: timestamp.toleranceSeconds is missing',
      'signing: key is missing',
      expect.stringContaining('signing: must be { algorithm: "hmac-sha256" | "hmac-sha512", ') as string,
    ],
  ],
  [
    'a failure without a response',
    { 'status-codes': { unavailable: 503 } },
    [
      'status-codes: unavailable must be an object (got 503)',
      expect.stringContaining('status-codes: must be { ') as string,
    ],
  ],
  [
    'a failure whose response is undefined',
    { 'error-codes': { unavailable: undefined } },
    ['error-codes: unavailable is missing', expect.stringContaining('error-codes: must be { ') as string],
  ],
  [
    'a field that means nothing',
    { 'error-payloads': { mediaType: 'application/json', fields: { a: 'title' } } },
    [
      'error-payloads: fields.a must be "status" | "code" | "description" (got "title")',
      expect.stringContaining('fields: { [text]: "status" | "code" | "description" }') as string,
    ],
  ],
  ...[
    { 'status-codes': [] },
    { 'error-codes': [] },
    { 'error-payloads': { mediaType: 'application/json', fields: ['status'] } },
  ].map((given): [string, Record<string, unknown>, string[]] => [
    `a list instead of an object: ${JSON.stringify(given)}`,
    given,
    expect.arrayContaining([expect.stringContaining('(got a list)')]) as string[],
  ]),
  ...['plant-fields', 'event-payload-fields'].flatMap((id) =>
    [{ type: 'object' }, null, { '~standard': null }].map(
      (schema): [string, Record<string, unknown>, string[]] => [
        `${id} of something else than a Standard Schema: ${JSON.stringify(schema)}`,
        { [id]: schema },
        [
          expect.stringContaining(
            `${id}: must be a Standard Schema, such as one of Zod, or what jsonSchema() of @plant-store/contract/json-schema makes of a JSON Schema; or ${words} (got `,
          ) as string,
        ],
      ],
    ),
  ),
  [
    'a schema of Valibot without its JSON Schema',
    {
      'event-payload-fields': {
        '~standard': { version: 1, vendor: 'valibot', validate: () => ({ value: 1 }) },
      },
    },
    [
      expect.stringContaining(
        'event-payload-fields: must have a JSON Schema. Pass a schema of Valibot to toStandardJsonSchema()',
      ) as string,
    ],
  ],
])('%s is refused, with a line for each fault', (_name, answers, faults) => {
  expect(answerFaults(answers as Answers)).toEqual(faults);
});

describe('answers in words', () => {
  test.each(openQuestions.map(({ id }) => id).filter(isExecutable))('%s may have one', (id) => {
    expect(answerFaults({ [id]: { inWords: 'An example.' } })).toEqual([]);
  });

  test('are compared with no other answer', () => {
    const identity = { inWords: 'The first field.' };
    expect(answerFaults({ 'event-identity': identity, 'media-type': 'text/csv' })).toEqual([]);
    expect(
      answerFaults({ 'event-identity': identity, signing: { ...signing, signed: ['event-id', 'content'] } }),
    ).toEqual(['signing: signs the event id, so event-identity must be answered with a header']);
  });
});

test('the executable questions are those that have a kind', () => {
  const executable = openQuestions.map(({ id }) => id).filter(isExecutable);
  expect(executable.toSorted()).toEqual(Object.keys(kinds).toSorted());
});
