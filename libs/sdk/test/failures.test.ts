import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, type Server as NetServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { readFileSync } from 'node:fs';
import { afterThisTest } from '@plant-store/test-support';
import { type Encoded, json, type RetryPolicy } from '../src/index.js';
import { useClocks, useTimeThatPasses } from './support/clocks.js';
import {
  acknowledge,
  breakOff,
  respondWith,
  closing,
  type RawRequest,
  startRawServer,
  staySilent,
} from './support/raw-server.js';
import { arbitrary, openTestSender, rejection, unsent, openBoth } from './support/senders.js';

/** Starts a server that isn't one of this package's, until the test ends. @returns its port */
async function listen(server: NetServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** The port of a client that is connected: nobody listens there, and nobody can until the test ends. */
async function portOfAClient(): Promise<number> {
  const { port } = await startRawServer(staySilent);
  const client = connect(port, '127.0.0.1');
  afterThisTest(() => client.destroy());
  await once(client, 'connect');
  return client.localPort!;
}

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

describe('nothing was sent', () => {
  test.each<[string, () => Promise<string>, string, string]>([
    [
      'nobody listens',
      async () => `http://127.0.0.1:${await portOfAClient()}`,
      'CONNECT_FAILED',
      ': connection refused (127.0.0.1:',
    ],
    [
      'the certificate of the receiver is not trusted',
      async () => {
        const tls = { key: fixture('loopback.key'), cert: fixture('loopback.crt') };
        return `https://127.0.0.1:${await listen(createTlsServer(tls, (socket) => socket.on('error', () => {})))}`;
      },
      'CONNECT_FAILED',
      'the certificate',
    ],
    [
      'the receiver speaks plain HTTP instead of TLS',
      async () => `https://127.0.0.1:${await listen(createHttpServer())}`,
      'CONNECT_FAILED',
      'the receiver does not speak TLS on this port',
    ],
  ])('if %s', async (_, start, code, reason) => {
    const sender = openTestSender({ baseUrl: await start() });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: `PLANT_STORE_${code}`,
      outcome: 'not-sent',
      message: expect.stringContaining(reason) as string,
    });
  });

  test('if the receiver needs a certificate, and says so after the sender has completed the handshake', async () => {
    const tls = { key: fixture('loopback.key'), cert: fixture('loopback.crt') };
    const server = createTlsServer({ ...tls, requestCert: true, minVersion: 'TLSv1.3' });
    const port = await listen(server.on('tlsClientError', () => {}));
    const sender = openTestSender({ baseUrl: `https://127.0.0.1:${port}`, ca: tls.cert });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECT_FAILED',
      outcome: 'not-sent',
      message: expect.stringContaining('needs a certificate of the sender. Pass `cert` and `key`') as string,
      cause: { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
    });
  });

  // undici looks at this clock twice a second.
  test('if the receiver takes the connection but does not finish making it', async () => {
    const { port } = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: `https://127.0.0.1:${port}`, connectTimeout: 50 });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECT_TIMEOUT',
      outcome: 'not-sent',
      message: expect.stringContaining('within 50 ms') as string,
    });
  });

  const cause = new Error('arbitrary');
  const throwing = (): never => {
    throw cause;
  };

  test.each<[string, () => unknown]>([
    ['throws', throwing],
    ['gives an object whose content throws', () => Object.defineProperty({}, 'content', { get: throwing })],
    [
      'gives an object whose media type throws',
      () => Object.defineProperty({ content: 'x' }, 'mediaType', { get: throwing }),
    ],
  ])('if encode %s', async (_, encode) => {
    const error = await unsent({ options: { encode } });
    expect(error).toMatchObject({ code: 'PLANT_STORE_ENCODE_FAILED', cause });
    expect(error.message).toContain('arbitrary');
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
    expect((await unsent({ options: { encode: () => encoded } })).code).toBe('PLANT_STORE_ENCODE_FAILED');
  });

  const promise = () => Promise.resolve({ content: 'x' });
  const rejected = () => Promise.reject(cause);

  // A promise that nobody handles would fail the test.
  test.each([
    ['encode returns a promise that resolves', () => arbitrary, promise],
    ['encode returns a promise that rejects', () => arbitrary, rejected],
    ['the plant is a promise that resolves', promise, json],
    ['the plant is a promise that rejects', rejected, json],
  ])('if %s; the process goes on', async (_, plant, encode) => {
    expect(await unsent({ options: { encode }, plant: plant() })).toMatchObject({
      code: 'PLANT_STORE_ENCODE_FAILED',
      message: expect.stringContaining('must not be a promise') as string,
    });
  });

  test.each([undefined, { delays: [1], statuses: 'all', withoutResponse: true }])(
    'if encode takes longer than totalTimeout, with the policy %j',
    async (retry) => {
      const pass = useTimeThatPasses();
      const encode = (): Encoded => (pass(20_000), { content: 'x' });
      const { code } = await unsent({ options: { encode, retry, totalTimeout: 20_000 } });
      expect(code).toBe('PLANT_STORE_TOTAL_TIMEOUT');
    },
  );
});

describe('the outcome is unknown', () => {
  test.each([
    ['attemptTimeout', 'PLANT_STORE_ATTEMPT_TIMEOUT'],
    ['totalTimeout', 'PLANT_STORE_TOTAL_TIMEOUT'],
  ])('if %s runs out before a response', async (clock, code) => {
    const { server, sender } = await openBoth(staySilent, { [clock]: 10_000 });
    const { runOut } = useClocks(10_000);

    const sent = rejection(sender.send(arbitrary));
    await server.request(0);
    runOut();

    expect(await sent).toMatchObject({ code, outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  test('if attemptTimeout runs out while the receiver drips its header section', async () => {
    const { runOut } = useClocks(10_000);
    const drips = ['HTTP/1.1 ', '200 Arbitrary\r\n', 'X-Drip: ', 'x', 'x'].values();
    const { sender } = await openBoth(
      ({ socket }) => {
        const drip = (): void => {
          const { value, done } = drips.next();
          if (done === true) runOut();
          else socket.write(value, () => setImmediate(drip));
        };
        drip();
      },
      { attemptTimeout: 10_000 },
    );

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ATTEMPT_TIMEOUT',
      outcome: 'unknown',
    });
  });

  test.each<[string, (request: RawRequest) => unknown]>([
    ['closes a connection without a response', breakOff],
    ['resets it', ({ socket }) => socket.resetAndDestroy()],
    ['closes it in the header section', ({ socket }) => socket.end('HTTP/1.1 200 Arbitrary\r\nX-A: b\r\n')],
    ['closes it after an interim response', ({ socket }) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('if the receiver %s, also one that is used again; nothing is sent again', async (_, end) => {
    const { server, sender } = await openBoth(
      (request, index) => (index === 1 ? acknowledge : end)(request),
      { maxConnections: 1 },
    );
    const lost = { code: 'PLANT_STORE_CONNECTION_LOST', outcome: 'unknown' };

    expect(await rejection(sender.send(arbitrary))).toMatchObject(lost);
    await sender.send(arbitrary);
    expect(await rejection(sender.send(arbitrary))).toMatchObject(lost);
    await sender.close();
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    ['not HTTP', 'what is this\r\n\r\n'],
    ['of HTTP/2 on a connection of HTTP/1.1', framed('Content-Length: 2').replace('/1.1', '/2.0')],
    ['of RTSP', framed('Content-Length: 2').replace('HTTP/1.1', 'RTSP/1.0')],
    ['of HTTP/0.9', framed('Content-Length: 2').replace('/1.1', '/0.9')],
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
  const { server, sender } = await openBoth(acknowledge);
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
