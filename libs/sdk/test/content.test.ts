/** What the answers about content change: the payload, its media type, its size, the fields of plants and events. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import type { AnswerValues } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { bytes, type Encoded, json } from '../src/index.js';
import { arbitrary, arrived, type Attempted, unsent } from './support/senders.js';

/** The answers decide how a plant is encoded. */
const options = { encode: undefined };
const envelope = { payload: { plantField: 'plant' }, 'media-type': 'application/json' } as const;
const flat = { payload: 'plant', 'media-type': 'application/json' } as const;
const zod = {
  'plant-fields': exampleAnswers['plant-fields'],
  'event-payload-fields': exampleAnswers['event-payload-fields'],
} as const;
const valibot = {
  'plant-fields': toStandardJsonSchema(v.object({ species: v.string() })),
  'event-payload-fields': toStandardJsonSchema(v.object({ addedBy: v.string() })),
};
const event = { addedOn: '2026-01-31' };

test.each<[string, AnswerValues, unknown, object | undefined, string]>([
  [
    'beside its event, with fields from Zod',
    { ...envelope, ...zod },
    { name: 'example', heightInCentimetres: 2.5 },
    event,
    '{"addedOn":"2026-01-31","plant":{"name":"example","heightInCentimetres":2.5}}',
  ],
  [
    'beside its event, with fields from Valibot',
    { ...envelope, ...valibot },
    { species: 'example' },
    { addedBy: 'nobody' },
    '{"addedBy":"nobody","plant":{"species":"example"}}',
  ],
  [
    'that its schema does not allow, for nothing is validated at run time',
    { ...envelope, ...zod },
    { name: '' },
    { addedOn: 'no date' },
    '{"addedOn":"no date","plant":{"name":""}}',
  ],
  ['alone', flat, { name: 'Fern', sizes: [1, 2] }, undefined, '{"name":"Fern","sizes":[1,2]}'],
  [
    'alone, with a description and names',
    { ...flat, payload: { shape: 'plant', description: 'A new plant.', names: { plant: 'New' } } },
    { name: 'Fern' },
    undefined,
    '{"name":"Fern"}',
  ],
  [
    'with a whole number above 2^53 - 1, as JavaScript has it: the next even one',
    flat,
    { id: Number('9007199254740993') },
    undefined,
    '{"id":9007199254740992}',
  ],
])('a plant is sent %s', async (_, given, plant, passed, content) => {
  const request = await arrived({ given, options, plant, sendOptions: passed && { event: passed } });

  expect(JSON.parse(request.content.toString())).toEqual(JSON.parse(content));
  expect(request.headers).toContain('content-type: application/json');
});

test.each<[string, AnswerValues, unknown, object | undefined]>([
  ['a field in the place of the plant', { ...envelope, ...zod }, { name: 'one' }, { plant: 1 }],
  ['no plant', envelope, undefined, undefined],
  ['a plant without a JSON form', flat, () => {}, undefined],
  ['a plant without a JSON form in a field', envelope, () => {}, undefined],
  ['a bigint', flat, { id: 9007199254740993n }, undefined],
  ['an event that is a Map', { ...envelope, ...zod }, { name: 'one' }, new Map([['addedOn', '2026-01-31']])],
])('nothing is sent with %s', async (_, given, plant, passed) => {
  expect(await unsent({ given, options, plant, sendOptions: { event: passed } })).toMatchObject({
    code: 'PLANT_STORE_ENCODE_FAILED',
    cause: expect.any(TypeError) as TypeError,
  });
});

test.each<[string, unknown]>([
  ['a Map', new Map([['a', 1]])],
  ['a Set', new Set([1])],
  ['a WeakMap', new WeakMap()],
  ['a Blob', new Blob(['a'])],
  ['a FormData', new FormData()],
  ['a Headers', new Headers({ a: 'b' })],
  ['a URLSearchParams', new URLSearchParams('a=b')],
  ['a Request', new Request('http://127.0.0.1')],
  ['an ArrayBuffer', new ArrayBuffer(1)],
  ['an error', new Error('arbitrary')],
  ['a regular expression', /a/],
  ['a promise', Promise.resolve(1)],
  ['a stream of Node', Readable.from(['a'])],
  ['a stream of a file', createWriteStream('', { fd: 1, autoClose: false })],
  ['a stream of the web', new Blob(['a']).stream()],
  ['a generator', (function* () {})()],
  ['an asynchronous generator', (async function* () {})()],
  ['an iterator', [1].values()],
  ['a promise of a library', { then() {}, [Symbol.toStringTag]: 'PrismaPromise' }],
  ['an object with symbols alone', { [Symbol('name')]: 'Fern' }],
  ['an object with methods alone', { next: () => ({ done: true }) }],
  ['a symbol in an object', Object(Symbol('name'))],
  [
    'an object with private fields alone',
    new (class {
      #name = 'Fern';
      get name(): string {
        return this.#name;
      }
    })(),
  ],
])('nothing is sent with %s, which JSON would empty', async (_, lost) => {
  const [inField, inList] = [{ name: 'Fern', part: lost }, { parts: [{ lost }] }];
  for (const plant of [lost, inField, inList]) {
    expect(await unsent({ options: { encode: json }, plant })).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      outcome: 'not-sent',
    });
  }
});

test('a query that nobody awaited is not sent, although it has fields', async () => {
  const plant = { table: 'plants', then() {} };

  expect(await unsent({ options: { encode: json }, plant })).toMatchObject({
    code: 'PLANT_STORE_ENCODE_FAILED',
  });
});

test('json takes everything else, also what is empty', () => {
  class Named {
    name = 'Fern';
  }
  const plant = {
    ...{ empty: {}, none: Object.create(null) as object, list: [], other: runInNewContext('({})') as object },
    ...{ unset: { name: undefined }, numbers: new Float32Array([1.5]) },
    ...{ date: new Date(0), bytes: Buffer.from('a'), named: new Named(), text: '{}' },
    ...{ boxed: [Object(1), Object('a'), Object(false)], own: { toJSON: () => 'own' } },
    ...{ map: Object.assign(new Map(), { toJSON: () => ['own'] }), url: new URL('http://127.0.0.1') },
  };

  expect(json(plant).content).toBe(JSON.stringify(plant));
});

test.each<[string, AnswerValues, unknown[]]>([
  ['the plant and its event, once events have fields', zod, [{ name: 'example' }, event]],
  ['the plant alone, while everything is open', {}, [{ name: 'example' }]],
])('encode gets %s', async (_, given, expected) => {
  const passed: unknown[][] = [];
  const encode = (...all: unknown[]): Encoded => (passed.push(all), json(all));

  await arrived({ given, options: { encode }, plant: { name: 'example' }, sendOptions: { event } });

  expect(passed).toEqual([expected]);
});

test.each<[string, AnswerValues, object | undefined, string]>([
  ['without options', envelope, undefined, '`event` is missing. Pass an object with the fields of the event'],
  ['without event', envelope, {}, '`event` is missing. Pass an object with the fields of the event'],
  ['as text', envelope, { event: 'text' }, '`event` must be an object'],
  ['as a list', envelope, { event: [] }, '`event` must be an object'],
  ['as null', envelope, { event: null }, '`event` must be an object'],
])('an event %s is a fault of the options', async (_, shape, sendOptions, message) => {
  const error = await unsent({
    given: { ...shape, ...zod },
    options,
    plant: { name: 'example' },
    sendOptions,
  });

  expect(error).toMatchObject({
    code: 'PLANT_STORE_INVALID_OPTIONS',
    faults: [{ option: 'event', question: 'event-payload-fields' }],
  });
  expect(error.message).toContain(message);
});

test('an event is listed with its identifier, if both are missing', async () => {
  const given: AnswerValues = { ...envelope, ...zod, 'event-identity': { header: 'Example-Id' } };

  expect(await unsent({ given, options, plant: {}, sendOptions: {} })).toMatchObject({
    faults: [{ option: 'eventId' }, { option: 'event' }],
  });
});

describe('an answered media type', () => {
  const asked = (mediaType?: string): Attempted => ({
    given: { 'media-type': 'application/example' },
    options: { encode: bytes(mediaType) },
  });

  test.each([undefined, 'application/example', 'Application/Example; a=b'])(
    'is sent if encode returns the media type %j',
    async (mediaType) => {
      const { headers } = await arrived(asked(mediaType));
      expect(headers).toContain(`content-type: ${mediaType ?? 'application/example'}`);
    },
  );

  test.each(['text/plain', 'application/example2', 'application/json; a=example'])(
    'refuses %s',
    async (other) => {
      const error = await unsent(asked(other));
      expect(error.code).toBe('PLANT_STORE_ENCODE_FAILED');
      expect(error.message).toContain(other);
    },
  );
});

test('an answered size is the largest content that is sent, in bytes', async () => {
  const given = { 'size-limits': 4 };

  expect((await arrived({ given, plant: 'four' })).content).toHaveLength(4);
  expect(await unsent({ given, plant: 'ää!' })).toMatchObject({
    code: 'PLANT_STORE_CONTENT_TOO_LARGE',
    message: expect.stringMatching(/5 bytes\. .* 4 \(/) as string,
  });
  expect((await arrived({ plant: arbitrary.repeat(10_000) })).content).toHaveLength(170_000);
});
