import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { get, type IncomingMessage, METHODS } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import type { FastifyInstance } from 'fastify';

import { asAnotherUser } from '../../test/as-another-user.js';
import { ask, post, type Told } from '../../test/ask.js';
import { makeLatch } from '../../test/make-latch.js';
import { rejection } from '../../test/rejection.js';
import { startListener } from '../../test/start-listener.js';
import { OPERATIONS_CONNECTIONS } from '../config/open-files.js';
import { ReceiverError } from '../errors.js';
import { authorityOf } from '../http/listen.js';
import { MAX_REQUEST_BYTES, TIMEOUTS } from './listener.js';
import { RequestFault } from './request-fault.js';
import { openSocketAddress, SOCKET_NAME } from './socket-address.js';

/** A listener with routes of each kind. `changes` has what was posted. */
async function start(address: Parameters<typeof startListener>[1] = {}) {
  const changes: unknown[] = [];
  const mayEnd = makeLatch();
  const began: (() => void)[] = [];
  const addRoutes = (app: FastifyInstance): void => {
    app.get('/', { config: { audience: 'page' } }, async () => 'page');
    app.get('/open', { config: { audience: 'everybody' } }, async () => 'open');
    app.get('/data', async () => ({ is: 'data' }));
    app.post('/data', async ({ body }) => {
      changes.push(body);
      return {};
    });
    app.get('/unusable', () => Promise.reject(new ReceiverError('INBOX_UNUSABLE', 'It cannot be read.')));
    app.get('/defect', () => Promise.reject(new TypeError('arbitrary secret')));
    app.get('/large', async () => 'a'.repeat(100_000));
    app.get('/slow', { config: { audience: 'everybody' } }, async () => {
      began.shift()?.();
      await mayEnd.opened;
      return 'slow';
    });
    app.get('/stream', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200).write('begun');
    });
  };
  const listener = await startListener(addRoutes, address);
  afterThisTest(mayEnd.open);
  /** Asks for `/slow`. Resolves when that is being processed, with what its response will be. */
  const askSlowly = async (to = listener.url): Promise<{ readonly told: ReturnType<typeof ask> }> => {
    const hasBegun = new Promise<void>((resolve) => began.push(resolve));
    const told = ask(to, '/slow');
    told.catch(() => undefined);
    await hasBegun;
    return { told };
  };
  return { ...listener, port: new URL(listener.url).port, changes, mayEnd, askSlowly };
}

/** Everything that is sent to a request with these lines, until the connection closes. */
async function responseTo(port: string, ...lines: readonly string[]): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  return text(socket);
}

describe('DNS rebinding: a page points its own name to this machine, and its browser sends that name', () => {
  const foreign = [
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    '192.0.2.2:PORT',
    'localhost',
    '127.0.0.1:1',
    '0.0.0.0:PORT',
  ];

  test.each(foreign)('Host: %s gets 421, whatever it asks for', async (name) => {
    const { url, port, changes } = await start();
    const host = name.replace('PORT', port);

    for (const { fields, ...asked } of [
      { path: '/' },
      { path: '/data' },
      { path: '/none' },
      post('/data', {}, { origin: `http://${host}` }),
    ]) {
      const { status, json } = await ask(url, { ...asked, fields: { ...fields, host } });
      expect([status, json]).toEqual([
        421,
        { code: 'FOREIGN_HOST', message: expect.stringContaining(`127.0.0.1:${port}`) },
      ]);
    }
    expect(changes).toEqual([]);
  });

  test.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST:PORT', '[::1]:PORT'])(
    'Host: %s is this listener',
    async (name) => {
      const { url, port } = await start();
      const host = name.replace('PORT', port);

      expect((await ask(url, { path: '/data', fields: { host } })).status).toBe(200);
      expect((await ask(url, post('/data', {}, { host, origin: `http://${host}` }))).status).toBe(200);
    },
  );

  test('HTTP/1.0 needs no Host', async () => {
    const { port } = await start();

    expect(await responseTo(port, 'GET /data HTTP/1.0')).toMatch('HTTP/1.1 200 ');
    expect(await responseTo(port, 'GET /data HTTP/1.0', 'Host: evil.example')).toMatch('HTTP/1.1 421 ');
  });

  test('two Host fields, or none, get 400', async () => {
    const { port } = await start();
    const own = `Host: localhost:${port}`;

    expect(await responseTo(port, 'GET /data HTTP/1.1', own, own)).toMatch('HTTP/1.1 400 ');
    expect(await responseTo(port, 'GET /data HTTP/1.1')).toMatch('HTTP/1.1 400 ');
  });

  test('an absolute target with a foreign name gets 421, whatever Host says', async () => {
    const { port } = await start();
    const own = `Host: localhost:${port}`;

    for (const name of [`evil.example:${port}`, 'localhost', `a@localhost:${port}`])
      expect(await responseTo(port, `GET http://${name}/data HTTP/1.1`, own)).toMatch('HTTP/1.1 421 ');
  });
});

describe('a page of another site', () => {
  test.each([
    'http://evil.example',
    'https://evil.example',
    'null',
    'http://localhost:1',
    'http://127.0.0.1',
    'file://',
    '',
  ])('POST with Origin %j gets 403 and changes nothing', async (origin) => {
    const { url, changes } = await start();
    const { status, json } = await ask(url, post('/data', {}, { origin }));

    expect([status, json]).toEqual([403, { code: 'FOREIGN_ORIGIN', message: expect.any(String) }]);
    expect(changes).toEqual([]);
  });

  test('its GET of data gets 403 too, and no response allows it to read', async () => {
    const { url, port } = await start();

    for (const fields of [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as const) {
      const response = await ask(url, { path: '/data', fields });
      expect(response.status).toBe(403);
      expect(response.fields['cross-origin-resource-policy']).toBe('same-origin');
      expect(response.fields).not.toHaveProperty('access-control-allow-origin');
    }
    const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    const response = await ask(url, { path: '/data', fields: own });
    expect(response.status).toBe(200);
    expect(response.fields).not.toHaveProperty('access-control-allow-origin');
  });

  test('its preflight is refused', async () => {
    const { url } = await start();
    const fields = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };

    expect((await ask(url, { method: 'OPTIONS', path: '/data', fields })).status).toBe(403);
  });

  test('its link to a page works', async () => {
    const { url } = await start();

    const fields = { 'sec-fetch-site': 'cross-site' };
    expect((await ask(url, { fields: { ...fields, 'sec-fetch-dest': 'document' } })).status).toBe(200);
    expect((await ask(url, { fields: { ...fields, 'sec-fetch-dest': 'image' } })).status).toBe(403);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'application/jsonp',
    'text/plain; application/json',
    '',
  ])('what a form can send, %j, gets 415 and changes nothing', async (type) => {
    const { url, changes } = await start();
    const { status, json } = await ask(url, post('/data', {}, { 'content-type': type }));

    expect([status, json]).toEqual([415, { code: 'CONTENT_NOT_JSON', message: expect.any(String) }]);
    expect(changes).toEqual([]);
  });
});

test('content is read as JSON', async () => {
  const { url, changes } = await start();
  const fields = { 'content-type': 'Application/JSON; charset=utf-8' };

  expect((await ask(url, { method: 'POST', path: '/data', fields, content: '{"a":1}' })).status).toBe(200);
  expect(changes).toEqual([{ a: 1 }]);
});

test.each<[name: string, content: string, status: number, code: string, coding?: Record<string, string>]>([
  ['nothing', '', 400, 'INVALID_CONTENT'],
  ['not JSON', 'arbitrary', 400, 'INVALID_CONTENT'],
  ['too large', `"${'a'.repeat(MAX_REQUEST_BYTES)}"`, 413, 'CONTENT_TOO_LARGE'],
  ['in chunks', '{}', 411, 'LENGTH_REQUIRED', { 'transfer-encoding': 'chunked' }],
])('content that is %s', async (_name, content, status, code, coding = {}) => {
  const { url, changes } = await start();
  const fields = { 'content-type': 'application/json', ...coding };
  const response = await ask(url, { method: 'POST', path: '/data', fields, content });

  expect([response.status, response.json]).toEqual([status, { code, message: expect.any(String) }]);
  expect(changes).toEqual([]);
});

describe('a failure', () => {
  test('of the inbox: 503 with its code, and a line in the log', async () => {
    const { url, log } = await start();
    const { status, json } = await ask(url, '/unusable');

    expect([status, json]).toEqual([503, { code: 'INBOX_UNUSABLE', message: 'It cannot be read.' }]);
    expect(await log.line('a request of an operator failed')).toMatchObject({ url: '/unusable' });
  });

  test('of any other kind: 500 without details, which the log has', async () => {
    const { url, log } = await start();
    const { status, json, content } = await ask(url, '/defect');

    expect([status, json]).toEqual([500, { code: 'RECEIVER_FAILED', message: expect.any(String) }]);
    expect(content).not.toContain('secret');
    expect(await log.line('a request of an operator failed')).toMatchObject({
      err: { message: 'arbitrary secret' },
    });
  });
});

test('on the Unix socket any Host will do, and only its own Origin', async () => {
  const { socket, changes } = await start({ folder: makeFolder() });

  expect((await ask(socket!, { path: '/data', fields: { host: 'arbitrary' } })).status).toBe(200);
  expect((await ask(socket!, post('/data', {}, { host: 'arbitrary' }))).status).toBe(200);
  expect(
    (await ask(socket!, post('/data', {}, { host: 'arbitrary', origin: 'http://arbitrary' }))).status,
  ).toBe(200);
  expect((await ask(socket!, post('/data', {}, { host: 'arbitrary', origin: 'http://other' }))).status).toBe(
    403,
  );
  expect(changes).toHaveLength(2);
});

test('HEAD gets the response to GET without content', async () => {
  const { url } = await start();
  const [head, got] = await Promise.all([ask(url, { method: 'HEAD', path: '/data' }), ask(url, '/data')]);

  expect([head.status, head.content]).toEqual([200, '']);
  // They may be a second apart.
  expect({ ...head.fields, date: got.fields.date }).toEqual(got.fields);
});

test.each<[method: string, path: string, status: number, allow: string | undefined]>([
  ['POST', '/', 405, 'GET, HEAD'],
  ['OPTIONS', '/', 405, 'GET, HEAD'],
  ...METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method)).map(
    (method): [string, string, number, string] => [method, '/data', 405, 'GET, HEAD, POST'],
  ),
  ['PROPFIND', '/another', 404, undefined],
  ['GET', '/plant/webhook', 404, undefined],
  ['POST', '/plant/webhook', 404, undefined],
  ['GET', '//', 404, undefined],
  ['GET', '/%zz', 404, undefined],
  ['GET', '/%2e%2e/package.json', 404, undefined],
])('%s %s: %d', async (method, path, status, allow) => {
  const { url } = await start();
  const response = await ask(url, { method, path });

  expect([response.status, response.fields.allow?.split(', ').sort().join(', ')]).toEqual([status, allow]);
  expect(response.json).toEqual({
    code: status === 404 ? 'UNKNOWN_PATH' : 'METHOD_NOT_ALLOWED',
    message: expect.any(String),
  });
  expect(response.fields['x-content-type-options']).toBe('nosniff');
});

test('a method that only the parser knows gets 404, as the others on a path that is not there', async () => {
  const { port } = await start();

  const response = await responseTo(port, 'DESCRIBE rtsp://a/b RTSP/1.0');

  expect(response).toMatch(/^HTTP\/1\.1 404 [^]*"code":"UNKNOWN_PATH"/);
});

test('whoever opens a path that is not there in a browser reads a page, in which no message is HTML', async () => {
  const { url } = await startListener((app) => {
    app.get('/fault', async () => {
      throw new RequestFault('INVALID_QUERY', '<b> & "');
    });
  });
  const fields = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const unknown = await ask(url, { path: '/none/such?a=/', fields });

  expect([unknown.status, unknown.fields['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(unknown.content).toContain(
    '<p>There is nothing at this path.</p><p><a href="./../">Inspector</a></p>',
  );
  expect((await ask(url, { path: '/fault', fields })).content).toContain('<p>&#60;b&#62; &#38; "</p>');
});

/** Connections of this process: of the listener, and of those who ask it. */
const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

test('a port that is taken is an error that names the setting', async () => {
  const { url } = await start();
  const error = await rejection(start({ port: Number(new URL(url).port) }));

  expect(error).toMatchObject({ code: 'ADDRESS_UNAVAILABLE', cause: { code: 'EADDRINUSE' } });
  expect((error as Error).message).toContain('Set OPERATIONS_PORT to a free port');
});

test('closes, whoever is connected', async () => {
  const { url, close } = await start();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  await once(socket, 'connect');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket
    .resume()
    .on('error', () => undefined)
    .write('GET / HTTP/1.1\r\n');

  await close();
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});

test('a request under way gets its response before the end', async () => {
  const { close, mayEnd, askSlowly } = await start();
  const { told } = await askSlowly();

  const closing = close();
  mayEnd.open();
  expect(await told).toMatchObject({ status: 200, content: 'slow' });
  await closing;
});

test('the end cuts off a request that takes longer', async () => {
  const { close, askSlowly } = await start();
  const { told } = await askSlowly();

  const closing = close();
  expect(await rejection(told)).toMatchObject({ code: 'ECONNRESET' });
  await closing;
});

test('a request that does not end is ended', async () => {
  const { url } = await start({ timeouts: { ...TIMEOUTS, head: 50, request: 50 } });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  socket.write(`POST /data HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Type: application/json\r\n`);
  socket.write('Content-Length: 10\r\n\r\n{');

  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(String(response)).toMatch('HTTP/1.1 408 ');
  await once(socket.resume(), 'close');
});

test('a peer that reads no response is not waited for', async () => {
  const { url } = await start({ timeouts: { ...TIMEOUTS, idle: 50 } });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  await once(socket, 'connect');

  socket.write(`GET /large HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(200));

  // The sender's own socket stays.
  while (openSockets() > 1) await setTimeout(10);
});

test('a head that does not arrive is not waited for as long as a request', async () => {
  const { url } = await start({ timeouts: { ...TIMEOUTS, head: 50 } });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  socket.write('GET /data HTTP/1.1\r\n');

  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(String(response)).toMatch('HTTP/1.1 408 ');
});

/** Addresses of this machine that others can reach. */
const addresses = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));

/** A machine without a network has nothing to test. */
const onNetwork = addresses.length > 0 ? test : test.skip;

describe('OPERATIONS_HOST', () => {
  const statusesAt = async (url: string): Promise<number[]> => {
    const responses: Told[] = [];
    for (const path of ['/open', '/data', '/none']) responses.push(await ask(url, path));
    responses.push(await ask(url, { method: 'POST', path: '/data' }));
    responses.push(await ask(url, { method: 'POST', path: '/open' }));
    return responses.map(({ status }) => status);
  };
  const urlAt = (address: string, url: string): string =>
    `http://${address.includes(':') ? `[${address}]` : address}:${new URL(url).port}/`;

  onNetwork('an address: only what is for everybody, beside everything on loopback', async () => {
    for (const { address } of addresses) {
      const { url, close } = await start({ host: address });

      expect([address, await statusesAt(urlAt(address, url))]).toEqual([address, [200, 404, 404, 404, 405]]);
      expect(await statusesAt(url)).toEqual([200, 200, 404, 415, 405]);
      await close();
    }
  });

  onNetwork('every address: only what is for everybody, beside everything on loopback', async () => {
    const { url } = await start({ host: '0.0.0.0' });

    for (const { address } of addresses.filter(({ family }) => family === 'IPv4'))
      expect(await statusesAt(urlAt(address, url))).toEqual([200, 404, 404, 404, 405]);
    expect(await statusesAt(url)).toEqual([200, 200, 404, 415, 405]);
  });

  test('what is for everybody has any Host, also on this machine', async () => {
    const { port } = await start({ host: '0.0.0.0' });
    const statusOf = async (path: string, ...fields: string[]): Promise<string> =>
      (await responseTo(port, `GET ${path} HTTP/1.1`, ...fields)).slice(0, 'HTTP/1.1 200'.length);

    expect(await statusOf('/open', 'Host: receiver.example')).toBe('HTTP/1.1 200');
    expect(await statusOf('/data', 'Host: receiver.example')).toBe('HTTP/1.1 421');
  });

  test('an address of another machine is an error that names the setting, and nothing is left open', async () => {
    const { url, close } = await start();
    const port = Number(new URL(url).port);
    await close();

    const error = await rejection(start({ port, host: '203.0.113.1' }));

    expect(error).toMatchObject({ code: 'ADDRESS_UNAVAILABLE', cause: { code: 'EADDRNOTAVAIL' } });
    expect((error as Error).message).toContain('Set OPERATIONS_HOST to an address of this machine');
    await start({ port });
  });
});

/** What is sent behind a request. */
const PIPELINED = 'GET /open HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500);

/** Sends a request with others behind it, and returns the responses. */
async function sendPipelined(host: string, port: string, head: readonly string[]) {
  const socket = connect({ host, port: Number(port), noDelay: true });
  afterThisTest(() => socket.destroy());
  socket.write([...head, '', PIPELINED].join('\r\n'));
  const responses = await text(socket);
  return {
    statuses: [...responses.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    closes: /\r\nconnection: close\r\n/i.test(responses),
  };
}

const CHUNKED = 'Transfer-Encoding: chunked';
const JSON_TYPE = 'Content-Type: application/json';

describe('a request that closes its connection gets one response, and nothing behind its head is processed', () => {
  onNetwork.each<[line: string, fields: string[], status: number]>([
    ['GET /open HTTP/1.1', [], 200],
    ['GET /open HTTP/1.0', ['Connection: keep-alive'], 200],
    ['GET /open HTTP/1.1', [CHUNKED], 200],
    ['GET /open HTTP/1.1', ['Content-Length: 9'], 200],
    ['GET /open HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket'], 200],
    ['HEAD /open HTTP/1.1', [CHUNKED], 200],
    ['POST /open HTTP/1.1', [CHUNKED], 405],
    ['POST /open HTTP/1.1', ['Content-Length: 9', 'Expect: 100-continue'], 405],
    ['POST /data HTTP/1.1', [CHUNKED, JSON_TYPE], 404],
    ['PUT /none HTTP/1.1', [CHUNKED], 404],
    ['POST /%zz HTTP/1.1', [CHUNKED], 404],
    ['GET /open HTTP/1.1', ['Transfer-Encoding: gzip, chunked'], 501],
  ])('from elsewhere: %s %j', async (line, fields, status) => {
    const { address } = addresses[0]!;
    const { port } = await start({ host: address });

    expect(await sendPipelined(address, port, [line, 'Host: a', ...fields])).toEqual({
      statuses: [status],
      closes: true,
    });
  });

  test.each<[line: string, fields: string[], status: number]>([
    ['GET /data HTTP/1.1', [CHUNKED], 200],
    ['GET /data HTTP/1.1', ['Origin: http://evil.example'], 403],
    ['GET /none HTTP/1.1', [], 404],
    ['PUT /data HTTP/1.1', [CHUNKED], 405],
    ['POST /data HTTP/1.1', [CHUNKED, 'Content-Type: text/plain'], 415],
    ['POST /%zz HTTP/1.1', [CHUNKED], 404],
  ])('from here: %s %j', async (line, fields, status) => {
    const { port } = await start();

    expect(await sendPipelined('127.0.0.1', port, [line, `Host: 127.0.0.1:${port}`, ...fields])).toEqual({
      statuses: [status],
      closes: true,
    });
  });
});

test('what is pipelined from here is processed, up to what is refused', async () => {
  const { port, changes } = await start();
  const own = `Host: localhost:${port}`;
  const lines = [
    'POST /data HTTP/1.1',
    own,
    JSON_TYPE,
    'Content-Length: 2',
    '',
    '{}GET /data HTTP/1.1',
    own,
    '',
  ];

  const { statuses } = await sendPipelined('127.0.0.1', port, lines);

  // Those behind it have another Host, and the first of them is refused.
  expect(statuses).toEqual([200, 200, 421]);
  expect(changes).toEqual([{}]);
});

test('whoever waits for 100 sends its content then', async () => {
  const { url, port } = await start();
  const socket = connect(Number(port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  socket.write(
    `POST /data HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${JSON_TYPE}\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );

  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('{}');
  expect(await text(socket)).toMatch('HTTP/1.1 200 ');
});

/** Opens connections that send half a request, one after the other. */
async function connectSilently(
  count: number,
  { port, host }: { port: string; host?: string },
): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ port: Number(port), host }).on('error', () => undefined);
    afterThisTest(() => socket.destroy());
    await once(socket, 'connect');
    socket.resume().write('GET /open HTTP/1.1\r\nHost: ');
    sockets.push(socket);
  }
  return sockets;
}

test('a further connection takes the place of the oldest that asks for nothing', async () => {
  const { url, port } = await start();
  const [oldest, ...others] = await connectSilently(OPERATIONS_CONNECTIONS, { port });
  const closed = once(oldest!, 'close');

  expect(await ask(url, '/open')).toMatchObject({ status: 200, content: 'open' });
  await closed;
  expect(others.every(({ closed: isClosed }) => !isClosed)).toBe(true);
});

onNetwork('a further connection from elsewhere takes the place of one whose response was sent', async () => {
  const { address } = addresses[0]!;
  const { port } = await start({ host: address });
  const done = connect({ host: address, port: Number(port), allowHalfOpen: true });
  afterThisTest(() => done.destroy());
  done.write('GET /open HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(done, 'data');
  const closed = once(done.resume(), 'close');
  const others = await connectSilently(OPERATIONS_CONNECTIONS - 1, { port, host: address });

  expect((await ask(`http://${authorityOf(address, Number(port))}/`, '/open')).status).toBe(200);
  done.end();
  await closed;
  expect(others.every(({ closed: isClosed }) => !isClosed)).toBe(true);
});

test('a request that is being processed is kept', async () => {
  const { url, port, mayEnd, askSlowly } = await start();
  const { told } = await askSlowly();
  await connectSilently(OPERATIONS_CONNECTIONS, { port });

  expect((await ask(url, '/open')).status).toBe(200);
  mayEnd.open();
  expect(await told).toMatchObject({ status: 200, content: 'slow' });
});

test('a response that goes on is kept', async () => {
  const { url, port } = await start();
  const [response] = (await once(get(new URL('/stream', url)), 'response')) as [IncomingMessage];
  afterThisTest(() => response.destroy());
  const [oldest] = await connectSilently(OPERATIONS_CONNECTIONS - 1, { port });
  const closed = once(oldest!, 'close');

  expect((await ask(url, '/open')).status).toBe(200);
  await closed;
  expect(response.closed).toBe(false);
});

onNetwork('connections from elsewhere keep nobody out who is on this machine', async () => {
  const address = addresses[0]!;
  const isSix = address.family === 'IPv6';
  const { url, port, askSlowly } = await start({ host: isSix ? '::' : '0.0.0.0' });
  const outside = `http://${isSix ? `[${address.address}]` : address.address}:${port}/`;
  for (let index = 0; index < OPERATIONS_CONNECTIONS; index += 1) await askSlowly(outside);

  expect(await rejection(ask(outside, '/open'))).toMatchObject({ code: 'ECONNRESET' });
  expect((await ask(url, '/open')).status).toBe(200);
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A folder whose path is too long for a socket. */
function makeDeepFolder(): string {
  const folder = join(makeFolder(), 'a'.repeat(60), 'b'.repeat(60));
  mkdirSync(folder, { recursive: true });
  return folder;
}

test('serves on operations.sock, and removes it at the end', async () => {
  const folder = makeFolder();
  const { socket, close } = await start({ folder });

  expect(socket).toBe(join(folder, 'operations.sock'));
  expect((await ask(socket!)).content).toBe('page');
  await close();
  expect(existsSync(socket!)).toBe(false);
});

test('nobody else may connect, whatever the umask is', async () => {
  const folder = makeFolder();
  const usual = process.umask(0);
  afterThisTest(() => process.umask(usual));

  await start({ folder });

  expect(modeOf(join(folder, SOCKET_NAME))).toBe('600');
  expect(process.umask(0)).toBe(0);
});

const asRoot = process.geteuid?.() === 0 ? test : test.skip;

asRoot('another user is refused by the system', async () => {
  const folder = makeFolder();
  const { socket } = await start({ folder });
  // Everybody may enter the folder.
  chmodSync(folder, 0o755);
  const connecting = asAnotherUser(() => connect(socket!));

  const [error] = (await once(connecting, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('EACCES');
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a path that is too long is reached by the open folder, from another process too', async () => {
  const folder = makeDeepFolder();
  const { socket, close } = await start({ folder });
  expect(socket).toBe(join(folder, SOCKET_NAME));
  expect(modeOf(socket!)).toBe('600');

  const address = openSocketAddress(folder);
  expect((await ask(address.path)).content).toBe('page');
  address.close();
  await close();
  expect(existsSync(socket!)).toBe(false);
});

test('without a socket, the log says why and the rest is served', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, SOCKET_NAME));

  const { url, socket, log } = await start({ folder });

  expect(socket).toBeUndefined();
  expect((await ask(url)).content).toBe('page');
  expect(
    await log.line('no socket in the folder of the inbox; plant-inbox cannot reach this receiver'),
  ).toMatchObject({
    level: 'warn',
    err: { message: expect.stringContaining(folder) },
  });
});
