import { facts } from '@plant-store/contract';

import { afterThisFile } from '../support/clean-up.js';
import { type Connection, openConnection } from '../support/connection.js';
import { expectResponse, type WantedResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import {
  CHUNKED,
  chunks,
  delivery,
  head,
  HOST,
  LAST_CHUNK,
  message,
  POST,
  RIGHT,
} from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const LIMIT = 1_000;
const TOO_LARGE: WantedResponse = { status: 413, closes: true };
const WRONG = 'Authorization: Bearer wrong';
const WRONG_TOKEN: WantedResponse = {
  status: 401,
  fields: { 'www-authenticate': 'Bearer error="invalid_token"' },
  closes: true,
};
const contentsOf = ({ inbox }: RunningReceiver): string[] =>
  readInbox(inbox).map(({ content }) => content.toString());

describe('content that is larger than the guard', () => {
  let receiver: RunningReceiver;

  beforeAll(async () => {
    receiver = await startReceiver({
      settings: { MAX_CONTENT_BYTES: `${LIMIT}` },
      cleanUp: afterThisFile,
    });
  });

  test('as much as the guard allows is taken, by length and by chunks', async () => {
    const connection = await openConnection(receiver.port);
    const [byLength, byChunks] = ['l'.repeat(LIMIT), 'c'.repeat(LIMIT)];

    connection.write(delivery(byLength));
    expectResponse(await connection.response(), { status: 204 });
    connection.write(head(POST, HOST, RIGHT, CHUNKED) + chunks(byChunks.slice(1), 'c') + LAST_CHUNK);
    expectResponse(await connection.response(), { status: 204 });

    expect(contentsOf(receiver)).toEqual([byLength, byChunks]);
  });

  test.each([
    { name: 'by its length, whole', given: delivery('a'.repeat(LIMIT + 1)) },
    {
      name: 'by its chunks, whole',
      given: head(POST, HOST, RIGHT, CHUNKED) + chunks('a'.repeat(LIMIT), 'a') + LAST_CHUNK,
    },
    {
      name: 'by a length beyond all numbers',
      given: head(POST, HOST, RIGHT, `Content-Length: ${Number.MAX_SAFE_INTEGER}`),
    },
  ])('$name → 413, and the connection closes', async ({ given }) => {
    const before = contentsOf(receiver);
    const connection = await openConnection(receiver.port);

    connection.write(given);

    expectResponse(await connection.response(), TOO_LARGE);
    expect(await connection.rest()).toBe('');
    expect(contentsOf(receiver)).toEqual(before);
  });

  test('by its length → 413 before any of it is sent; the sender may go on without a reset', async () => {
    const connection = await openConnection(receiver.port);
    const content = 4 * 1_048_576;

    connection.write(head(POST, HOST, RIGHT, `Content-Length: ${content}`));

    expectResponse(await connection.response(), TOO_LARGE);
    for (let sent = 0; sent < content; sent += 65_536) await connection.writeAll(Buffer.alloc(65_536));
    expect(await connection.rest()).toBe('');
  });

  test('by its chunks → 413 as soon as they are too large; the sender may go on without a reset', async () => {
    const connection = await openConnection(receiver.port);

    connection.write(head(POST, HOST, RIGHT, CHUNKED) + chunks('a'.repeat(LIMIT), 'a'));

    expectResponse(await connection.response(), TOO_LARGE);
    const chunk = Buffer.from(chunks('a'.repeat(65_536)));
    for (let count = 0; count < 64; count += 1) await connection.writeAll(chunk);
    connection.write(LAST_CHUNK);
    expect(await connection.rest()).toBe('');
  });

  test('a sender that never ends is not waited for', async () => {
    const connection = await openConnection(receiver.port);

    connection.write(head(POST, HOST, RIGHT, CHUNKED) + chunks('a'.repeat(LIMIT), 'a'));

    expectResponse(await connection.response(), TOO_LARGE);
    expect(await connection.rest()).toBe('');
  });
});

describe('authentication comes before one byte of the content', () => {
  let receiver: RunningReceiver;

  beforeAll(async () => {
    receiver = await startReceiver({ cleanUp: afterThisFile });
  });

  test.each([
    { name: 'a length', fields: ['Content-Length: 1000'] },
    { name: 'chunks', fields: [CHUNKED] },
    { name: 'a length beyond the guard', fields: ['Content-Length: 100000000'] },
    { name: 'Expect: 100-continue', fields: ['Content-Length: 1000', 'Expect: 100-continue'] },
  ])('$name, wrong token → 401 although nothing was sent', async ({ fields }) => {
    const connection = await openConnection(receiver.port);

    connection.write(head(POST, HOST, WRONG, ...fields));

    expectResponse(await connection.response(), WRONG_TOKEN);
  });

  test('what is sent after a 401 is not taken for a request', async () => {
    const connection = await openConnection(receiver.port);
    const content = delivery('smuggled');

    connection.write(head(POST, HOST, WRONG, `Content-Length: ${content.length}`));
    expectResponse(await connection.response(), WRONG_TOKEN);
    connection.write(content + delivery('smuggled'));

    expect(await connection.rest()).toBe('');
    expect(contentsOf(receiver)).not.toContain('smuggled');
  });

  test('Expect: 100-continue, right token → 100, then 204', async () => {
    const connection = await openConnection(receiver.port);

    connection.write(head(POST, HOST, RIGHT, 'Content-Length: 8', 'Expect: 100-Continue'));
    expect(await connection.response()).toEqual({ line: 'HTTP/1.1 100 Continue', fields: [], content: '' });
    connection.write('expected');

    expectResponse(await connection.response(), { status: 204 });
    expect(contentsOf(receiver)).toContain('expected');
  });

  test.each([
    { name: 'no content', line: POST, fields: ['Content-Length: 0'], want: { status: 400 } },
    { name: 'too much content', line: POST, fields: ['Content-Length: 100000000'], want: TOO_LARGE },
    {
      name: 'another path',
      line: 'POST / HTTP/1.1',
      fields: ['Content-Length: 8'],
      want: { status: 404, closes: true },
    },
    {
      name: 'another method',
      line: `DELETE ${facts.DELIVERY_PATH} HTTP/1.1`,
      fields: ['Content-Length: 8'],
      want: { status: 405, fields: { allow: 'POST, PUT, PATCH' }, closes: true },
    },
  ])('Expect: 100-continue, right token, but $name → no 100', async ({ line, fields, want }) => {
    const connection = await openConnection(receiver.port);

    connection.write(head(line, HOST, RIGHT, 'Expect: 100-continue', ...fields));

    expectResponse(await connection.response(), want);
  });
});

describe('a request that is slower than the guard', () => {
  let receiver: RunningReceiver;

  beforeAll(async () => {
    receiver = await startReceiver({ settings: { REQUEST_TIMEOUT_MS: '200' }, cleanUp: afterThisFile });
  });

  test.each([
    { name: 'half a head', given: `${POST}\r\n${HOST}\r\n` },
    { name: 'half of its content', given: message(POST, [RIGHT], 'slow').slice(0, -1) },
    { name: 'half of its chunks', given: head(POST, HOST, RIGHT, CHUNKED) + chunks('slow') },
    { name: 'none of its content', given: head(POST, HOST, RIGHT, 'Content-Length: 4') },
  ])('$name → 408, and the connection closes', async ({ given }) => {
    const connection = await openConnection(receiver.port);

    connection.write(given);

    expectResponse(await connection.response(), { status: 408, closes: true });
    expect(await connection.rest()).toBe('');
    expect(contentsOf(receiver)).toEqual([]);
  });

  test('nothing at all → the same', async () => {
    const connection = await openConnection(receiver.port);

    expectResponse(await connection.response(), { status: 408, closes: true });
    expect(await connection.rest()).toBe('');
  });
});

test('an idle connection that is kept closes without a word', async () => {
  const receiver = await startReceiver({ settings: { KEEP_ALIVE_TIMEOUT_MS: '50' } });
  const connection = await openConnection(receiver.port);
  connection.write(delivery());
  expectResponse(await connection.response(), { status: 204 });

  expect(await connection.rest()).toBe('');
});

describe('more content in flight than the guard', () => {
  const settings = { MAX_CONTENT_BYTES: '1000', MAX_CONTENT_BYTES_IN_FLIGHT: '1000' };
  const half = 'a'.repeat(600);

  test('503 and nothing kept; room again once the others are done', async () => {
    const receiver = await startReceiver({ settings });
    const holder = await holdHalf(receiver);

    await deliverUntil(receiver, 503);

    holder.write('a'.repeat(400));
    expectResponse(await holder.response(), { status: 204 });
    const kept = contentsOf(receiver).filter((content) => content.length === 1_000);
    expect(kept).toEqual(['a'.repeat(1_000)]);
    const next = await openConnection(receiver.port);
    next.write(delivery('b'.repeat(1_000)));
    expectResponse(await next.response(), { status: 204 });
  });

  test('room again once a sender has left in the middle', async () => {
    const receiver = await startReceiver({ settings });
    const holder = await holdHalf(receiver);
    await deliverUntil(receiver, 503);

    holder.destroy();

    await deliverUntil(receiver, 204);
  });

  /** Sends more than half of what may be in flight, and not the rest. */
  async function holdHalf({ port }: RunningReceiver): Promise<Connection> {
    const connection = await openConnection(port);
    connection.write(head(POST, HOST, RIGHT, 'Content-Length: 1000', 'Expect: 100-continue'));
    await connection.response();
    await connection.writeAll(Buffer.from(half));
    return connection;
  }

  /** Delivers until the answer has this status; another one may come while the receiver has not yet read. */
  async function deliverUntil(receiver: RunningReceiver, status: 204 | 503): Promise<void> {
    for (;;) {
      const connection = await openConnection(receiver.port);
      connection.write(delivery(half));
      const answer = await connection.response();
      if (!answer.line.startsWith(`HTTP/1.1 ${status}`)) continue;
      expectResponse(answer, { status, closes: status === 503 });
      return;
    }
  }
});
