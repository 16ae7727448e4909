/** How requests reach the receiver: with certificates of the caller, and with a dispatcher of the caller. */
import { generateKeyPairSync } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterThisTest } from '@plant-store/test-support';
import {
  Agent,
  buildConnector,
  type Dispatcher,
  errors,
  interceptors,
  MockAgent,
  ProxyAgent,
  RedirectHandler,
  RetryAgent,
} from 'undici';
import {
  acknowledge,
  breakOff,
  closing,
  respond,
  respondWith,
  startRawServer,
  staySilent,
} from './support/raw-server.js';
import { startProcess } from './support/run-process.js';
import {
  accessToken,
  arbitrary,
  faultsOf,
  openTestSender,
  rejection,
  required,
  unsent,
  openBoth,
} from './support/senders.js';

const BUILT_SENDER = new URL('../dist/internal.js', import.meta.url).href;

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
/** A certificate that signed itself, for the receiver, for the sender, and as an authority. */
const certificate = fixture('loopback.crt');
const key = fixture('loopback.key');
const options = { ...required, baseUrl: 'https://127.0.0.1:9' };

const faultsWith = (more: object) => faultsOf({ ...options, ...more });

/** Starts a receiver with TLS that acknowledges, and keeps the names in the certificates of its senders. */
async function startTlsReceiver(
  more: ServerOptions,
): Promise<{ url: string; names: (string | undefined)[] }> {
  const names: (string | undefined)[] = [];
  const server = createTlsServer({ key, cert: certificate, ...more }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string } };
    names.push(subject?.CN);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, names };
}

describe('ca, cert and key', () => {
  test.each<[string, string | Uint8Array | string[], ServerOptions]>([
    ['text', certificate, {}],
    ['bytes', Buffer.from(certificate), {}],
    ['a list, and the receiver offers HTTP/2, too', [certificate], { ALPNProtocols: ['h2', 'http/1.1'] }],
  ])('an authority is trusted: %s', async (_, ca, more) => {
    const { url, names } = await startTlsReceiver(more);

    expect(await openTestSender({ baseUrl: url, ca }).send(arbitrary)).toMatchObject({ status: 204 });
    expect(names).toEqual([undefined]);
  });

  test('the receiver gets the certificate of the sender', async () => {
    const { url, names } = await startTlsReceiver({ ca: certificate, requestCert: true });

    await openTestSender({ baseUrl: url, ca: certificate, cert: certificate, key }).send(arbitrary);

    expect(names).toEqual(['loopback, for tests only']);
  });

  test('the receiver gets the certificate of the sender, if Node trusts its own without `ca`', async () => {
    const { url, names } = await startTlsReceiver({ ca: certificate, requestCert: true });
    const script = `
      import { createSenderUnder } from ${JSON.stringify(BUILT_SENDER)};
      const { CERT: cert, KEY: key } = process.env;
      const options = { baseUrl: process.argv[1], accessToken: 'x', method: 'POST', cert, key };
      const sender = createSenderUnder({ ...options, encode: () => ({ content: 'x' }) }, { answers: {} });
      console.log((await sender.send('x')).status);
      await sender.close();`;
    const env = {
      NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('fixtures/loopback.crt', import.meta.url)),
      CERT: certificate,
      KEY: key,
    };

    const args = ['--input-type=module', '-e', script, url];
    const { stdout } = await startProcess(process.execPath, args, { env }).finished;

    expect(stdout).toBe('204\n');
    expect(names).toEqual(['loopback, for tests only']);
  });

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const anotherKey = privateKey.export(pem);
  const locked = privateKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 's3cret' });
  const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

  test.each<[string, object, string, string]>([
    ...[key, damaged, [], '', null].map((ca): [string, object, string, string] => [
      `ca is ${JSON.stringify(ca)}`,
      { ca },
      'ca',
      'must be certificates in PEM.',
    ]),
    ['cert is damaged', { cert: damaged, key }, 'cert', 'must be certificates in PEM.'],
    ['cert has no key', { cert: certificate }, 'cert', 'needs `key`.'],
    ['key has no cert', { key }, 'key', 'needs `cert`.'],
    ['key is of another cert', { cert: certificate, key: anotherKey }, 'key', 'must be the key of `cert`.'],
    [
      'key has a passphrase',
      { cert: certificate, key: locked },
      'key',
      'must be a private key in PEM, without a passphrase.',
    ],
  ])('%s', (_, more, option, problem) => {
    expect(faultsWith(more)).toEqual([{ option, problem }]);
  });

  test('the key is in no fault and not in the sender', () => {
    const line = key.split('\n')[1]!;
    const sender = openTestSender({ baseUrl: options.baseUrl, cert: certificate, key });
    const damagedKey = key.replace('BEGIN', 'BEGAN');

    for (const value of [sender, faultsWith({ cert: certificate, key: damagedKey })]) {
      expect(inspect(value, { depth: 20, showHidden: true })).not.toContain(line);
    }
  });
});

/** Starts a proxy that makes tunnels (RFC 9110 §9.3.6), and keeps where they lead to. */
async function startProxy(status = 200): Promise<{ url: string; targets: (string | undefined)[] }> {
  const targets: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const proxy = createServer().on('connect', (request, client: Socket) => {
    targets.push(request.url);
    sockets.push(client);
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} Arbitrary\r\n\r\n`);
    const [host, port] = request.url!.split(':') as [string, string];
    const receiver = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(receiver).pipe(client);
    });
    sockets.push(receiver);
    for (const socket of [client, receiver]) socket.on('error', () => {});
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  afterThisTest(() => {
    sockets.forEach((socket) => socket.destroy());
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, targets };
}

/** Ends a dispatcher with the test. */
function untilTheEnd<Some extends Dispatcher>(dispatcher: Some): Some {
  afterThisTest(() => dispatcher.destroy());
  return dispatcher;
}

describe('a dispatcher', () => {
  test('ProxyAgent: the request goes through the proxy, and arrives as it would without', async () => {
    const server = await startRawServer(acknowledge);
    const proxy = await startProxy();
    const dispatcher = untilTheEnd(new ProxyAgent(proxy.url));
    const sender = openTestSender({ baseUrl: server.url, dispatcher });

    await sender.send(arbitrary);

    expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`]);
    const { line, headers, content } = await server.request(0);
    expect(line).toBe('POST /plant/webhook HTTP/1.1');
    expect(headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      `authorization: Bearer ${accessToken}`,
      `content-length: ${arbitrary.length}`,
    ]);
    expect(content.toString()).toBe(arbitrary);
  });

  test('ProxyAgent: a proxy that refuses is a connection that failed', async () => {
    const server = await startRawServer(acknowledge);
    const proxy = await startProxy(407);
    const dispatcher = untilTheEnd(new ProxyAgent(proxy.url));

    expect(
      await rejection(openTestSender({ baseUrl: server.url, dispatcher }).send(arbitrary)),
    ).toMatchObject({
      code: 'PLANT_STORE_CONNECT_FAILED',
      outcome: 'not-sent',
    });
    expect(server.requests).toEqual([]);
  });

  test('that takes too long to connect has no limit in its message that does not apply', async () => {
    const connect: buildConnector.connector = (_, callback) =>
      callback(new errors.ConnectTimeoutError('Connect Timeout Error'), null);
    const dispatcher = untilTheEnd(new Agent({ connect }));

    const error = await rejection(openTestSender({ baseUrl: options.baseUrl, dispatcher }).send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_CONNECT_TIMEOUT', outcome: 'not-sent' });
    expect(error.message).not.toContain('connectTimeout');
  });

  test('MockAgent: replies without a receiver', async () => {
    const dispatcher = new MockAgent();
    afterThisTest(() => dispatcher.close());
    dispatcher.disableNetConnect();
    const pool = dispatcher.get('https://receiver.example');
    const body = (content: unknown): boolean => String(content) === arbitrary;
    const request = { path: '/plant/webhook', method: 'POST', body };
    pool.intercept({ ...request, headers: { authorization: `Bearer ${accessToken}` } }).reply(202, 'taken');
    pool.intercept(request).reply(503);
    const sender = openTestSender({ baseUrl: 'https://receiver.example', dispatcher });

    const { status, content } = await sender.send(arbitrary);
    expect([status, Buffer.from(content).toString()]).toEqual([202, 'taken']);
    expect(await rejection(sender.send(arbitrary))).toMatchObject({ status: 503, outcome: 'responded' });
    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECT_FAILED',
      outcome: 'not-sent',
      cause: { code: 'UND_MOCK_ERR_MOCK_NOT_MATCHED' },
    });
  });

  const notSent = { code: 'PLANT_STORE_CONNECT_FAILED', outcome: 'not-sent' } as const;
  test.each([
    ['nothing', undefined],
    ['a text', 'arbitrary'],
    ['a frozen error of the sender', Object.freeze(Object.assign(new Error('arbitrary'), notSent))],
  ])('that throws %s ends the delivery', async (_, thrown) => {
    const throwing = (): never => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- It is not ours.
      throw thrown;
    };
    const reporting = (_options: unknown, handler: Dispatcher.DispatchHandler): boolean => {
      handler.onResponseError!(undefined as never, thrown as Error);
      return true;
    };

    for (const dispatch of [throwing, reporting]) {
      const dispatcher = { dispatch } as unknown as Dispatcher;
      expect(await rejection(openTestSender({ ...options, dispatcher }).send(arbitrary))).toMatchObject(
        notSent,
      );
    }
  });

  test.each<[string, (agent: Agent) => Dispatcher, number]>([
    ['RetryAgent', (agent) => new RetryAgent(agent, { methods: ['POST'], minTimeout: 1, maxRetries: 1 }), 2],
    ['responseError', (agent) => agent.compose(interceptors.responseError()), 1],
  ])('%s: the status of the last response decides', async (_, wrap, requests) => {
    const { server, sender } = await openBoth(respond(503), { dispatcher: wrap(untilTheEnd(new Agent())) });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      outcome: 'responded',
      status: 503,
      headers: { 'content-length': '0' },
      truncated: true,
    });
    expect(server.requests).toHaveLength(requests);
  });

  type OlderHandler = Record<string, ((...all: unknown[]) => unknown) | undefined>;
  const olderMethods = ['onConnect', 'onHeaders', 'onData', 'onComplete', 'onError'];
  /** Has an interceptor of undici 6, whose handlers have other methods. It passes on what they tell, but not all of it. */
  const composed = (...deafTo: readonly string[]): Dispatcher =>
    untilTheEnd(new Agent()).compose((dispatch) => (request, handler) => {
      const inner = handler as unknown as OlderHandler;
      const methods = olderMethods.map((name) => [
        name,
        (...all: unknown[]) => (deafTo.includes(name) ? true : (inner[name]?.(...all) ?? true)),
      ]);
      return dispatch(request, Object.fromEntries(methods) as Dispatcher.DispatchHandler);
    });

  test('with an interceptor of undici 6 is refused, and nothing is sent', async () => {
    const { server, sender } = await openBoth(acknowledge, { dispatcher: composed() });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      outcome: 'not-sent',
      message: expect.stringContaining('undici 7 or later') as string,
    });
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['a response', ['onConnect'], acknowledge],
    ['a lost connection', ['onConnect'], breakOff],
    ['the end of a response', ['onConnect', 'onHeaders'], respond(204)],
  ])(
    'with an interceptor of undici 6 that only tells of %s: the outcome is unknown',
    async (_, deafTo, handle) => {
      const { server, sender } = await openBoth(handle, { dispatcher: composed(...deafTo) });

      expect(await rejection(sender.send(arbitrary))).toMatchObject({
        code: 'PLANT_STORE_CONNECTION_LOST',
        outcome: 'unknown',
        message: expect.stringContaining('undici 7 or later') as string,
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test.each<[string, (inner: Dispatcher.DispatchHandler & OlderHandler) => Dispatcher.DispatchHandler]>([
    [
      'calls it in the old way, too',
      (inner) => ({
        onRequestStart(...all) {
          inner.onRequestStart!(...all);
          queueMicrotask(() => expect(() => (inner as OlderHandler)['onConnect']!()).toThrow('undici 7'));
        },
      }),
    ],
    [
      'keeps the status to itself',
      (inner) => ({
        onRequestStart: (...all) => inner.onRequestStart!(...all),
        onResponseEnd: (...all) => inner.onResponseEnd!(...all),
      }),
    ],
  ])('that %s: the outcome is unknown', async (_, wrap) => {
    const dispatcher = untilTheEnd(new Agent()).compose(
      (dispatch) => (request, handler) =>
        dispatch(request, wrap(handler as Dispatcher.DispatchHandler & OlderHandler)),
    );
    const { server, sender } = await openBoth(acknowledge, { dispatcher });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECTION_LOST',
      outcome: 'unknown',
      message: expect.stringContaining('undici 7 or later') as string,
    });
    expect(await server.request(0)).toBeDefined();
  });

  test('that does not take the request, as undici 6 with an interceptor of a later version: is refused', async () => {
    const dispatch = (): never => {
      throw new errors.InvalidArgumentError('invalid onConnect method');
    };
    const dispatcher = { dispatch } as unknown as Dispatcher;

    expect(await rejection(openTestSender({ ...options, dispatcher }).send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      outcome: 'not-sent',
      message: expect.stringContaining('invalid onConnect method. It and its interceptors') as string,
    });
  });

  test.each([301, 302, 303, 307, 308])(
    'that follows redirects does not follow one with %i',
    async (status) => {
      const server = await startRawServer((request) => {
        const location = request.line.includes('/login') ? '' : 'Location: /login\r\n';
        const code = location === '' ? 200 : status;
        respondWith(`HTTP/1.1 ${code} Arbitrary\r\n${location}Content-Length: 0\r\n\r\n`)(request);
      });
      const following = untilTheEnd(new Agent()).compose(interceptors.redirect({ maxRedirections: 3 }));
      const sender = openTestSender({ baseUrl: server.url, dispatcher: following });

      const refused = { code: 'PLANT_STORE_NOT_ACKNOWLEDGED', outcome: 'responded', status };
      expect(await rejection(sender.send(arbitrary))).toMatchObject(refused);
      expect(server.requests).toHaveLength(1);
    },
  );

  test('that always follows redirects: nothing goes to another address', async () => {
    const server = await startRawServer(
      respondWith('HTTP/1.1 307 Arbitrary\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n'),
    );
    const following = untilTheEnd(new Agent()).compose(
      (dispatch) => (request, handler) =>
        dispatch(request, new RedirectHandler(dispatch, 3, request, handler)),
    );
    const sender = openTestSender({ baseUrl: server.url, dispatcher: following });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_RESPONSE_UNREADABLE',
      outcome: 'unknown',
      message: expect.stringContaining('followed a redirect') as string,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('RetryAgent: the status that arrived decides, whatever the rest of its content led to', async () => {
    const server = await startRawServer((request, index) => {
      if (index > 0) return respond(503)(request);
      respondWith('HTTP/1.1 200 Arbitrary\r\nContent-Length: 10\r\n\r\nhalf')(request);
      request.socket.end();
    });
    const dispatcher = new RetryAgent(untilTheEnd(new Agent()), {
      methods: ['POST'],
      minTimeout: 1,
      maxRetries: 2,
    });
    const sender = openTestSender({ baseUrl: server.url, dispatcher });

    expect(await sender.send(arbitrary)).toMatchObject({ status: 200, truncated: true });
    expect(server.requests.length).toBeGreaterThan(1);
  });

  test('RetryAgent: a delivery that was aborted while connecting is never sent', async () => {
    const server = await startRawServer(acknowledge);
    const steps = new EventEmitter();
    const [connecting, mayGoOn] = [once(steps, 'connecting'), once(steps, 'go on')];
    const connector = buildConnector({});
    const connect: buildConnector.connector = (settings, callback) => {
      steps.emit('connecting');
      void mayGoOn.then(() => connector(settings, callback));
    };
    let repetitions = 0;
    const dispatcher = new RetryAgent(untilTheEnd(new Agent({ connect })), {
      retry: (error, _context, callback) => {
        repetitions += 1;
        if (repetitions === 1) return callback(null);
        callback(error);
        steps.emit('given up');
      },
    });
    const controller = new AbortController();
    const sender = openTestSender({ baseUrl: server.url, dispatcher });

    const sent = rejection(sender.send(arbitrary, { signal: controller.signal }));
    await connecting;
    controller.abort();
    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' });
    const ended = Promise.race([once(steps, 'given up'), server.request(0)]);
    steps.emit('go on');
    await ended;

    expect(server.requests).toEqual([]);
  });

  test('is shared, and not closed with a sender', async () => {
    const server = await startRawServer(acknowledge);
    const dispatcher = untilTheEnd(new Agent({ connections: 1 }));
    const [first, second] = [1, 2].map(() => openTestSender({ baseUrl: server.url, dispatcher }));

    await first!.send(arbitrary);
    await first!.close();
    await second!.send(arbitrary);

    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBe(1);
  });

  test('the signal ends the request and its connection', async () => {
    const server = await startRawServer(staySilent);
    const controller = new AbortController();
    const sender = openTestSender({ baseUrl: server.url, dispatcher: untilTheEnd(new Agent()) });

    const sent = rejection(sender.send(arbitrary, { signal: controller.signal }));
    const closed = closing((await server.request(0)).socket);
    controller.abort();

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'unknown' });
    await closed;
  });

  const cause = new Error('arbitrary');
  const throwing = {
    dispatch: () => {
      throw cause;
    },
  };
  const closed = new Agent();
  beforeAll(() => closed.close());

  test.each<[string, unknown, unknown]>([
    ['throws', throwing, cause],
    ['was closed', closed, expect.objectContaining({ code: 'UND_ERR_DESTROYED' })],
  ])('that %s has a typed error', async (_, dispatcher, expected) => {
    expect(await unsent({ options: { dispatcher } })).toMatchObject({
      code: 'PLANT_STORE_CONNECT_FAILED',
      cause: expected,
    });
  });

  test.each([null, 1, {}, { dispatch: 1 }, 'http://127.0.0.1:9'])('must not be %p', (dispatcher) => {
    expect(faultsWith({ dispatcher })).toMatchObject([{ option: 'dispatcher' }]);
  });

  test('replaces the options about connections, so they are refused with it', () => {
    expect(faultsWith({ dispatcher: new MockAgent(), ca: certificate, connectTimeout: 1 })).toEqual([
      {
        option: 'dispatcher',
        problem: 'makes the connections. Leave out `ca`, `connectTimeout`, and set them in the dispatcher.',
      },
    ]);
  });
});
