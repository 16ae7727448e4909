import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { readFileSync } from 'node:fs';
import { afterThisTest, freePort } from '@plant-store/test-support';
import { json, type RetryPolicy } from '../src/index.js';
import { useClocksThatRunOut } from './support/clocks.js';
import { acknowledge, respondWith, closing, startRawServer, staySilent } from './support/raw-server.js';
import { arbitrary, openTestSender, rejection } from './support/senders.js';

describe('nothing was sent', () => {
  test('if nobody listens', async () => {
    const sender = openTestSender({ baseUrl: `http://127.0.0.1:${await freePort()}` });

    const error = await rejection(sender.send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_CONNECT_FAILED', outcome: 'not-sent' });
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('if the receiver takes the connection but does not finish making it', async () => {
    const { port, requests } = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: `https://127.0.0.1:${port}`, connectTimeout: 50 });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECT_TIMEOUT',
      outcome: 'not-sent',
    });
    expect(requests).toEqual([]);
  });

  test('if the certificate of the receiver is not trusted', async () => {
    const fixture = (name: string): string =>
      readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
    const server = createTlsServer(
      { key: fixture('loopback.key'), cert: fixture('loopback.crt') },
      (socket) => socket.on('error', () => {}),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterThisTest(() => server.close());
    const { port } = server.address() as AddressInfo;
    const sender = openTestSender({ baseUrl: `https://127.0.0.1:${port}` });

    const error = await rejection(sender.send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_CONNECT_FAILED', outcome: 'not-sent' });
    expect(error.cause).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  test('if the receiver speaks plain HTTP instead of TLS', async () => {
    const server = createHttpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterThisTest(() => server.close());
    const { port } = server.address() as AddressInfo;
    const sender = openTestSender({ baseUrl: `https://127.0.0.1:${port}` });

    const error = await rejection(sender.send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_CONNECT_FAILED', outcome: 'not-sent' });
    expect(error.message).toContain('the receiver does not speak TLS on this port');
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/SSL|EPROTO/) });
  });

  test('if encode throws', async () => {
    const cause = new Error('arbitrary');
    const sender = openTestSender({
      baseUrl: 'http://127.0.0.1:9',
      encode: () => {
        throw cause;
      },
    });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      outcome: 'not-sent',
      message: 'Encoding the plant threw: arbitrary',
      cause,
    });
  });

  test.each([
    ['empty text', { content: '' }],
    ['empty bytes', { content: new Uint8Array(0) }],
    ['no content', {}],
    ['nothing', undefined],
    ['a number', { content: 1 }],
    ['an invalid media type', { content: 'x', mediaType: 'text' }],
    ['a media type with a line break', { content: 'x', mediaType: 'text/plain\r\nx: y' }],
  ])('if encode gives %s', async (_, encoded) => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url, encode: () => encoded as { content: string } });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      outcome: 'not-sent',
    });
    expect(server.requests).toEqual([]);
  });

  const promise = () => Promise.resolve({ content: 'x' });
  const rejected = () => Promise.reject(new Error('arbitrary'));

  test.each([
    ['encode returns a promise that resolves', () => arbitrary, promise],
    ['encode returns a promise that rejects', () => arbitrary, rejected],
    ['the plant is a promise that resolves', promise, json],
    ['the plant is a promise that rejects', rejected, json],
  ])('if %s; the process goes on', async (_, plant, encode) => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    afterThisTest(() => process.off('unhandledRejection', onUnhandled));
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9', encode: encode as never });

    expect(await rejection(sender.send(plant() as never))).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      outcome: 'not-sent',
      message: expect.stringContaining('must not be a promise'),
    });
    await setTimeout(1);
    expect(unhandled).toEqual([]);
  });

  test.each(['content', 'mediaType'])('if %s of the result of encode throws', async (property) => {
    const cause = new Error('arbitrary');
    const encoded = Object.defineProperty({ content: 'x' }, property, {
      get() {
        throw cause;
      },
    });
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9', encode: () => encoded });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      outcome: 'not-sent',
      cause,
    });
  });

  test.each<[string, { readonly retry?: RetryPolicy }]>([
    ['without a retry policy', {}],
    ['with one', { retry: { delays: [1], statuses: 'all', withoutResponse: true } }],
  ])('if encode takes longer than totalTimeout, %s', async (_, options) => {
    const server = await startRawServer(acknowledge);
    const encode = (): { content: string } => {
      const start = performance.now();
      while (performance.now() - start < 20);
      return { content: 'x' };
    };
    const sender = openTestSender({ baseUrl: server.url, totalTimeout: 20, encode, ...options });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_TOTAL_TIMEOUT',
      outcome: 'not-sent',
    });
    await sender.close();
    expect(server.requests).toEqual([]);
  });
});

describe('the outcome is unknown', () => {
  test.each([
    ['attemptTimeout', 'PLANT_STORE_ATTEMPT_TIMEOUT'],
    ['totalTimeout', 'PLANT_STORE_TOTAL_TIMEOUT'],
  ])('if %s runs out before a response', async (clock, code) => {
    const server = await startRawServer(staySilent);
    const sender = openTestSender({ baseUrl: server.url, [clock]: 10_000 });
    const runOut = useClocksThatRunOut(10_000);

    const sent = rejection(sender.send(arbitrary));
    await server.request(0);
    runOut();

    expect(await sent).toMatchObject({ code, outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  test('if attemptTimeout runs out while the receiver drips its header section', async () => {
    const server = await startRawServer(({ socket }) => {
      socket.write('HTTP/1.1 200 Arbitrary\r\nX-Drip: ');
      const drip = setInterval(() => socket.write('x'), 5);
      socket.once('close', () => clearInterval(drip));
    });
    const sender = openTestSender({ baseUrl: server.url, attemptTimeout: 10_000 });
    const runOut = useClocksThatRunOut(10_000);

    const sent = rejection(sender.send(arbitrary));
    await server.request(0);
    await setTimeout(50);
    runOut();

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ATTEMPT_TIMEOUT', outcome: 'unknown' });
  });

  test('if the receiver closes the connection without a response; nothing is sent again', async () => {
    const server = await startRawServer(({ socket }) => socket.destroy());
    const sender = openTestSender({ baseUrl: server.url });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECTION_LOST',
      outcome: 'unknown',
    });
    await sender.close();
    expect(server.requests).toHaveLength(1);
  });

  test('if the receiver resets a connection that is used again; nothing is sent again', async () => {
    const server = await startRawServer((request, index) =>
      index === 0 ? acknowledge(request) : request.socket.resetAndDestroy(),
    );
    const sender = openTestSender({ baseUrl: server.url });

    await sender.send(arbitrary);
    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECTION_LOST',
      outcome: 'unknown',
    });
    await sender.close();
    expect(server.requests).toHaveLength(2);
  });

  test('if the connection closes in the header section', async () => {
    const { url } = await startRawServer(({ socket }) => socket.end('HTTP/1.1 200 Arbitrary\r\nX-A: b\r\n'));

    expect(await rejection(openTestSender({ baseUrl: url }).send(arbitrary))).toMatchObject({
      outcome: 'unknown',
    });
  });

  test.each([
    ['not HTTP', 'what is this\r\n\r\n'],
    ['100, which nobody asked for', `HTTP/1.1 100 Continue\r\n\r\n${framed('Content-Length: 2')}`],
    ['101, which nobody asked for', 'HTTP/1.1 101 Arbitrary\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['a response with two lengths', framed('Content-Length: 1\r\nContent-Length: 2')],
    ['a response with two lengths, the same', framed('Content-Length: 1\r\nContent-Length: 1')],
    ['a response with a length and an encoding', framed('Content-Length: 1\r\nTransfer-Encoding: chunked')],
    ['a response with an encoding and a length', framed('Transfer-Encoding: chunked\r\nContent-Length: 1')],
    ['000', 'HTTP/1.1 000 Arbitrary\r\nContent-Length: 0\r\n\r\n'],
    ['099', 'HTTP/1.1 099 Arbitrary\r\nContent-Length: 0\r\n\r\n'],
    ['a header section without bounds', `HTTP/1.1 200 Arbitrary\r\nX-A: ${'x'.repeat(70_000)}\r\n\r\n`],
  ])('if the response is %s; it is never sent again', async (_, response) => {
    const server = await startRawServer(respondWith(response));
    const retry: RetryPolicy = { delays: [1], statuses: 'all', withoutResponse: true };

    expect(await rejection(openTestSender({ baseUrl: server.url, retry }).send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_RESPONSE_UNREADABLE',
      outcome: 'unknown',
      attempts: 1,
    });
    expect(server.requests).toHaveLength(1);
  });
});

function framed(fields: string): string {
  return `HTTP/1.1 200 Arbitrary\r\n${fields}\r\n\r\nxx`;
}

test('a connection that the receiver closed while it was idle is not used again', async () => {
  const server = await startRawServer(acknowledge);
  const sender = openTestSender({ baseUrl: server.url });
  await sender.send(arbitrary);
  const { socket } = server.requests[0]!;
  const closed = closing(socket);
  socket.end();
  await closed;

  expect(await sender.send(arbitrary)).toMatchObject({ status: 204 });
  expect(server.requests).toHaveLength(2);
});

test('any bytes in return: a delivery ends with a response or a PlantStoreError', async () => {
  const random = seeded(20_240_607);
  const pieces = [
    'HTTP/1.1 ',
    '200',
    '404',
    ' OK',
    '\r\n',
    '\r\n\r\n',
    'Content-Length: ',
    '5',
    '-1',
    'x',
    '\0',
  ];
  pieces.push('Transfer-Encoding: chunked', '__proto__: x', ':', 'ffffffff', 'Connection: close', '\xff');
  const server = await startRawServer(({ socket }) => {
    const count = 1 + Math.floor(random() * 14);
    const bytes = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    socket.end(Buffer.from((random() < 0.7 ? 'HTTP/1.1 200 OK\r\n' : '') + bytes, 'latin1'));
  });
  const sender = openTestSender({ baseUrl: server.url, maxResponseBytes: 16, attemptTimeout: 5_000 });

  for (let round = 0; round < 300; round += 1) {
    const settled = await sender.send(arbitrary).catch((error: unknown) => error);
    if (settled instanceof Error)
      expect(settled).toMatchObject({ code: expect.stringMatching(/^PLANT_STORE_/) });
    else expect(settled).toMatchObject({ status: expect.any(Number) });
  }
  expect(server.requests).toHaveLength(300);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
