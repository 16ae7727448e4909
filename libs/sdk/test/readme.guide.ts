/** Runs the examples of README.md. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterThisTest } from '@plant-store/test-support';
import { withEverythingOpen, writeDocumented } from './support/documented.js';
import { acknowledge, type RawServer, respondWith, startRawServer } from './support/raw-server.js';
import { startProcess } from './support/run-process.js';

const page = 'README.md';
const environment = ({ url }: RawServer) => ({ RECEIVER_URL: url, ACCESS_TOKEN: 'token' });

/** Runs a module, and returns what it printed. */
async function run(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await startProcess(process.execPath, withEverythingOpen(file), { env })
    .finished;
  if (code !== 0) throw new Error(`${file} exited with ${code}:\n${stderr}`);
  return stdout;
}

/** Writes the first example, which also passes an option that another example exports. Returns its file. */
function writeSending(option: string, from: string): string {
  const file = join(writeDocumented(page), 'send.mjs');
  const example = readFileSync(file, 'utf8').replace('encode: json,', `encode: json, ${option},`);
  writeFileSync(file, `import { ${option} } from './${from}';\n${example}`);
  return file;
}

test('retry.mjs sends again', async () => {
  const server = await startRawServer((request, index) =>
    index === 0
      ? respondWith('HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n')(request)
      : acknowledge(request),
  );

  const file = writeSending('retry', 'retry.mjs');
  const policy = join(dirname(file), 'retry.mjs');
  writeFileSync(policy, readFileSync(policy, 'utf8').replace('[1_000, 10_000]', '[1, 1]'));

  expect(await run(file, environment(server))).toBe('acknowledged with 204\n');
  expect(server.requests).toHaveLength(2);
});

/** Writes the first example, which sends through a proxy and ends its connections, as the page says. */
function writeThroughProxy(): string {
  const file = writeSending('dispatcher', 'proxy.mjs');
  writeFileSync(file, `${readFileSync(file, 'utf8')}await dispatcher.destroy();\n`);
  return file;
}

test('proxy.mjs sends through the proxy of HTTP_PROXY', async () => {
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

  const output = await run(writeThroughProxy(), { ...environment(server), HTTP_PROXY: address });

  expect(output).toBe('acknowledged with 204\n');
  expect(sockets).toHaveLength(2);
});

test('proxy.mjs ends, though its proxy does not respond', async () => {
  const sockets: Socket[] = [];
  const proxy = createTcpServer((socket) => sockets.push(socket.on('error', () => {})));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  afterThisTest(() => {
    sockets.forEach((socket) => socket.destroy());
    proxy.close();
  });
  const file = writeThroughProxy();
  writeFileSync(file, readFileSync(file, 'utf8').replace('dispatcher,', 'dispatcher, attemptTimeout: 100,'));
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  const env = { RECEIVER_URL: 'http://127.0.0.1:9', ACCESS_TOKEN: 'token', HTTP_PROXY };
  const { code, stderr } = await startProcess(process.execPath, withEverythingOpen(file), { env }).finished;

  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('PLANT_STORE_ATTEMPT_TIMEOUT'),
  });
  expect(sockets).toHaveLength(1);
});

test('observe.mjs logs a delivery that failed, and no other', async () => {
  const server = await startRawServer((request, index) =>
    index === 0
      ? acknowledge(request)
      : respondWith('HTTP/1.1 400 Arbitrary\r\nContent-Length: 0\r\n\r\n')(request),
  );
  const folder = writeDocumented(page);
  const file = join(folder, 'observed.mjs');
  writeFileSync(
    file,
    "import './observe.mjs';\nfor (let n = 0; n < 2; n += 1) await import(`./send.mjs?${n}`);\n",
  );
  const observed = startProcess(process.execPath, withEverythingOpen(file), { env: environment(server) });

  const { stdout, stderr } = await observed.finished;
  expect(stdout).toBe('acknowledged with 204\n');
  expect(stderr).toContain(`${server.url}/plant/webhook PLANT_STORE_NOT_ACKNOWLEDGED responded\n`);
  expect(stderr.match(/PLANT_STORE_NOT_ACKNOWLEDGED responded/g)).toHaveLength(2);
});
