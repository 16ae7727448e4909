/** What the answers about content change: the payload, its media type, its size, the fields of plants and events. */
import type { Answers } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { bytes, type Encoded, json, type SendOptions } from '../src/index.js';
import { acknowledge, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, openSenderUnder, openTestSender, rejection } from './support/senders.js';

const options = { accessToken, method: 'POST' } as const;
const envelope = { payload: { plantField: 'plant' }, 'media-type': 'application/json' } as const;
const flat = { payload: 'plant', 'media-type': 'application/json' } as const;

const valibotAnswers = {
  'plant-fields': toStandardJsonSchema(v.object({ species: v.string() })),
  'event-payload-fields': toStandardJsonSchema(v.object({ addedBy: v.string() })),
};
const zodAnswers = {
  'plant-fields': exampleAnswers['plant-fields'],
  'event-payload-fields': exampleAnswers['event-payload-fields'],
} as const;

describe('a plant and its event', () => {
  test('with fields from Zod', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder({ ...envelope, ...zodAnswers }, { ...options, baseUrl: server.url });

    await sender.send({ name: 'example', heightInCentimetres: 2.5 }, { event: { addedOn: '2026-01-31' } });

    const { headers, content } = await server.request(0);
    expect(headers).toContain('content-type: application/json');
    expect(JSON.parse(content.toString())).toEqual({
      plant: { name: 'example', heightInCentimetres: 2.5 },
      addedOn: '2026-01-31',
    });
  });

  test('with fields from Valibot', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder({ ...flat, ...valibotAnswers }, { ...options, baseUrl: server.url });

    await sender.send({ species: 'example' }, { event: { addedBy: 'nobody' } });

    const { content } = await server.request(0);
    expect(JSON.parse(content.toString())).toEqual({ species: 'example', addedBy: 'nobody' });
  });

  test('are not validated at run time', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder({ ...envelope, ...zodAnswers }, { ...options, baseUrl: server.url });

    await sender.send({ name: '' }, { event: { addedOn: 'no date' } });

    expect((await server.request(0)).content.toString()).toBe('{"addedOn":"no date","plant":{"name":""}}');
  });

  test('are both passed to the encode function of the caller', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder(zodAnswers, {
      ...options,
      baseUrl: server.url,
      encode: (plant, event) => json([plant.name, event.addedOn]),
    });

    await sender.send({ name: 'example' }, { event: { addedOn: '2026-01-31' } });

    expect((await server.request(0)).content.toString()).toBe('["example","2026-01-31"]');
  });

  test('while everything is open, only the plant is passed to encode', async () => {
    const server = await startRawServer(acknowledge);
    const passed: unknown[][] = [];
    const encode = (...all: unknown[]): Encoded => {
      passed.push(all);
      return { content: arbitrary };
    };

    await openTestSender({ baseUrl: server.url, encode }).send(arbitrary, {
      event: { addedOn: '2026-01-31' },
    } as SendOptions<Readonly<Record<never, never>>>);

    expect(passed).toEqual([[arbitrary]]);
  });

  test.each([
    ['text', () => 'example'],
    ['an array', () => ['a', { b: [1] }]],
    ['an object', () => ({ a: { b: null } })],
  ])('may share a field with equal values: %s', async (_, name) => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder({ ...flat, ...zodAnswers }, { ...options, baseUrl: server.url });
    const event = { addedOn: '2026-01-31', name: name() };

    await sender.send({ name: name() as string }, { event });

    expect(JSON.parse((await server.request(0)).content.toString())).toEqual(event);
  });

  test.each<[string, Answers, unknown, unknown]>([
    ['a field with two values', { ...flat, ...zodAnswers }, { name: 'one' }, { name: 'other' }],
    ['a field with two arrays', { ...flat, ...zodAnswers }, { name: ['one'] }, { name: ['other'] }],
    ['a field in the place of the plant', { ...envelope, ...zodAnswers }, { name: 'one' }, { plant: 1 }],
    ['an event beside a plant that is no object', { ...flat, ...zodAnswers }, 'text', {}],
    ['an event beside a list', { ...flat, ...zodAnswers }, [], {}],
    ['no plant', envelope, undefined, undefined],
    ['a plant without a JSON form', flat, () => {}, undefined],
    ['a plant without a JSON form in a field', envelope, () => {}, undefined],
  ])('cannot be sent with %s', async (_, given, plant, event) => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder<Answers>(given, {
      ...options,
      baseUrl: server.url,
    });

    expect(await rejection(sender.send(plant, { event } as SendOptions<Answers>))).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      outcome: 'not-sent',
      cause: expect.any(TypeError) as TypeError,
    });
    expect(server.requests).toEqual([]);
  });
});

test.each<[string, Answers['payload'] & {}]>([
  ['in one word', 'plant'],
  ['with a description and names', { shape: 'plant', description: 'A new plant.', names: { plant: 'New' } }],
])('a payload that is the plant alone, answered %s', async (_, payload) => {
  const server = await startRawServer(acknowledge);
  const given = { payload, 'media-type': 'application/json', 'http-method': 'POST' } as const;
  const sender = openSenderUnder(given, { accessToken, baseUrl: server.url });

  await sender.send({ name: 'Fern', sizes: [1, 2] });

  expect((await server.request(0)).content.toString()).toBe('{"name":"Fern","sizes":[1,2]}');
});

/** The sender doesn't validate, so no library changes this. docs/how-to/answer-a-question.md ("Answer with a schema") says it. */
describe('a whole number above 2^53 - 1', () => {
  const given = {
    ...flat,
    'plant-fields': toStandardJsonSchema(v.object({ id: v.pipe(v.number(), v.safeInteger()) })),
  };

  test('is sent as JavaScript has it: the next even one', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url });

    await sender.send({ id: Number('9007199254740993') });

    expect((await server.request(0)).content.toString()).toBe('{"id":9007199254740992}');
  });

  test('is not sent as a bigint, which has no JSON form', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url });

    expect(await rejection(sender.send({ id: 9007199254740993n as unknown as number }))).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      outcome: 'not-sent',
      cause: expect.any(TypeError) as TypeError,
    });
    expect(server.requests).toEqual([]);
  });

  test('keeps every digit as text', async () => {
    const server = await startRawServer(acknowledge);
    const text = {
      ...flat,
      'plant-fields': toStandardJsonSchema(v.object({ id: v.pipe(v.string(), v.digits()) })),
    };
    const sender = openSenderUnder(text, { ...options, baseUrl: server.url });

    await sender.send({ id: '9007199254740993' });

    expect((await server.request(0)).content.toString()).toBe('{"id":"9007199254740993"}');
  });
});

describe('an event that JavaScript passes', () => {
  test.each<[string, Answers, object | undefined, string]>([
    [
      'without options',
      { ...envelope, ...zodAnswers },
      undefined,
      '`event` is missing. Pass an object with the fields of the event',
    ],
    [
      'without event',
      { ...envelope, ...zodAnswers },
      {},
      '`event` is missing. Pass an object with the fields of the event',
    ],
    ['as text', { ...flat, ...zodAnswers }, { event: 'text' }, '`event` must be an object'],
    ['as a list', { ...flat, ...zodAnswers }, { event: [] }, '`event` must be an object'],
    ['as null', { ...flat, ...zodAnswers }, { event: null }, '`event` must be an object'],
  ])('%s is a fault of the options', async (_, given, passed, message) => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder<Answers>(given, {
      ...options,
      baseUrl: server.url,
    });

    const error = await rejection(sender.send({ name: 'example' }, passed as SendOptions<Answers>));

    expect(error).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      outcome: 'not-sent',
      faults: [{ option: 'event', question: 'event-payload-fields' }],
    });
    expect(error.message).toContain(message);
    expect(server.requests).toEqual([]);
  });

  test('is listed with its identifier, if both are missing', async () => {
    const given: Answers = { ...flat, ...zodAnswers, 'event-identity': { header: 'Example-Id' } };
    const sender = openSenderUnder<Answers>(given, {
      ...options,
      baseUrl: 'https://example.test',
    });

    expect(await rejection(sender.send({}, {}))).toMatchObject({
      faults: [{ option: 'eventId' }, { option: 'event' }],
    });
  });
});

describe('an answered media type', () => {
  const given = { 'media-type': 'application/example' } as const;

  test.each([undefined, 'application/example', 'Application/Example; a=b'])(
    'is sent if encode returns the media type %j',
    async (mediaType) => {
      const server = await startRawServer(acknowledge);
      const sender = openSenderUnder(given, { ...options, baseUrl: server.url, encode: bytes(mediaType) });

      await sender.send(arbitrary);

      expect((await server.request(0)).headers).toContain(
        `content-type: ${mediaType ?? 'application/example'}`,
      );
    },
  );

  test.each(['text/plain', 'application/example2', 'application/json; a=example'])(
    'refuses %s',
    async (mediaType) => {
      const server = await startRawServer(acknowledge);
      const sender = openSenderUnder(given, { ...options, baseUrl: server.url, encode: bytes(mediaType) });

      const error = await rejection(sender.send(arbitrary));

      expect(error).toMatchObject({ code: 'PLANT_STORE_ENCODE_FAILED', outcome: 'not-sent' });
      expect(error.message).toContain(mediaType);
      expect(server.requests).toEqual([]);
    },
  );
});

describe('an answered size', () => {
  test('is the largest content that is sent', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder(
      { 'size-limits': 4 },
      { ...options, baseUrl: server.url, encode: bytes() },
    );

    await sender.send('four');
    expect(await rejection(sender.send('vier!'))).toMatchObject({
      code: 'PLANT_STORE_CONTENT_TOO_LARGE',
      outcome: 'not-sent',
      message: expect.stringMatching(/5 bytes\. .* 4 \(/) as string,
    });
    expect(await rejection(sender.send('ääá'))).toMatchObject({ code: 'PLANT_STORE_CONTENT_TOO_LARGE' });

    expect(server.requests).toHaveLength(1);
  });

  test('does not exist while the question is open', async () => {
    const server = await startRawServer(acknowledge);

    await openTestSender({ baseUrl: server.url }).send('x'.repeat(100_000));

    expect((await server.request(0)).content).toHaveLength(100_000);
  });
});
