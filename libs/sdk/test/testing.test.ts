import { afterThisTest } from '@plant-store/test-support';
import { bytes, type RetryOptions } from '../src/index.js';
import { createFakeSender, type FakeSender } from '../src/testing/fake-sender.js';
import type { FakeReply } from '../src/testing/index.js';
import { describeSender } from './sender.suite.js';
import { useClocks } from './support/clocks.js';
import { acknowledge, respondWith, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, type Open, openSenderUnder, rejection } from './support/senders.js';

type Plant = string | Uint8Array;

const required = { baseUrl: 'https://receiver.test', accessToken, method: 'POST', encode: bytes() } as const;

function openFake(options = {}): FakeSender<Plant, Open> {
  const sender = createFakeSender<Open, Plant>({ ...required, ...options }, { answers: {} });
  afterThisTest(() => sender.close({ force: true }));
  return sender;
}

describeSender('the fake sender', async (script, options, onSilence) => {
  const sender = openFake(options);
  sender.reply(() => new Promise<FakeReply>(onSilence));
  sender.replyNext(...script);
  return sender;
});

describeSender('the real sender', async (script, options, onSilence) => {
  const server = await startRawServer((request, index) => {
    const reply = script[index];
    if (reply === undefined) return onSilence();
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

const noReply = new TypeError("A reply must be 'acknowledge', or an object with `status` or with `code`.");

describe('a fake sender', () => {
  test('keeps the plants that were sent, with their bytes', async () => {
    const sender = openFake({ encode: bytes('text/plain') });

    await sender.send('first');
    for await (const { error } of sender.sendAll(['second'])) expect(error).toBeUndefined();
    await sender.sendEncoded({ content: Buffer.from('third'), mediaType: 'text/csv' });
    await rejection(sender.send(''));

    expect(sender.deliveries).toEqual([
      { plant: 'first', content: Buffer.from('first'), mediaType: 'text/plain' },
      { plant: 'second', content: Buffer.from('second'), mediaType: 'text/plain' },
      { content: Buffer.from('third'), mediaType: 'text/csv' },
    ]);
  });

  test('keeps its requests, without the access token', async () => {
    const retry = { delays: [0], statuses: [503], withoutResponse: false };
    const sender = openFake({
      retry,
      headers: ({ attempt }: { attempt: number }) => ({ 'X-Attempt': `${attempt}` }),
    });
    sender.replyNext({ status: 503 });

    await sender.send(arbitrary);

    const content = Buffer.from(arbitrary);
    expect(sender.requests).toEqual([
      { headers: { 'x-attempt': '1' }, content },
      { headers: { 'x-attempt': '2' }, content },
    ]);
    expect(sender.deliveries).toHaveLength(1);
  });

  test('joins the values of a field that is there several times', async () => {
    const sender = openFake({
      headers: () => [
        ['X-Trace', 'a'],
        ['X-Trace', 'b'],
        ['x-trace', 'c'],
      ],
    });

    await sender.send(arbitrary);

    expect(sender.requests.map(({ headers }) => headers)).toEqual([{ 'x-trace': 'a, b, c' }]);
  });

  test('replies as a function says, which gets the request', async () => {
    const sender = openFake();
    sender.reply(({ content }) => ({ status: Buffer.from(content).toString() === 'good' ? 201 : 422 }));

    expect(await sender.send('good')).toMatchObject({ status: 201 });
    expect(await rejection(sender.send('bad'))).toMatchObject({ status: 422 });
    sender.reply('acknowledge');
    expect(await sender.send('bad')).toMatchObject({ status: 204 });
  });

  test('fails with `unknown` unless it is told that nothing was sent, which is no request then', async () => {
    const sender = openFake();
    const code = 'PLANT_STORE_CONNECTION_LOST';
    sender.replyNext({ code }, { code, outcome: 'not-sent' }, { code: 'PLANT_STORE_CONNECT_FAILED' });

    expect(await rejection(sender.send('lost'))).toMatchObject({ code, outcome: 'unknown' });
    expect(await rejection(sender.send('never sent'))).toMatchObject({ code, outcome: 'not-sent' });
    expect(await rejection(sender.send('no connection'))).toMatchObject({ outcome: 'not-sent' });
    expect(sender.requests.map(({ content }) => String(content))).toEqual(['lost']);
  });

  test.each([
    [{ status: 100 }, '`status` must be a final status from 200 to 599 (got 100).'],
    [{ code: 'PLANT_STORE_ABORTED' }, '`code` must be one of PLANT_STORE_CONNECT_FAILED, '],
    [
      { code: 'PLANT_STORE_CONNECT_FAILED', outcome: 'unknown' },
      '`outcome` of PLANT_STORE_CONNECT_FAILED must be not-sent (got unknown).',
    ],
  ])('refuses the reply %j, which no receiver gives', (reply, message) => {
    const sender = openFake();

    expect(() => sender.reply(reply as FakeReply)).toThrow(message);
    expect(() => sender.replyNext(reply as FakeReply)).toThrow(message);
  });

  test.each<[string, () => FakeReply | Promise<FakeReply>, Error]>([
    [
      'throws',
      () => {
        throw new Error('arbitrary');
      },
      new Error('arbitrary'),
    ],
    ['rejects', () => Promise.reject(new Error('arbitrary')), new Error('arbitrary')],
    [
      'returns a reply that no receiver gives',
      () => ({ status: 100 }),
      new TypeError('`status` must be a final status from 200 to 599 (got 100).'),
    ],
    ['returns nothing', () => undefined as never, noReply],
  ])('does not retry if the function that replies %s', async (_, reply, cause) => {
    const retry: RetryOptions = { delays: [0], statuses: 'all', withoutResponse: true };
    const sender = openFake({ retry });
    sender.reply(reply);

    const error = await rejection(sender.send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_INVALID_OPTIONS', outcome: 'not-sent', attempts: 1 });
    expect(error.message).toBe('The `reply` function of the fake sender returned no reply; see `cause`.');
    expect(error.cause).toEqual(cause);
    expect(error.cause).toBeInstanceOf(cause.constructor);
    expect(sender.requests).toEqual([]);
  });

  test.each([undefined, null, 204, 'refuse'])('refuses %j, which is no reply', (reply) => {
    const sender = openFake();

    expect(() => sender.reply(reply as never)).toThrow(noReply);
    expect(() => sender.replyNext(reply as never)).toThrow(noReply);
  });

  test('has header names in lower case, as a receiver has, so that Retry-After counts', async () => {
    const retry = { delays: [0], statuses: [503], withoutResponse: false, maxRetryAfter: 600_000 };
    const { running, runOut } = useClocks(600_000);
    const sender = openFake({ retry });
    sender.replyNext({ status: 503, headers: { 'Retry-After': '600' } });

    const sent = sender.send(arbitrary);
    await running();
    runOut();

    expect(await sent).toMatchObject({ status: 204 });
  });

  test('acknowledges with the answered status', async () => {
    const given = { 'receiver-response': { status: 202, description: 'Taken.' } } as const;
    const sender = createFakeSender({ ...required }, { answers: given });
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
    for await (const { error } of sender.sendAll([arbitrary, arbitrary])) expect(error).toBeUndefined();
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
