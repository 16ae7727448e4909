import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';

import { afterThisTest } from '@plant-store/test-support';

import { ask, type Told } from '../../test/ask.js';
import { makeLatch } from '../../test/make-latch.js';
import { rejection } from '../../test/rejection.js';
import { startListener } from '../../test/start-listener.js';
import { documentRoutes, readDocuments } from './documents.js';
import { jsonResponse } from './response.js';
import type { Route } from './router.js';

const startWithDocuments = (): ReturnType<typeof startListener> =>
  startListener(documentRoutes(readDocuments()));

/** Connections of this process: of the listener, and of those who ask it. */
const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

test('HEAD gets the response to GET without content', async () => {
  const { url } = await startWithDocuments();
  const [head, get] = await Promise.all([fetch(url, { method: 'HEAD' }), fetch(url)]);
  const fields = ({ headers }: Response): unknown =>
    [...headers].filter(([name]) => name !== 'date' && name !== 'connection' && name !== 'keep-alive');

  expect(await head.text()).toBe('');
  expect(fields(head)).toEqual(fields(get));
  expect(Number(head.headers.get('content-length'))).toBe((await get.arrayBuffer()).byteLength);
});

test.each([
  ['POST', '/', 405, 'GET, HEAD'],
  ['OPTIONS', '/', 405, 'GET, HEAD'],
  ['DELETE', '/openapi.json', 405, 'GET, HEAD'],
  ['GET', '/plant/webhook', 404, undefined],
  ['POST', '/plant/webhook', 404, undefined],
  ['GET', '//', 404, undefined],
  ['GET', '/%2e%2e/package.json', 404, undefined],
])('%s %s: %d', async (method, path, status, allow) => {
  const { url } = await startWithDocuments();
  const response = await ask(url, { method, path });

  expect([response.status, response.fields.allow]).toEqual([status, allow]);
  expect(response.json).toEqual({
    code: status === 404 ? 'UNKNOWN_PATH' : 'METHOD_NOT_ALLOWED',
    message: expect.any(String),
  });
});

test('a port that is taken is an error that names the setting', async () => {
  const { url } = await startListener([]);
  const error = await rejection(startListener([], { port: Number(new URL(url).port) }));

  expect(error).toMatchObject({ code: 'ADDRESS_UNAVAILABLE', cause: { code: 'EADDRINUSE' } });
  expect((error as Error).message).toContain('Set OPERATIONS_PORT to a free port');
});

test('closes at once, whoever is connected', async () => {
  const { url, close } = await startWithDocuments();
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

test('the end waits for requests that are being processed', async () => {
  const [began, mayEnd] = [makeLatch(), makeLatch()];
  const slow: Route = {
    method: 'GET',
    path: '/slow',
    async respond() {
      began.open();
      await mayEnd.opened;
      return jsonResponse(200, 'slow');
    },
  };
  const { url, close } = await startListener([slow]);
  const asked = rejection(ask(url, '/slow'));
  await began.opened;

  let isClosed = false;
  const closing = close().then(() => (isClosed = true));
  expect(await asked).toMatchObject({ code: 'ECONNRESET' });
  expect(isClosed).toBe(false);
  mayEnd.open();
  await closing;
});

test('a request that does not end is ended', async () => {
  const { url } = await startListener(routes, { requestTimeout: 50 });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  socket.write(`POST /secret HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Type: application/json\r\n`);
  socket.write('Content-Length: 10\r\n\r\n{');

  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(String(response)).toMatch('HTTP/1.1 408 ');
  await once(socket.resume(), 'close');
});

test('a peer that reads no response is not waited for', async () => {
  const large: Route = {
    method: 'GET',
    path: '/large',
    respond: () => jsonResponse(200, 'a'.repeat(100_000)),
  };
  const { url } = await startListener([large], { requestTimeout: 50 });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  await once(socket, 'connect');

  socket.write(`GET /large HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(200));

  // The sender's own socket stays.
  while (openSockets() > 1) await setTimeout(10);
});

test('a head that does not arrive is not waited for as long as a request', async () => {
  const { url } = await startListener(routes, { requestTimeout: 3_600_000 });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  socket.write('GET /secret HTTP/1.1\r\n');

  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(String(response)).toMatch('HTTP/1.1 408 ');
});

const routes: readonly Route[] = [
  { method: 'GET', path: '/open', audience: 'everybody', respond: () => jsonResponse(200, 'open') },
  { method: 'GET', path: '/secret', respond: () => jsonResponse(200, 'secret') },
  { method: 'POST', path: '/secret', respond: () => jsonResponse(200, 'changed') },
];

/** Addresses of this machine that others can reach. */
const addresses = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));

/** A machine without a network has nothing to test. */
const onNetwork = addresses.length > 0 ? test : test.skip;

describe('OPERATIONS_HOST', () => {
  const statusesAt = async (url: string): Promise<number[]> => {
    const responses: Told[] = [];
    for (const path of ['/open', '/secret', '/none']) responses.push(await ask(url, path));
    responses.push(await ask(url, { method: 'POST', path: '/secret' }));
    responses.push(await ask(url, { method: 'POST', path: '/open' }));
    return responses.map(({ status }) => status);
  };
  const urlAt = (address: string, url: string): string =>
    `http://${address.includes(':') ? `[${address}]` : address}:${new URL(url).port}/`;

  onNetwork('an address: only what is for everybody, beside everything on loopback', async () => {
    for (const { address } of addresses) {
      const { url, close } = await startListener(routes, { host: address });

      expect([address, await statusesAt(urlAt(address, url))]).toEqual([address, [200, 404, 404, 404, 405]]);
      expect(await statusesAt(url)).toEqual([200, 200, 404, 415, 405]);
      await close();
    }
  });

  onNetwork('every address: only what is for everybody, beside everything on loopback', async () => {
    const { url } = await startListener(routes, { host: '0.0.0.0' });

    for (const { address } of addresses.filter(({ family }) => family === 'IPv4'))
      expect(await statusesAt(urlAt(address, url))).toEqual([200, 404, 404, 404, 405]);
    expect(await statusesAt(url)).toEqual([200, 200, 404, 415, 405]);
  });

  onNetwork('every address of both families: the same', async () => {
    const { url } = await startListener(routes, { host: '::' });

    for (const { address } of addresses)
      expect(await statusesAt(urlAt(address, url))).toEqual([200, 404, 404, 404, 405]);
    expect(await statusesAt(url)).toEqual([200, 200, 404, 415, 405]);
  });

  onNetwork('without it, nothing listens there', async () => {
    const { url } = await startListener(routes);

    for (const { address } of addresses)
      await expect(ask(urlAt(address, url))).rejects.toThrow('ECONNREFUSED');
  });

  test('an address of another machine is an error that names the setting, and nothing is left open', async () => {
    const { url, close } = await startListener([]);
    const port = Number(new URL(url).port);
    await close();

    const error = await rejection(startListener([], { port, host: '203.0.113.1' }));

    expect(error).toMatchObject({ code: 'ADDRESS_UNAVAILABLE', cause: { code: 'EADDRNOTAVAIL' } });
    expect((error as Error).message).toContain('Set OPERATIONS_HOST to an address of this machine');
    await startListener([], { port });
  });
});
