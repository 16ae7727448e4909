import 'reflect-metadata';

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

import { type AnswerSchema, facts } from '@plant-store/contract';
import { afterThisTest } from '@plant-store/test-support';

import { makeLatch } from '../../test/make-latch.js';
import { runReceiver, TOKEN } from '../../test/run-receiver.js';

const POST = `POST ${facts.DELIVERY_PATH} HTTP/1.1\r\nHost: a\r\n`;
const RIGHT = `Authorization: Bearer ${TOKEN}\r\n`;

/** Connections of this process: of the receiver, and of those who send to it. */
const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

/** Opens a connection that stays open in its own direction when the receiver has ended the other one. */
async function openHalfOpen(url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  afterThisTest(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

describe('a peer that keeps its side open', () => {
  const rows = [
    { name: 'nothing sent', given: '', status: 408 },
    { name: 'half a head', given: POST, status: 408 },
    { name: 'half of its content', given: `${POST}${RIGHT}Content-Length: 2\r\n\r\na`, status: 408 },
    { name: 'not HTTP', given: 'arbitrary\r\n\r\n', status: 400 },
    { name: 'no token, half of its content', given: `${POST}Content-Length: 2\r\n\r\na`, status: 401 },
    {
      name: 'too much content that does not end',
      given: `${POST}${RIGHT}Content-Length: 11\r\n\r\na`,
      status: 413,
    },
  ];

  // All at once, because each connection lingers for a second of silence.
  test('gets the response to what it sent, and its connection is freed', async () => {
    const limits = { MAX_CONTENT_BYTES: '10' };
    const hasty = await runReceiver({}, { ...limits, REQUEST_TIMEOUT_MS: '50' });
    // A response other than 408 must not depend on who is faster.
    const patient = await runReceiver({}, limits);
    const told = await Promise.all(
      rows.map(async ({ name, given, status }) => {
        const socket = await openHalfOpen((status === 408 ? hasty : patient).url);
        socket.write(given);
        const [response] = (await once(socket, 'data')) as [Buffer];
        return { name, line: String(response).slice(0, 'HTTP/1.1 200'.length) };
      }),
    );

    expect(told).toEqual(rows.map(({ name, status }) => ({ name, line: `HTTP/1.1 ${status}` })));
    // The senders' own sockets stay.
    while (openSockets() > rows.length) await setTimeout(10);
  });
});

test('a sender that reads only when it has sent everything gets its response, though that takes seconds', async () => {
  const { url } = await runReceiver({});
  const socket = await openHalfOpen(url);
  const megabytes = 48;

  socket.write(`${POST}Content-Length: ${megabytes * 1_048_576}\r\n\r\n`);
  for (let sent = 0; sent < megabytes; sent += 1)
    await new Promise<void>((resolve, reject) =>
      socket.write(Buffer.alloc(1_048_576), (error) => (error ? reject(error) : resolve())),
    );

  expect((await text(socket)).split('\r\n', 1)).toEqual(['HTTP/1.1 401 Unauthorized']);
});

test('a peer that reads no response: the connection is freed', async () => {
  // The buffers of the system don't hold it.
  const code = 'a'.repeat(20_000_000);
  const { url } = await runReceiver(
    {
      'error-codes': { 'path-unknown': code },
      'error-payloads': { mediaType: 'application/json', fields: { code: 'code' } },
    },
    { REQUEST_TIMEOUT_MS: '50' },
  );
  const socket = await openHalfOpen(url);

  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');

  while (openSockets() > 1) await setTimeout(10);
});

test('a delivery in front of one that is refused is acknowledged, however long it takes', async () => {
  const latch = makeLatch();
  const slowly: AnswerSchema = {
    '~standard': {
      version: 1,
      vendor: 'this test',
      validate: (value) => latch.opened.then(() => ({ value })),
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  };
  const { url } = await runReceiver({
    'media-type': 'application/json',
    payload: 'plant',
    'plant-fields': slowly,
  });
  const socket = await openHalfOpen(url);
  const received = text(socket);

  socket.write(`${POST}${RIGHT}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
  socket.write(`${POST}Content-Length: 2\r\n\r\na`);
  // Longer than a connection lingers.
  await setTimeout(1_200);
  latch.open();

  expect([...(await received).matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)).toEqual([
    '204',
    '401',
  ]);
  while (openSockets() > 1) await setTimeout(10);
});

test('what follows a refused request is not processed', async () => {
  const { url, stored } = await runReceiver({});
  const socket = await openHalfOpen(url);

  socket.write(`${POST}\r\n` + `${POST}${RIGHT}Content-Length: 1\r\n\r\na`.repeat(500));

  expect((await text(socket)).match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 401']);
  expect(stored()).toEqual([]);
});

test('of requests that are sent all at once, those behind 100 that have no response are not processed', async () => {
  const { url, stored } = await runReceiver({});
  const socket = await openHalfOpen(url);
  const sent = 10_000;

  socket.on('error', () => undefined);
  socket.write(`${POST}${RIGHT}Content-Length: 1\r\n\r\na`.repeat(sent));

  const responses = (await text(socket)).split(/(?=HTTP\/1\.1 )/);
  expect(responses.length).toBeGreaterThanOrEqual(100);
  expect(responses.length).toBeLessThan(sent);
  expect(responses.at(-1)).toMatch(/^HTTP\/1\.1 204 [^]*\r\nconnection: close\r\n/i);
  expect(stored()).toHaveLength(responses.length);
});

test('a sender of 3 MB at 1 MB/s, in parts of 1 kB, gets the response to its refused head, and no reset', async () => {
  const { url } = await runReceiver({}, { MAX_CONTENT_BYTES: '10' });
  const socket = await openHalfOpen(url);
  const megabytes = 3;

  socket.write(`${POST}${RIGHT}Content-Length: ${megabytes * 1_000_000}\r\n\r\n`);
  for (let sent = 0; sent < megabytes * 1_000; sent += 1) {
    socket.write(Buffer.alloc(1_000));
    if (sent % 10 === 0) await setTimeout(10);
  }
  socket.end();

  expect((await text(socket)).split('\r\n', 1)).toEqual(['HTTP/1.1 413 Payload Too Large']);
});

test('whoever goes on sending after its response is cut off', async () => {
  const { url } = await runReceiver({});
  const socket = await openHalfOpen(url);
  let cut: Error | undefined;
  socket.on('error', (error) => (cut = error));
  socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n`);

  for (const part = Buffer.alloc(1_048_576); cut === undefined;)
    await new Promise((resolve) => socket.write(part, resolve));

  expect(cut).toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
});
