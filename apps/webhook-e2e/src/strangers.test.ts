import { networkInterfaces } from 'node:os';

import { afterThisFile } from '@plant-store/test-support';

import { openConnection, type Place } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { CHUNKED, chunks, delivery, head, HOST, POST } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const DELIVERIES = 10;

/** Delivers one after the other. Each is acknowledged and stored. */
async function deliverAll(receiver: RunningReceiver): Promise<void> {
  const before = readInbox(receiver.inbox).at(-1)?.id;
  const contents = Array.from({ length: DELIVERIES }, (_, index) => `delivery ${index}`);
  const connection = await openConnection(receiver.port);
  for (const content of contents) {
    connection.write(delivery(content));
    expectResponse(await connection.response(), { status: 204 });
  }
  expect(readInbox(receiver.inbox, before).map(({ content }) => content.toString())).toEqual(contents);
}

let receiver: RunningReceiver;

beforeAll(async () => {
  receiver = await startReceiver({ cleanUp: afterThisFile });
});

test('twenty strangers who pipeline thousands of requests: each is cut off, every delivery is acknowledged', async () => {
  const requests = Buffer.from(head(POST, HOST, 'Authorization: Bearer wrong').repeat(2_000));
  let goesOn = true;
  /** Sends the requests again and again, each time on a new connection. */
  async function attack(): Promise<void> {
    while (goesOn) {
      const connection = await openConnection(receiver.port);
      connection.write(requests);
      const responses = await connection.everything();
      // A connection that is reset loses even the first one.
      expect(responses.match(/HTTP\/1\.1 /g)?.length ?? 1).toBe(1);
    }
  }

  const strangers = Array.from({ length: 20 }, attack);
  await deliverAll(receiver);
  goesOn = false;
  await Promise.all(strangers);
});

describe('strangers who send without end, on connection after connection', () => {
  const oneByteChunks = Buffer.from(chunks('a').repeat(10_000));

  /** Attacks until it is told to end. Whoever goes on sending is cut off, and may lose the response by that. */
  function attack(count: number, place: Place, begin: string, goOn = oneByteChunks): () => Promise<void> {
    let goesOn = true;
    async function beStranger(): Promise<void> {
      while (goesOn) {
        const connection = await openConnection(place, { allowHalfOpen: true });
        connection.write(begin);
        while (connection.error === undefined) await connection.writeAll(goOn);
      }
    }
    const strangers = Array.from({ length: count }, beStranger);
    return async () => {
      goesOn = false;
      await Promise.all(strangers);
    };
  }

  test('every delivery is acknowledged', async () => {
    const end = attack(100, receiver.port, head(POST, HOST, CHUNKED));

    await deliverAll(receiver);

    await end();
  });

  // On a machine without a network, everybody is local.
  const elsewhere = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const probe = head('GET /metrics HTTP/1.1', HOST);

  test.each([
    { name: 'in content of GET', begin: head('GET /livez HTTP/1.1', HOST, CHUNKED) },
    { name: 'in content that nobody reads', begin: head('POST /metrics HTTP/1.1', HOST, CHUNKED) },
    { name: 'to a path that is not there', begin: head('POST /any HTTP/1.1', HOST, CHUNKED) },
    { name: 'one request after the other', begin: probe, goOn: Buffer.from(probe.repeat(1_000)) },
  ])(
    'on the operations listener, $name: every delivery is acknowledged, and every probe gets its response',
    async ({ begin, goOn }) => {
      const open = await startReceiver({ settings: { OPERATIONS_HOST: '0.0.0.0' } });
      const { operations } = await open.process.logged('listening');
      const port = Number(new URL(operations as string).port);
      const end = attack(20, { host: elsewhere ?? '127.0.0.1', port }, begin, goOn);

      await deliverAll(open);
      for (let count = 0; count < DELIVERIES; count += 1) {
        const response = await fetch(new URL('/livez', operations as string), {
          headers: { connection: 'close' },
        });
        expect(response.status).toBe(200);
      }

      await end();
    },
  );
});

test('1,100 connections of one byte each, and 200 to the operations, with the fewest descriptors: every delivery is acknowledged', async () => {
  const limited = await startReceiver({ maxOpenFiles: 512 });
  const { operations } = await limited.process.logged('listening');
  let strangers = 0;
  async function attack(): Promise<void> {
    for (; strangers < 1_300; strangers += 1) {
      const port = strangers < 1_100 ? limited.port : Number(new URL(operations as string).port);
      (await openConnection(port)).write('P');
    }
  }

  const attackers = Array.from({ length: 10 }, attack);
  await deliverAll(limited);
  await Promise.all(attackers);

  for (const content of ['on a new connection', 'on another']) {
    const connection = await openConnection(limited.port);
    connection.write(delivery(content));
    expectResponse(await connection.response(), { status: 204 });
  }
  expect((await fetch(new URL('/readyz', operations as string))).status).toBe(200);
  expect(limited.process.stderr).toBe('');
});
