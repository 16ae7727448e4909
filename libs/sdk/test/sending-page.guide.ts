/** Runs the examples of docs/sending.md, and that of README.md about retries. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterThisTest } from '@plant-store/test-support';
import { withEverythingOpen, writeDocumented } from './support/documented.js';
import { acknowledge, fieldsOf, type RawServer, respondWith, startRawServer } from './support/raw-server.js';
import { startProcess } from './support/run-process.js';

const page = 'docs/sending.md';
const environment = ({ url }: RawServer) => ({ RECEIVER_URL: url, ACCESS_TOKEN: 'token' });

/** Runs a module, and returns what it printed. */
async function run(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await startProcess(process.execPath, withEverythingOpen(file), { env })
    .finished;
  if (code !== 0) throw new Error(`${file} exited with ${code}:\n${stderr}`);
  return stdout;
}

test('send-with-retry.mjs of README.md sends again', async () => {
  const server = await startRawServer((request, index) =>
    index === 0
      ? respondWith('HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n')(request)
      : acknowledge(request),
  );

  const file = join(writeDocumented('README.md'), 'send-with-retry.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace('[1_000, 10_000]', '[1, 1]'));

  expect(await run(file, environment(server))).toBe('acknowledged with 204\n');
  expect(server.requests).toHaveLength(2);
});

test('send-again.mjs sends again after the delays of its function', async () => {
  const server = await startRawServer((request, index) =>
    index < 2
      ? respondWith('HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n')(request)
      : acknowledge(request),
  );

  const file = join(writeDocumented(page), 'send-again.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace('1_000 *', '1 *'));

  expect(await run(file, environment(server))).toBe('acknowledged with 204\n');
  expect(server.requests).toHaveLength(3);
});

test('send-with-headers.mjs sends the fields of the sender and of the delivery', async () => {
  const server = await startRawServer(acknowledge);

  await run(join(writeDocumented(page), 'send-with-headers.mjs'), environment(server));

  const request = await server.request(0);
  expect(fieldsOf(request)).toMatchObject({
    'x-attempt': '1',
    'x-length': String(request.content.byteLength),
    'x-order': '4711',
  });
});

test('send-through-proxy.mjs sends through the proxy of HTTP_PROXY', async () => {
  const server = await startRawServer(acknowledge);
  const sockets: Socket[] = [];
  const proxy = createServer().on('connect', (request, client: Socket) => {
    const receiver = connect(Number(request.url!.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(receiver).pipe(client);
    });
    for (const socket of [client, receiver]) sockets.push(socket.on('error', () => {}));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  afterThisTest(() => {
    sockets.forEach((socket) => socket.destroy());
    proxy.close();
  });
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  const file = join(writeDocumented(page), 'send-through-proxy.mjs');
  const output = await run(file, { ...environment(server), HTTP_PROXY: address });

  expect(output).toBe('acknowledged with 204\n');
  expect(sockets).toHaveLength(2);
});

test('send-through-proxy.mjs ends, though its proxy does not respond', async () => {
  const sockets: Socket[] = [];
  const proxy = createTcpServer((socket) => sockets.push(socket.on('error', () => {})));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  afterThisTest(() => {
    sockets.forEach((socket) => socket.destroy());
    proxy.close();
  });
  const file = join(writeDocumented(page), 'send-through-proxy.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace('dispatcher,', 'dispatcher, attemptTimeout: 100,'));
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  const sent = run(file, { RECEIVER_URL: 'http://127.0.0.1:9', ACCESS_TOKEN: 'token', HTTP_PROXY });

  await expect(sent).rejects.toThrow('PLANT_STORE_ATTEMPT_TIMEOUT');
  expect(sockets).toHaveLength(1);
});
