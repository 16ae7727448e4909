/**
 * What an answer changes in the receiver, in detail. Receivers with every answer are in all-answers.test.ts.
 */
import 'reflect-metadata';

import { isDeepStrictEqual } from 'node:util';

import { type AnswerValues, type AnswerSchema, type ExecutableId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisFile } from '@plant-store/test-support';

import {
  type ReceivedResponse,
  type RunningReceiver,
  runReceiver,
  type Sent,
} from '../../test/run-receiver.js';

/** AnswerValues, a request, and the response to it. */
type Case = readonly [name: string, given: AnswerValues, sent: Sent, want: ReceivedResponse];

const taken: ReceivedResponse = { status: 204, fields: {}, content: '' };
const refused = (status: number, fields: Record<string, string> = {}): ReceivedResponse => ({
  status,
  fields,
  content: '',
});
const pick = <Id extends ExecutableId>(...ids: Id[]): Pick<typeof exampleAnswers, Id> =>
  Object.fromEntries(ids.map((id) => [id, exampleAnswers[id]])) as never;

/** Receivers that run until the end of this file, by the questions that are answered and how. */
const receivers: { readonly given: AnswerValues; readonly receiver: Promise<RunningReceiver> }[] = [];

/** A receiver with these answers. */
function receiverWith(given: AnswerValues): Promise<RunningReceiver> {
  const found = receivers.find((each) => isDeepStrictEqual(each.given, given));
  if (found !== undefined) return found.receiver;
  const settings = given.signing === undefined ? undefined : { SIGNING_KEYS: 'whsec_YW4gZXhhbXBsZSBrZXk=' };
  const receiver = runReceiver(given, settings, afterThisFile);
  receivers.push({ given, receiver });
  return receiver;
}

const JSON_FIELDS = { 'content-type': 'application/json' };
const json = (value: unknown): Sent => ({ fields: JSON_FIELDS, content: JSON.stringify(value) });
const ofType = (type: string | undefined): Sent => ({ fields: { 'content-type': type } });
const encoded = (encoding: string): Sent => ({
  ...json(event),
  fields: { ...JSON_FIELDS, 'content-encoding': encoding },
});
const plant = { name: 'Fern' };
const event = { plant, addedOn: '2026-01-31' };

const inJson = pick('media-type', 'payload');
const withPlant = { ...inJson, ...pick('plant-fields') };
const withEvent = { ...inJson, ...pick('event-payload-fields') };
const plantAlone: AnswerValues = { ...withPlant, payload: 'plant' };
const inContent: AnswerValues = { 'event-identity': { pointer: '/id' } };
const behind = (pathPrefix: `/${string}`): AnswerValues => ({ 'request-versioning': { pathPrefix } });

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
const withSlow = { ...inJson, 'plant-fields': slowSchema };

const errorPayloads = pick('error-payloads', 'error-codes', 'status-codes');
const problem = (status: number, content: object, fields = {}): ReceivedResponse => ({
  status,
  fields: { 'content-type': 'application/problem+json', ...fields },
  content: JSON.stringify(content),
});

const cases: { readonly [Id in ExecutableId]?: readonly Case[] } = {
  'http-method': [
    ['a method without content', pick('http-method'), { method: 'DELETE' }, refused(405, { allow: 'PUT' })],
  ],
  'media-type': [
    ['a longer type', pick('media-type'), ofType('application/json-seq'), refused(415)],
    ['a shorter type', pick('media-type'), ofType('application'), refused(415)],
    ['another type of JSON', pick('media-type'), ofType('application/vnd.example+json'), refused(415)],
    ['no type', pick('media-type'), ofType(undefined), refused(415)],
    ['the type in capitals', pick('media-type'), ofType('Application/JSON'), taken],
    ['the type with a parameter', pick('media-type'), ofType('application/json; charset=utf-8'), taken],
    ['the type with space before a parameter', pick('media-type'), ofType('application/json ;a=b'), taken],
    ['encoded content that need not be parsed', pick('media-type'), encoded('gzip'), taken],
  ],
  payload: [
    ['nothing but space', inJson, { fields: JSON_FIELDS, content: ' ' }, refused(400)],
    [
      'a byte order mark',
      inJson,
      { fields: JSON_FIELDS, content: `\ufeff${JSON.stringify(event)}` },
      refused(400),
    ],
    [
      'JSON that is no UTF-8',
      inJson,
      { fields: JSON_FIELDS, content: Buffer.from(`{"plant":"\u00e9"}`, 'latin1') },
      refused(400),
    ],
    ...[null, [], [plant], 'plant', 1, {}].map((value): Case => [
      `no plant under its field: ${JSON.stringify(value)}`,
      inJson,
      json(value),
      refused(422),
    ]),
    [
      'anything under the field of the plant, while its fields are open',
      inJson,
      json({ plant: null }),
      taken,
    ],
    [
      'any JSON, where the plant is all and its fields are open',
      { ...inJson, payload: 'plant' },
      json(null),
      taken,
    ],
    [
      'no JSON, while the media type is open',
      pick('payload', 'plant-fields'),
      { fields: JSON_FIELDS },
      taken,
    ],
    [
      'another media type than JSON, which is not parsed',
      { ...inJson, 'media-type': 'text/plain' },
      ofType('text/plain'),
      taken,
    ],
    ['content that is encoded', inJson, encoded('gzip'), refused(415, { 'accept-encoding': 'identity' })],
    ['content with the encoding identity', inJson, encoded('Identity'), taken],
  ],
  'plant-fields': [
    ['a plant that is all', plantAlone, json(plant), taken],
    ['a plant that is not all', plantAlone, json(event), refused(422)],
    ['an asynchronous schema that refuses', withSlow, json({ plant: { name: 'Rose' } }), refused(422)],
    ['an asynchronous schema that accepts', withSlow, json({ plant }), taken],
    [
      'an asynchronous schema, although that of the event refuses at once',
      { ...withEvent, 'plant-fields': slowSchema },
      json({ plant }),
      refused(422),
    ],
    [
      'a plant that its schema refuses, while its place is open',
      pick('media-type', 'plant-fields'),
      json({ plant: { name: '' } }),
      taken,
    ],
  ],
  'event-payload-fields': [
    ['a field that its schema refuses', withEvent, json({ ...event, addedOn: 'today' }), refused(422)],
    ['a field that is missing beside the plant', withEvent, json({ plant }), refused(422)],
  ],
  'receiver-response': [
    [
      'a response without content',
      { 'receiver-response': { status: 202, description: 'arbitrary' } },
      {},
      { ...taken, status: 202 },
    ],
  ],
  'status-codes': [
    [
      'a failure whose status was answered',
      { 'status-codes': { 'content-missing': { status: 411, description: 'arbitrary' } } },
      { content: '' },
      refused(411),
    ],
    [
      'another failure',
      { 'status-codes': { 'content-too-large': { status: 400, description: 'arbitrary' } } },
      { content: '' },
      refused(400),
    ],
  ],
  'error-payloads': [
    [
      'HEAD, which has no content whatever it asks for',
      errorPayloads,
      { method: 'HEAD', path: '/', content: '' },
      { ...problem(404, {}), content: '' },
    ],
  ],
  'event-identity': [
    ['an empty field', pick('event-identity'), { fields: { 'webhook-id': '' } }, refused(400)],
    ['the field', pick('event-identity'), { fields: { 'Webhook-ID': 'one' } }, taken],
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
    ].map((value): Case => [
      `no identifier in the content: ${JSON.stringify(value)}`,
      inContent,
      { content: JSON.stringify(value) },
      refused(400),
    ]),
    ['content that is not JSON, without an identifier', inContent, {}, refused(400)],
  ],
  signing: [
    ...[
      { name: 'a signature of another kind', signature: 'v1a,arbitrary' },
      { name: 'a wrong signature', signature: 'v1,arbitrary' },
      { name: 'an empty signature', signature: 'v1,' },
    ].map(({ name, signature }): Case => {
      const fields = { 'webhook-id': 'one', 'webhook-timestamp': now(), 'webhook-signature': signature };
      return [name, pick('signing', 'event-identity'), { fields }, refused(403)];
    }),
  ],
  'size-limits': [
    ['content as large as the limit', pick('size-limits'), { content: 'a'.repeat(1_000) }, taken],
    ['content larger than the limit', pick('size-limits'), { content: 'a'.repeat(1_001) }, refused(413)],
  ],
  'request-versioning': [
    ['the path without its prefix', behind('/v1'), { path: '/plant/webhook' }, refused(404)],
    [
      'the path behind a prefix of any character that one may have',
      behind('/v1.0/~A-b_c'),
      { path: '/v1.0/~A-b_c/plant/webhook' },
      taken,
    ],
  ],
  'authentication-realm': [
    [
      'malformed credentials',
      pick('authentication-realm'),
      { fields: { authorization: 'Bearer' } },
      refused(400, { 'www-authenticate': 'Bearer realm="example", error="invalid_request"' }),
    ],
    [
      'a wrong token, and a realm that has to be escaped',
      { 'authentication-realm': 'the "\\" store' },
      { fields: { authorization: 'Bearer wrong' } },
      refused(401, { 'www-authenticate': 'Bearer realm="the \\"\\\\\\" store", error="invalid_token"' }),
    ],
  ],
};

function now(): string {
  return String(Math.floor(Date.now() / 1_000));
}

describe.each(Object.entries(cases))('%s:', (_question, rows) => {
  test.each(rows)('%s', async (_name, given, sent, want) => {
    const receiver = await receiverWith(given);
    const before = receiver.stored().length;
    expect(await receiver.send(sent)).toEqual(want);
    expect(receiver.stored().length - before).toBe(want.status < 300 ? 1 : 0);
  });
});
