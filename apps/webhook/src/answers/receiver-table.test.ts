import 'reflect-metadata';

import type { Accepts, Answers, AnswerSchema, ExecutableId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { type ReceivedResponse, runReceiver, type Sent } from '../../test/run-receiver.js';
import { composeAnswers } from './compose-answers.js';

/** A request, the response to it while everything is open, and the response once these answers are given. */
interface Case {
  readonly name: string;
  readonly given: Answers;
  readonly sent: Sent;
  readonly open: Partial<ReceivedResponse>;
  readonly answered: Partial<ReceivedResponse>;
}

const taken: ReceivedResponse = { status: 204, fields: {}, content: '' };
const refused = (status: number, fields: Record<string, string> = {}): ReceivedResponse => ({
  status,
  fields,
  content: '',
});
const pick = <Id extends ExecutableId>(...ids: Id[]): Pick<typeof exampleAnswers, Id> =>
  Object.fromEntries(ids.map((id) => [id, exampleAnswers[id]])) as never;

const JSON_FIELDS = { 'content-type': 'application/json' };
const json = (value: unknown): Sent => ({ fields: JSON_FIELDS, content: JSON.stringify(value) });
const plant = { name: 'Fern' };
const event = { plant, addedOn: '2026-01-31' };

const inJson = pick('media-type', 'payload');
const withPlant = { ...inJson, ...pick('plant-fields') };
const withEvent = { ...inJson, ...pick('event-payload-fields') };
const plantAlone: Answers = { ...withPlant, payload: 'plant' };

/** An asynchronous schema that accepts ferns alone. */
const slowSchema: AnswerSchema = {
  '~standard': {
    version: 1,
    vendor: 'this test',
    validate: async (value) =>
      (value as typeof plant).name === 'Fern' ? { value } : { issues: [{ message: 'no fern' }] },
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
};

const errorPayloads = pick('error-payloads', 'error-codes', 'status-codes');
const problem = (status: number, content: object, fields = {}): ReceivedResponse => ({
  status,
  fields: { 'content-type': 'application/problem+json', ...fields },
  content: JSON.stringify(content),
});

/** Each request is sent to a receiver without answers and to one with them. */
const cases: { readonly [Id in ExecutableId]: readonly Case[] } = {
  'http-method': [
    {
      name: 'another method',
      given: pick('http-method'),
      sent: { method: 'POST' },
      open: taken,
      answered: refused(405, { allow: 'PUT' }),
    },
    {
      name: 'a method without content',
      given: pick('http-method'),
      sent: { method: 'DELETE' },
      open: refused(405, { allow: 'POST, PUT, PATCH' }),
      answered: refused(405, { allow: 'PUT' }),
    },
    { name: 'the method', given: pick('http-method'), sent: {}, open: taken, answered: taken },
  ],
  'media-type': [
    ...[
      { name: 'another type', type: 'text/plain' },
      { name: 'a longer type', type: 'application/json-seq' },
      { name: 'a shorter type', type: 'application' },
      { name: 'another type of JSON', type: 'application/vnd.example+json' },
      { name: 'no type', type: undefined },
    ].map(({ name, type }) => ({
      name,
      given: pick('media-type'),
      sent: { fields: { 'content-type': type } },
      open: taken,
      answered: refused(415),
    })),
    ...[
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json ;a=b',
    ].map((type) => ({
      name: type,
      given: pick('media-type'),
      sent: { fields: { 'content-type': type } },
      open: taken,
      answered: taken,
    })),
    {
      name: 'encoded content that need not be parsed',
      given: pick('media-type'),
      sent: { fields: { ...JSON_FIELDS, 'content-encoding': 'gzip' } },
      open: taken,
      answered: taken,
    },
  ],
  payload: [
    ...[
      { name: 'no JSON', content: '{' },
      { name: 'nothing but space', content: ' ' },
      { name: 'a byte order mark', content: `\ufeff${JSON.stringify(event)}` },
      { name: 'JSON that is no UTF-8', content: Buffer.from(`{"plant":"\u00e9"}`, 'latin1') },
    ].map(({ name, content }) => ({
      name,
      given: inJson,
      sent: { fields: JSON_FIELDS, content },
      open: taken,
      answered: refused(400),
    })),
    ...[null, [], [plant], 'plant', 1, {}, plant].map((value) => ({
      name: `no plant under its field: ${JSON.stringify(value)}`,
      given: inJson,
      sent: json(value),
      open: taken,
      answered: refused(422),
    })),
    {
      name: 'anything under the field of the plant, while its fields are open',
      given: inJson,
      sent: json({ plant: null }),
      open: taken,
      answered: taken,
    },
    {
      name: 'any JSON, where the plant is all and its fields are open',
      given: { ...inJson, payload: 'plant' },
      sent: json(null),
      open: taken,
      answered: taken,
    },
    {
      name: 'no JSON, while the media type is open',
      given: pick('payload', 'plant-fields'),
      sent: { fields: JSON_FIELDS },
      open: taken,
      answered: taken,
    },
    {
      name: 'another media type than JSON, which is not parsed',
      given: { ...inJson, 'media-type': 'text/plain' },
      sent: { fields: { 'content-type': 'text/plain' } },
      open: taken,
      answered: taken,
    },
    {
      name: 'content that is encoded',
      given: inJson,
      sent: { fields: { ...JSON_FIELDS, 'content-encoding': 'gzip' } },
      open: taken,
      answered: refused(415, { 'accept-encoding': 'identity' }),
    },
    {
      name: 'content with the encoding identity',
      given: inJson,
      sent: { ...json(event), fields: { ...JSON_FIELDS, 'content-encoding': 'Identity' } },
      open: taken,
      answered: taken,
    },
  ],
  'plant-fields': [
    {
      name: 'a plant that its schema refuses',
      given: withPlant,
      sent: json({ plant: { name: '' } }),
      open: taken,
      answered: refused(422),
    },
    { name: 'a plant', given: withPlant, sent: json({ plant }), open: taken, answered: taken },
    { name: 'a plant that is all', given: plantAlone, sent: json(plant), open: taken, answered: taken },
    {
      name: 'a plant that is not all',
      given: plantAlone,
      sent: json(event),
      open: taken,
      answered: refused(422),
    },
    {
      name: 'an asynchronous schema that refuses',
      given: { ...inJson, 'plant-fields': slowSchema },
      sent: json({ plant: { name: 'Rose' } }),
      open: taken,
      answered: refused(422),
    },
    {
      name: 'an asynchronous schema that accepts',
      given: { ...inJson, 'plant-fields': slowSchema },
      sent: json({ plant }),
      open: taken,
      answered: taken,
    },
    {
      name: 'an asynchronous schema, although that of the event refuses at once',
      given: { ...withEvent, 'plant-fields': slowSchema },
      sent: json({ plant }),
      open: taken,
      answered: refused(422),
    },
    {
      name: 'a plant that its schema refuses, while its place is open',
      given: pick('media-type', 'plant-fields'),
      sent: json({ plant: { name: '' } }),
      open: taken,
      answered: taken,
    },
  ],
  'event-payload-fields': [
    {
      name: 'a field of the event that its schema refuses',
      given: withEvent,
      sent: json({ ...event, addedOn: 'today' }),
      open: taken,
      answered: refused(422),
    },
    { name: 'an event', given: withEvent, sent: json(event), open: taken, answered: taken },
    {
      name: 'a field of the event beside those of the plant',
      given: { ...withEvent, ...plantAlone },
      sent: json({ ...plant, addedOn: '2026-01-31' }),
      open: taken,
      answered: taken,
    },
    {
      name: 'a field of the event that is missing beside those of the plant',
      given: { ...withEvent, ...plantAlone },
      sent: json(plant),
      open: taken,
      answered: refused(422),
    },
  ],
  'receiver-response': [
    {
      name: 'a delivery',
      given: pick('receiver-response'),
      sent: {},
      open: taken,
      answered: { status: 200, fields: JSON_FIELDS, content: '{"taken":true}' },
    },
    {
      name: 'a delivery, with a response without content',
      given: { 'receiver-response': { status: 202, description: 'arbitrary' } },
      sent: {},
      open: taken,
      answered: { ...taken, status: 202 },
    },
  ],
  'status-codes': [
    {
      name: 'a failure whose status was answered',
      given: { 'status-codes': { 'content-missing': { status: 411, description: 'arbitrary' } } },
      sent: { content: '' },
      open: refused(400),
      answered: refused(411),
    },
    {
      name: 'another failure',
      given: { 'status-codes': { 'content-too-large': { status: 400, description: 'arbitrary' } } },
      sent: { content: '' },
      open: refused(400),
      answered: refused(400),
    },
  ],
  'error-codes': [
    {
      name: 'a failure, while the place of its code is open',
      given: pick('error-codes'),
      sent: { fields: { authorization: 'Bearer another' } },
      open: refused(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
      answered: refused(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
    },
    {
      name: 'a failure with a code',
      given: errorPayloads,
      sent: { fields: { authorization: 'Bearer another' } },
      open: refused(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
      answered: problem(
        401,
        { status: 401, code: 'EXAMPLE_TOKEN' },
        { 'www-authenticate': 'Bearer error="invalid_token"' },
      ),
    },
  ],
  'error-payloads': [
    {
      name: 'another path',
      given: errorPayloads,
      sent: { path: '/' },
      open: refused(404),
      answered: problem(404, { status: 404 }),
    },
    {
      name: 'another method',
      given: errorPayloads,
      sent: { method: 'DELETE' },
      open: refused(405, { allow: 'POST, PUT, PATCH' }),
      answered: problem(405, { status: 405 }, { allow: 'POST, PUT, PATCH' }),
    },
    {
      name: 'HEAD, which has no content whatever it asks for',
      given: errorPayloads,
      sent: { method: 'HEAD', path: '/', content: '' },
      open: refused(404),
      answered: { ...problem(404, {}), content: '' },
    },
    {
      name: 'no credentials',
      given: errorPayloads,
      sent: { fields: { authorization: undefined } },
      open: refused(401, { 'www-authenticate': 'Bearer' }),
      answered: problem(401, { status: 401 }, { 'www-authenticate': 'Bearer' }),
    },
    {
      name: 'no content',
      given: errorPayloads,
      sent: { content: '' },
      open: refused(400),
      answered: problem(400, { status: 400 }),
    },
    {
      name: 'a failure with everything that is known about one',
      given: { ...withPlant, ...errorPayloads },
      sent: json({ plant: {} }),
      open: taken,
      answered: problem(409, {
        status: 409,
        title: 'The plant is not as agreed.',
        code: 'EXAMPLE_PLANT',
      }),
    },
    { name: 'a delivery', given: errorPayloads, sent: {}, open: taken, answered: taken },
  ],
  'event-identity': [
    {
      name: 'an event without the field',
      given: pick('event-identity'),
      sent: {},
      open: taken,
      answered: refused(400),
    },
    {
      name: 'an event with an empty field',
      given: pick('event-identity'),
      sent: { fields: { 'webhook-id': '' } },
      open: taken,
      answered: refused(400),
    },
    {
      name: 'an event with its field',
      given: pick('event-identity'),
      sent: { fields: { 'Webhook-ID': 'one' } },
      open: taken,
      answered: taken,
    },
    ...[
      {},
      { id: '' },
      { id: null },
      { id: true },
      { id: ['one'] },
      { id: 2 ** 53 },
      { id: 'a\0' },
      { id: '\ud800' },
      'id',
    ].map((value) => ({
      name: `no identifier in the content: ${JSON.stringify(value)}`,
      given: { 'event-identity': { pointer: '/id' } } as const,
      sent: { content: JSON.stringify(value) },
      open: taken,
      answered: refused(400),
    })),
    {
      name: 'content that is not JSON, without an identifier',
      given: { 'event-identity': { pointer: '/id' } },
      sent: {},
      open: taken,
      answered: refused(400),
    },
  ],
  signing: [
    ...[
      { name: 'no signature', fields: {} },
      { name: 'a signature of another kind', fields: { 'webhook-signature': 'v1a,arbitrary' } },
      { name: 'a wrong signature', fields: { 'webhook-signature': 'v1,arbitrary' } },
      { name: 'an empty signature', fields: { 'webhook-signature': 'v1,' } },
    ].map(({ name, fields }) => ({
      name,
      given: pick('signing', 'event-identity'),
      sent: { fields: { 'webhook-id': 'one', 'webhook-timestamp': now(), ...fields } },
      open: taken,
      answered: refused(403),
    })),
  ],
  'size-limits': [
    {
      name: 'content as large as the limit',
      given: pick('size-limits'),
      sent: { content: 'a'.repeat(1_000) },
      open: taken,
      answered: taken,
    },
    {
      name: 'content larger than the limit',
      given: pick('size-limits'),
      sent: { content: 'a'.repeat(1_001) },
      open: taken,
      answered: refused(413),
    },
  ],
  'request-versioning': [
    {
      name: 'no version',
      given: pick('request-versioning'),
      sent: {},
      open: taken,
      answered: refused(400),
    },
    {
      name: 'another version',
      given: pick('request-versioning'),
      sent: { fields: { 'plant-store-version': '1.0' } },
      open: taken,
      answered: refused(400),
    },
    {
      name: 'the version',
      given: pick('request-versioning'),
      sent: { fields: { 'Plant-Store-Version': '1.0.0' } },
      open: taken,
      answered: taken,
    },
    {
      name: 'the path behind its prefix',
      given: { 'request-versioning': { pathPrefix: '/v1' } },
      sent: { path: '/v1/plant/webhook' },
      open: refused(404),
      answered: taken,
    },
    {
      name: 'the path without its prefix',
      given: { 'request-versioning': { pathPrefix: '/v1' } },
      sent: { path: '/plant/webhook' },
      open: taken,
      answered: refused(404),
    },
    {
      name: 'the path behind a prefix of any character that one may have',
      given: { 'request-versioning': { pathPrefix: '/v1.0/~A-b_c' } },
      sent: { path: '/v1.0/~A-b_c/plant/webhook' },
      open: refused(404),
      answered: taken,
    },
    {
      name: 'the path in the URL that the receiver logs',
      given: { 'request-versioning': { pathPrefix: '/v1' } },
      sent: {},
      open: taken,
      answered: taken,
    },
  ],
  'authentication-realm': [
    {
      name: 'no credentials',
      given: pick('authentication-realm'),
      sent: { fields: { authorization: undefined } },
      open: refused(401, { 'www-authenticate': 'Bearer' }),
      answered: refused(401, { 'www-authenticate': 'Bearer realm="example"' }),
    },
    {
      name: 'malformed credentials',
      given: pick('authentication-realm'),
      sent: { fields: { authorization: 'Bearer' } },
      open: refused(400, { 'www-authenticate': 'Bearer error="invalid_request"' }),
      answered: refused(400, { 'www-authenticate': 'Bearer realm="example", error="invalid_request"' }),
    },
    {
      name: 'a wrong token, and a realm that has to be escaped',
      given: { 'authentication-realm': 'the "\\" store' },
      sent: { fields: { authorization: 'Bearer wrong' } },
      open: refused(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
      answered: refused(401, {
        'www-authenticate': 'Bearer realm="the \\"\\\\\\" store", error="invalid_token"',
      }),
    },
  ],
  'token-format': ['Bearer example-another', 'Bearer another'].map((authorization) => ({
    name: `another token: ${authorization}`,
    given: pick('token-format'),
    sent: { fields: { authorization } },
    open: refused(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
    answered: refused(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
  })),
  'rate-limits': [
    { name: 'a first delivery', given: pick('rate-limits'), sent: {}, open: taken, answered: taken },
  ],
  'time-outs': [
    { name: 'a delivery in time', given: pick('time-outs'), sent: {}, open: taken, answered: taken },
  ],
  retry: [{ name: 'a delivery', given: pick('retry'), sent: {}, open: taken, answered: taken }],
  'base-address': [
    { name: 'a delivery', given: pick('base-address'), sent: {}, open: taken, answered: taken },
  ],
};

function now(): string {
  return String(Math.floor(Date.now() / 1_000));
}

const keysFor = (given: Answers): Record<string, string> =>
  given.signing === undefined ? {} : { SIGNING_KEYS: 'whsec_YW4gZXhhbXBsZSBrZXk=' };

describe.each(Object.entries(cases))('%s:', (_question, rows) => {
  test.each(rows)('$name', async ({ given, sent, open, answered }) => {
    const whileOpen = await runReceiver({});
    expect(await whileOpen.send(sent)).toEqual(open);
    expect(whileOpen.stored()).toHaveLength(open === taken ? 1 : 0);

    const onceAnswered = await runReceiver(given, keysFor(given));
    expect(await onceAnswered.send(sent)).toEqual(answered);
    expect(onceAnswered.stored()).toHaveLength((answered.status as number) < 300 ? 1 : 0);
  });
});

describe('what is accepted beside the answers', () => {
  const answers = pick('http-method', 'media-type');
  const decided = { until: '2026-12-31', decidedBy: 'Ada Grower', reason: 'Two senders still do.' };
  const accepts: Accepts = {
    'http-method': { also: ['POST'], ...decided },
    'media-type': { also: ['application/vnd.plant+json'], ...decided },
  };

  test.each([
    { method: 'PUT', mediaType: 'application/json', want: taken },
    { method: 'POST', mediaType: 'application/vnd.plant+json; v=1', want: taken },
    { method: 'PATCH', mediaType: 'application/json', want: refused(405, { allow: 'PUT, POST' }) },
    { method: 'PUT', mediaType: 'text/plain', want: refused(415) },
  ])('$method and $mediaType', async ({ method, mediaType, want }) => {
    const receiver = await runReceiver(answers, {}, accepts);
    expect(await receiver.send({ method, fields: { 'content-type': mediaType } })).toEqual(want);
  });

  test('is checked when the receiver starts', () => {
    expect(() => composeAnswers({}, accepts)).toThrow(/http-method: is not answered/);
  });

  test('shows in no document', () => {
    expect(composeAnswers(answers, accepts).document).toEqual(composeAnswers(answers).document);
  });
});
