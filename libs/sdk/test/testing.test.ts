import { afterThisTest } from '@plant-store/test-support';
import { bytes } from '../src/index.js';
import { createFakeSenderUnder, type FakeSenderUnder } from '../src/testing/fake-sender.js';
import type { FakeReply } from '../src/testing/index.js';
import { describeSender } from './sender.suite.js';
import { acknowledge, respondWith, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, type Open, openSenderUnder, rejection } from './support/senders.js';

type Plant = string | Uint8Array;

const required = { baseUrl: 'https://receiver.test', accessToken, method: 'POST', encode: bytes() } as const;

function openFake(options = {}): FakeSenderUnder<Plant> {
  const sender = createFakeSenderUnder<Plant>({ ...required, ...options }, {});
  afterThisTest(() => sender.close({ force: true }));
  return sender;
}

describeSender('the fake sender', async (script, options) => {
  const sender = openFake(options);
  sender.replyNext(...script);
  return sender;
});

describeSender('the real sender', async (script, options) => {
  const server = await startRawServer((request, index) => {
    const reply = script[index];
    if (reply === undefined) return;
    if (reply === 'acknowledge') return acknowledge(request);
    if (!('status' in reply)) return fail[reply.code]!(request, index);
    const { status, headers = {}, content = '' } = reply;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${status} x\r\n${lines.join('')}Content-Length: ${content.length}\r\n\r\n`;
    respondWith(head + String(content))(request);
  });
  const isUnreachable = script.some(
    (reply) => typeof reply === 'object' && 'code' in reply && reply.outcome === 'not-sent',
  );
  const baseUrl = isUnreachable ? 'http://127.0.0.1:9' : server.url;
  const sender = openSenderUnder<Open, Plant>({}, { ...options, baseUrl });
  afterThisTest(() => sender.close({ force: true }));
  return sender;
});

const fail: Partial<Record<string, Parameters<typeof startRawServer>[0]>> = {
  PLANT_STORE_CONNECTION_LOST: ({ socket }) => socket.destroy(),
  PLANT_STORE_RESPONSE_UNREADABLE: (request) => respondWith('not HTTP\r\n\r\n')(request),
};

describe('a fake sender', () => {
  test('keeps the plants that were sent, with their bytes', async () => {
    const sender = openFake({ encode: bytes('text/plain') });

    await sender.send('first');
    await sender.sendEncoded({ content: Buffer.from('second'), mediaType: 'text/csv' });
    await rejection(sender.send(''));

    expect(sender.deliveries).toEqual([
      { plant: 'first', content: Buffer.from('first'), mediaType: 'text/plain' },
      { content: Buffer.from('second'), mediaType: 'text/csv' },
    ]);
  });

  test('keeps a plant once, however many attempts there are', async () => {
    const sender = openFake({ retry: { delays: [0], statuses: [503], withoutResponse: false } });
    sender.replyNext({ status: 503 });

    await sender.send(arbitrary);

    expect(sender.deliveries).toHaveLength(1);
  });

  test('replies as it is told, until it is told otherwise', async () => {
    const sender = openFake();
    sender.reply({ status: 422 });

    for (const plant of ['first', 'second'])
      expect(await rejection(sender.send(plant))).toMatchObject({ status: 422 });
    sender.reply('acknowledge');
    expect(await sender.send(arbitrary)).toMatchObject({ status: 204 });
  });

  test('fails with `unknown` unless it is told that nothing was sent', async () => {
    const sender = openFake();
    const code = 'PLANT_STORE_CONNECTION_LOST';
    sender.replyNext({ code }, { code, outcome: 'not-sent' }, { code: 'PLANT_STORE_CONNECT_FAILED' });

    for (const outcome of ['unknown', 'not-sent', 'not-sent'])
      expect(await rejection(sender.send(arbitrary))).toMatchObject({ outcome });
  });

  test.each([
    undefined,
    null,
    204,
    'refuse',
    { status: 100 },
    { code: 'PLANT_STORE_ABORTED' },
    { code: 'PLANT_STORE_CONNECT_FAILED', outcome: 'unknown' },
  ])('refuses the reply %j, which no receiver gives', (reply) => {
    const sender = openFake();

    expect(() => sender.reply(reply as FakeReply)).toThrow(TypeError);
    expect(() => sender.replyNext(reply as FakeReply)).toThrow(TypeError);
  });

  test('can be spied on', async () => {
    const sender = openFake();
    const spy = import.meta.jest.spyOn(sender, 'send').mockResolvedValue({ status: 299 } as never);

    expect(await sender.send(arbitrary)).toEqual({ status: 299 });
    expect(spy).toHaveBeenCalledWith(arbitrary);
  });

  test('acknowledges with the answered status', async () => {
    const given = { 'receiver-response': { status: 202, description: 'Taken.' } } as const;
    const sender = createFakeSenderUnder<Plant>(required, given);
    afterThisTest(() => sender.close());

    expect(await sender.send(arbitrary)).toMatchObject({ status: 202 });
    sender.reply({ status: 204 });
    expect(await rejection(sender.send(arbitrary))).toMatchObject({ status: 204 });
  });
});

describe('where a test has replaced the timers', () => {
  const { jest } = import.meta;
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('a fake sender sends, fails, and closes', async () => {
    const sender = openFake();
    sender.replyNext('acknowledge', { status: 503 }, { code: 'PLANT_STORE_CONNECTION_LOST' });

    expect(await sender.send(arbitrary)).toMatchObject({ status: 204 });
    expect(await rejection(sender.send(arbitrary))).toMatchObject({ status: 503 });
    expect(await rejection(sender.send(arbitrary))).toMatchObject({ outcome: 'unknown' });
    await sender.close();
  });

  test('a retry waits for the timer of the test', async () => {
    const sender = openFake({ retry: { delays: [60_000], statuses: 'all', withoutResponse: true } });
    sender.replyNext({ status: 503 });

    const sent = sender.send(arbitrary);
    await jest.advanceTimersByTimeAsync(60_000);

    expect(await sent).toMatchObject({ status: 204 });
  });
});
