import { type Connection, openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { delivery, head, HOST, POST, RIGHT } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const DELIVERIES = 100;

/** Delivers one after the other. Each is acknowledged and stored. */
async function deliverAll(receiver: RunningReceiver): Promise<void> {
  const contents = Array.from({ length: DELIVERIES }, (_, index) => `delivery ${index}`);
  const connection = await openConnection(receiver.port);
  for (const content of contents) {
    connection.write(delivery(content));
    expectResponse(await connection.response(), { status: 204 });
  }
  expect(readInbox(receiver.inbox).map(({ content }) => content.toString())).toEqual(contents);
}

test('twenty strangers who pipeline thousands of requests: each is cut off, every delivery is acknowledged', async () => {
  const receiver = await startReceiver();
  const requests = Buffer.from(head(POST, HOST, 'Authorization: Bearer wrong').repeat(2_000));
  let goesOn = true;
  let refused = 0;
  /** Sends the requests again and again, each time on a new connection. */
  async function attack(): Promise<void> {
    while (goesOn) {
      const connection = await openConnection(receiver.port);
      connection.write(requests);
      const responses = await connection.everything();
      const count = responses.split('HTTP/1.1 401 ').length - 1;
      expect(count).toBeLessThanOrEqual(8);
      refused += count;
    }
  }

  const strangers = Array.from({ length: 20 }, attack);
  await deliverAll(receiver);
  goesOn = false;
  await Promise.all(strangers);

  expect(refused).toBeGreaterThan(20);
});

test('1,100 connections of one byte each, with 1,024 descriptors: every delivery is acknowledged', async () => {
  const receiver = await startReceiver({ maxOpenFiles: 1_024 });
  let strangers = 0;
  async function attack(): Promise<void> {
    for (; strangers < 1_100; strangers += 1) (await openConnection(receiver.port)).write('P');
  }

  const attackers = Array.from({ length: 10 }, attack);
  await deliverAll(receiver);
  await Promise.all(attackers);

  for (const content of ['on a new connection', 'on another']) {
    const connection = await openConnection(receiver.port);
    connection.write(delivery(content));
    expectResponse(await connection.response(), { status: 204 });
  }
  expect(receiver.process.stderr).toBe('');
});

test('64 senders that stall at 1,048,000 bytes and keep their side open: what they hold is freed', async () => {
  const receiver = await startReceiver({ settings: { REQUEST_TIMEOUT_MS: '2000' } });
  const all = Buffer.alloc(1_048_576, 'a');
  const stalled = all.subarray(0, 1_048_000);
  async function deliver(connection: Connection): Promise<string> {
    connection.write(delivery(all.toString()));
    return (await connection.response()).line;
  }

  const senders = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const connection = await openConnection(receiver.port, { allowHalfOpen: true });
      connection.write(head(POST, HOST, RIGHT, `Content-Length: ${all.length}`));
      await connection.writeAll(stalled);
      return connection;
    }),
  );
  for (const sender of senders) expect((await sender.response()).line).toMatch('HTTP/1.1 408 ');

  // The last of them may be closing still.
  let line = '';
  while (!line.startsWith('HTTP/1.1 204')) line = await deliver(await openConnection(receiver.port));
  expect(readInbox(receiver.inbox)).toHaveLength(1);
});
