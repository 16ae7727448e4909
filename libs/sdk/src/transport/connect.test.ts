import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, getEventListeners, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterThisTest } from '@plant-store/test-support';
import { errors } from 'undici';
import { Connector, connectTcp, directly, type Resolve } from './connect.js';

/** Longer than any test. */
const never = 1_000_000;

/** Listens on 127.0.0.1, and lets two connect. Further ones get no answer until it goes on. */
async function startSlowServer(): Promise<{ port: number; goOn: () => void }> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer((socket) => socket.on('error', () => {}));
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(workerData, 0, 0);
    });`;
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const goOn = (): void => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  const worker = new Worker(code, { eval: true, workerData: gate });
  afterThisTest(async () => {
    goOn();
    await worker.terminate();
  });
  const [port] = (await once(worker, 'message')) as [number];
  await attempt(port, ['127.0.0.1']).connected;
  await attempt(port, ['127.0.0.1']).connected;
  return { port, goOn };
}

/** Listens, and keeps the connections open. */
async function listen(host: string, port = 0): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})));
  await once(server.listen(port, host), 'listening');
  afterThisTest(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The sockets that begin to connect from now on. `begun` emits the place of each, from 0. */
function observeSockets(): { sockets: Socket[]; begun: EventEmitter } {
  const sockets: Socket[] = [];
  const begun = new EventEmitter();
  const add = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    begun.emit(String(sockets.push(socket) - 1));
  };
  subscribe('net.client.socket', add);
  afterThisTest(() => unsubscribe('net.client.socket', add));
  return { sockets, begun };
}

/** Connects to a host with these addresses. */
function attempt(port: number, found: readonly string[] | Resolve, timeout = never, protocol = 'http:') {
  const resolve: Resolve = async () =>
    (found as readonly string[]).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const connector = new Connector(
    timeout,
    directly(undefined, typeof found === 'function' ? found : resolve),
  );
  const connected = new Promise<Socket>((done, fail) => {
    const options = { hostname: 'receiver.example', host: 'receiver.example', protocol, port: String(port) };
    connector.connect(options, (error, socket) => (error === null ? done(socket) : fail(error)));
  });
  afterThisTest(async () => {
    connector.end();
    await connected.then((socket) => socket.destroy()).catch(() => {});
  });
  return { connector, connected };
}

test('a slow address is reached, though the next one has refused meanwhile', async () => {
  const { port, goOn } = await startSlowServer();
  const { sockets, begun } = observeSockets();

  const { connected } = attempt(port, ['127.0.0.1', '127.0.0.2']);
  await once(begun, '1');
  await new Promise((closed) => sockets[1]!.on('close', closed));
  goOn();

  expect((await connected).remoteAddress).toBe('127.0.0.1');
});

test.each([
  ['does not respond', ['127.0.0.1', '127.0.0.2']],
  ['refuses', ['127.0.0.3', '127.0.0.2']],
])(
  'an address that %s costs no connection: the next one is used, and the others are closed',
  async (_, to) => {
    const { port } = await startSlowServer();
    await listen('127.0.0.2', port);
    const { sockets } = observeSockets();

    const { remoteAddress } = await attempt(port, to).connected;

    expect(remoteAddress).toBe('127.0.0.2');
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  },
);

test('however many addresses there are, Node does not warn of a leak', async () => {
  const port = await listen('127.0.0.1');
  const { signal } = new AbortController();
  const addresses = Array.from({ length: 12 }, (_, index) => ({
    address: `127.0.0.${12 - index}`,
    family: 4,
  }));

  (await connectTcp('receiver.example', port, signal, async () => addresses)).destroy();

  expect(getEventListeners(signal, 'abort').length).toBeLessThan(10);
});

test('IPv4 is second, however many addresses of IPv6 are first', async () => {
  const port = await listen('127.0.0.1');
  const { sockets } = observeSockets();

  await attempt(port, ['::1', '::1', '::1', '127.0.0.1']).connected;

  expect(sockets).toHaveLength(2);
});

test('the error names each address that refused, in one that has a code', async () => {
  const port = await listen('127.0.0.1');

  const error: unknown = await attempt(port, ['127.0.0.2', '127.0.0.3']).connected.catch(
    (cause: unknown) => cause,
  );

  expect(error).toMatchObject({
    code: 'ECONNREFUSED',
    errors: [{ address: '127.0.0.2' }, { address: '127.0.0.3' }],
  });
});

describe('connecting ends with its time, and with its dispatcher', () => {
  const silent = async (): Promise<readonly [number, Resolve | string[], string]> => [
    (await startSlowServer()).port,
    ['127.0.0.1'],
    'http:',
  ];
  const stages: [string, () => Promise<readonly [number, Resolve | string[], string]>][] = [
    ['resolving', async () => [9, () => new Promise(() => {}), 'http:']],
    ['connecting', silent],
    ['TLS', async () => [await listen('127.0.0.1'), ['127.0.0.1'], 'https:']],
  ];

  test.each(stages)('while %s', async (_, prepare) => {
    const [port, found, protocol] = await prepare();
    const { sockets } = observeSockets();

    await expect(attempt(port, found, 50, protocol).connected).rejects.toThrow(errors.ConnectTimeoutError);
    const { connector, connected } = attempt(port, found, never, protocol);
    connector.end();
    await expect(connected).rejects.toThrow(errors.ClientDestroyedError);

    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
