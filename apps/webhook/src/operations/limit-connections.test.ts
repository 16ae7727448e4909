import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { ask } from '../../test/ask.js';
import { makeLatch } from '../../test/make-latch.js';
import { rejection } from '../../test/rejection.js';
import { startListener } from '../../test/start-listener.js';
import { OPERATIONS_CONNECTIONS } from '../config/open-files.js';
import { textResponse } from './response.js';

/** Serves `/fast`, `/slow` whose response waits for a latch, and `/stream` whose response goes on. */
async function start(address: Parameters<typeof startListener>[1] = {}) {
  const mayEnd = makeLatch();
  const began: (() => void)[] = [];
  const { url, socket } = await startListener(
    [
      { method: 'GET', path: '/fast', audience: 'everybody', respond: () => textResponse(200, 'fast') },
      {
        method: 'GET',
        path: '/slow',
        audience: 'everybody',
        async respond() {
          began.shift()?.();
          await mayEnd.opened;
          return textResponse(200, 'slow');
        },
      },
      {
        method: 'GET',
        path: '/stream',
        respond: () => (response) => void response.writeHead(200).write('begun'),
      },
    ],
    address,
  );
  afterThisTest(mayEnd.open);
  /** Asks for `/slow`. Resolves when that is being processed, with what its response will be. */
  const askSlowly = async (to = url): Promise<{ readonly told: ReturnType<typeof ask> }> => {
    const hasBegun = new Promise<void>((resolve) => began.push(resolve));
    const told = ask(to, '/slow');
    told.catch(() => undefined);
    await hasBegun;
    return { told };
  };
  return { url, socket, port: Number(new URL(url).port), mayEnd, askSlowly };
}

/** Opens connections that send half a request, one after the other. */
async function connectSilently(count: number, to: { port: number } | { path: string }): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect(to).on('error', () => undefined);
    afterThisTest(() => socket.destroy());
    await once(socket, 'connect');
    socket.resume().write('GET /fast HTTP/1.1\r\nHost: ');
    sockets.push(socket);
  }
  return sockets;
}

test('a further connection takes the place of the oldest that asks for nothing', async () => {
  const { url, port } = await start();
  const [oldest, ...others] = await connectSilently(OPERATIONS_CONNECTIONS, { port });
  const closed = once(oldest!, 'close');

  expect(await ask(url, '/fast')).toMatchObject({ status: 200, content: 'fast' });
  await closed;
  expect(others.every(({ closed: isClosed }) => !isClosed)).toBe(true);
});

test('a request that is being processed is kept', async () => {
  const { url, port, mayEnd, askSlowly } = await start();
  const { told } = await askSlowly();
  await connectSilently(OPERATIONS_CONNECTIONS, { port });

  expect((await ask(url, '/fast')).status).toBe(200);
  mayEnd.open();
  expect(await told).toMatchObject({ status: 200, content: 'slow' });
});

test('a response that goes on is kept', async () => {
  const { url, port } = await start();
  const [response] = (await once(get(new URL('/stream', url)), 'response')) as [IncomingMessage];
  afterThisTest(() => response.destroy());
  const [oldest] = await connectSilently(OPERATIONS_CONNECTIONS - 1, { port });
  const closed = once(oldest!, 'close');

  expect((await ask(url, '/fast')).status).toBe(200);
  await closed;
  expect(response.closed).toBe(false);
});

test('connections that have ended do not count', async () => {
  const { url, port } = await start();
  const [silent] = await connectSilently(1, { port });
  for (let count = 0; count < OPERATIONS_CONNECTIONS; count += 1) await ask(url, '/fast');

  expect(silent!.closed).toBe(false);
});

test('the Unix socket has the same limit', async () => {
  const { socket } = await start({ folder: makeFolder() });
  const [oldest, ...others] = await connectSilently(OPERATIONS_CONNECTIONS, { path: socket! });
  const closed = once(oldest!, 'close');

  expect((await ask(socket!, '/fast')).status).toBe(200);
  await closed;
  expect(others.every(({ closed: isClosed }) => !isClosed)).toBe(true);
});

/** An address of this machine that others can reach. */
const address = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .find(({ internal, address }) => !internal && !address.startsWith('fe80:'));

/** A machine without a network has nothing to test. */
const onNetwork = address === undefined ? test.skip : test;

onNetwork('connections from elsewhere keep nobody out who is on this machine', async () => {
  const isSix = address!.family === 'IPv6';
  const { url, port, askSlowly } = await start({ host: isSix ? '::' : '0.0.0.0' });
  const outside = `http://${isSix ? `[${address!.address}]` : address!.address}:${port}/`;
  for (let index = 0; index < OPERATIONS_CONNECTIONS; index += 1) await askSlowly(outside);

  expect(await rejection(ask(outside, '/fast'))).toMatchObject({ code: 'ECONNRESET' });
  expect((await ask(url, '/fast')).status).toBe(200);
});
