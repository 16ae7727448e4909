import { existsSync, readFileSync } from 'node:fs';

import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { CHUNKED, chunks, delivery, head, HOST, LAST_CHUNK, POST, RIGHT } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const MEBIBYTE = 1_048_576;
const CONNECTIONS = 8;
const SENT = 256 * MEBIBYTE;
/** Much less than what is sent, and more than waits for the garbage collector. */
const ROOM = 96 * MEBIBYTE;

const withProc = existsSync('/proc/self/status') ? describe : describe.skip;

withProc('endless content', () => {
  test.each([
    { name: 'with the right token', authorization: RIGHT, status: 413 },
    { name: 'with a wrong token', authorization: 'Authorization: Bearer wrong', status: 401 },
  ])('$name: refused, and not kept in memory', async ({ authorization, status }) => {
    const receiver = await startReceiver();
    const before = largest(receiver);

    const sent = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => flood(receiver, authorization, status)),
    );

    expect(Math.max(...sent)).toBeGreaterThan(MEBIBYTE);
    expect(largest(receiver) - before).toBeLessThan(ROOM);
  });
});

withProc('connections that stay open', () => {
  test('keep nothing of what they have delivered in memory', async () => {
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
});

withProc('content in chunks of one byte', () => {
  test('takes no more memory than other content', async () => {
    const receiver = await startReceiver({ settings: { MAX_CONTENT_BYTES: `${2 * MEBIBYTE}` } });
    const before = largest(receiver);
    const part = 'a'.repeat(65_536);
    const oneByteChunks = Buffer.from(chunks('a').repeat(part.length));

    const connection = await openConnection(receiver.port);
    connection.write(head(POST, HOST, RIGHT, CHUNKED));
    for (let sent = 0; sent < 2 * MEBIBYTE; sent += part.length) await connection.writeAll(oneByteChunks);
    connection.write(LAST_CHUNK);
    expectResponse(await connection.response(), { status: 204 });

    expect(largest(receiver) - before).toBeLessThan(ROOM);
    expect(readInbox(receiver.inbox).map(({ content }) => content.length)).toEqual([2 * MEBIBYTE]);
  });
});

/** Sends chunks whatever the response is, until the connection closes or all is sent. Returns the number of bytes. */
async function flood({ port }: RunningReceiver, authorization: string, status: number): Promise<number> {
  const connection = await openConnection(port);
  connection.write(head(POST, HOST, authorization, CHUNKED));
  const chunk = Buffer.from(chunks('a'.repeat(65_536)));
  let sent = 0;
  while (sent < SENT / CONNECTIONS && connection.error === undefined) {
    await connection.writeAll(chunk);
    sent += chunk.length;
  }
  expect((await connection.response()).line).toMatch(`HTTP/1.1 ${status} `);
  return sent;
}

/** The largest memory that the receiver has had so far, in bytes. */
function largest({ process }: RunningReceiver): number {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1_024;
}
