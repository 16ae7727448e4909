import { existsSync, readFileSync } from 'node:fs';

import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { CHUNKED, chunks, delivery, head, HOST, LAST_CHUNK, POST, RIGHT } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const MEBIBYTE = 1_048_576;
const CONNECTIONS = 8;
const SENT = 256 * MEBIBYTE;
/** Much less than what is sent, and more than waits for the garbage collectors of the receiver's threads. */
const ROOM = 144 * MEBIBYTE;

const withProc = existsSync('/proc/self/status') ? test : test.skip;

withProc.each([
  { name: 'the right token', authorization: RIGHT, status: 413 },
  { name: 'a wrong token', authorization: 'Authorization: Bearer wrong', status: 401 },
])('endless content with $name is refused, and not kept in memory', async ({ authorization, status }) => {
  const receiver = await startReceiver();
  const before = largest(receiver);
  const flood = async (): Promise<number> => {
    const connection = await openConnection(receiver.port);
    connection.write(head(POST, HOST, authorization, CHUNKED));
    const chunk = Buffer.from(chunks('a'.repeat(65_536)));
    let sent = 0;
    while (sent < SENT / CONNECTIONS && connection.error === undefined) {
      await connection.writeAll(chunk);
      sent += chunk.length;
    }
    expect((await connection.response()).line).toMatch(`HTTP/1.1 ${status} `);
    return sent;
  };

  const sent = await Promise.all(Array.from({ length: CONNECTIONS }, flood));

  expect(Math.max(...sent)).toBeGreaterThan(MEBIBYTE);
  expect(largest(receiver) - before).toBeLessThan(ROOM);
});

withProc('connections that stay open keep nothing of what they have delivered in memory', async () => {
  const receiver = await startReceiver();
  const before = largest(receiver);
  const content = 'a'.repeat(MEBIBYTE);

  for (let sent = 0; sent < SENT; sent += content.length) {
    const connection = await openConnection(receiver.port);
    connection.write(delivery(content));
    expectResponse(await connection.response(), { status: 204 });
  }

  expect(largest(receiver) - before).toBeLessThan(ROOM);
});

withProc('content in chunks of one byte takes no more memory than other content', async () => {
  const receiver = await startReceiver({ settings: { MAX_CONTENT_BYTES: `${2 * MEBIBYTE}` } });
  const before = largest(receiver);
  const part = Buffer.from(chunks('a').repeat(65_536));

  const connection = await openConnection(receiver.port);
  connection.write(head(POST, HOST, RIGHT, CHUNKED));
  for (let sent = 0; sent < 2 * MEBIBYTE; sent += 65_536) await connection.writeAll(part);
  connection.write(LAST_CHUNK);
  expectResponse(await connection.response(), { status: 204 });

  expect(largest(receiver) - before).toBeLessThan(ROOM);
});

/** The largest memory that the receiver has had so far, in bytes. */
function largest({ process }: RunningReceiver): number {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1_024;
}
