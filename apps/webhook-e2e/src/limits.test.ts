import { facts } from '@plant-store/contract';
import { afterThisFile, afterThisTest } from '@plant-store/test-support';

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

/** The contents of the deliveries with an id above `after`. */
const contentsOf = ({ inbox }: RunningReceiver, after = 0): string[] =>
  readInbox(inbox, after).map(({ content }) => content.toString());

const lastId = ({ inbox }: RunningReceiver): number => readInbox(inbox).at(-1)?.id ?? 0;

let receiver: RunningReceiver;

beforeAll(async () => {
  receiver = await startReceiver({
    settings: { MAX_CONTENT_BYTES: `${LIMIT}`, MAX_CONTENT_BYTES_IN_FLIGHT: `${LIMIT}` },
    cleanUp: afterThisFile,
  });
});

describe('content above MAX_CONTENT_BYTES', () => {
  test('content of exactly the limit is accepted, with a length and in chunks', async () => {
    const before = lastId(receiver);
    const connection = await openConnection(receiver.port);
    const [byLength, byChunks] = ['l'.repeat(LIMIT), 'c'.repeat(LIMIT)];

    connection.write(delivery(byLength));
    expectResponse(await connection.response(), { status: 204 });
    connection.write(head(POST, HOST, RIGHT, CHUNKED) + chunks(byChunks.slice(1), 'c') + LAST_CHUNK);
    expectResponse(await connection.response(), { status: 204 });

    expect(contentsOf(receiver, before)).toEqual([byLength, byChunks]);
  });

  test.each([
    { name: 'sent whole, with a length', given: delivery('a'.repeat(LIMIT + 1)) },
    {
      name: 'sent whole, in chunks',
      given: head(POST, HOST, RIGHT, CHUNKED) + chunks('a'.repeat(LIMIT), 'a') + LAST_CHUNK,
    },
    {
      name: 'with the largest length',
      given: head(POST, HOST, RIGHT, `Content-Length: ${Number.MAX_SAFE_INTEGER}`),
    },
  ])('$name → 413, and the connection closes', async ({ given }) => {
    const before = lastId(receiver);
    const connection = await openConnection(receiver.port);

    connection.write(given);

    expectResponse(await connection.response(), TOO_LARGE);
    expect(await connection.rest()).toBe('');
    expect(contentsOf(receiver, before)).toEqual([]);
  });

  test('with a length → 413 before any content is sent; the sender can go on without a reset', async () => {
    const connection = await openConnection(receiver.port, { allowHalfOpen: true });
    const content = 1_048_576;

    connection.write(head(POST, HOST, RIGHT, `Content-Length: ${content}`));

    expectResponse(await connection.response(), TOO_LARGE);
    for (let sent = 0; sent < content; sent += 65_536) await connection.writeAll(Buffer.alloc(65_536));
    expect(await connection.rest()).toBe('');
  });

  test('in chunks → 413 as soon as they are too large; the sender can go on without a reset', async () => {
    const connection = await openConnection(receiver.port, { allowHalfOpen: true });

    connection.write(head(POST, HOST, RIGHT, CHUNKED) + chunks('a'.repeat(LIMIT), 'a'));

    expectResponse(await connection.response(), TOO_LARGE);
    const chunk = Buffer.from(chunks('a'.repeat(65_536)));
    for (let count = 0; count < 16; count += 1) await connection.writeAll(chunk);
    connection.write(LAST_CHUNK);
    expect(await connection.rest()).toBe('');
  });

  // Parts of this size wait for each other, so that some are read after the response.
  test('in large chunks that arrive at once → 413, and the next delivery is accepted', async () => {
    const connection = await openConnection(receiver.port);

    connection.write(head(POST, HOST, RIGHT, CHUNKED) + chunks('a'.repeat(20_000)).repeat(3));

    expectResponse(await connection.response(), TOO_LARGE);
    expect(await connection.rest()).toBe('');
    const next = await openConnection(receiver.port);
    next.write(delivery());
    expectResponse(await next.response(), { status: 204 });
    expect(receiver.process.stderr).toBe('');
  });
});

describe('authentication before content', () => {
  test.each([
    { name: 'a length', fields: ['Content-Length: 1000'] },
    { name: 'chunks', fields: [CHUNKED] },
    { name: 'a length above the limit', fields: ['Content-Length: 100000000'] },
    { name: 'Expect: 100-continue', fields: ['Content-Length: 1000', 'Expect: 100-continue'] },
  ])('$name, wrong token → 401 before any content is sent', async ({ fields }) => {
    const connection = await openConnection(receiver.port);

    connection.write(head(POST, HOST, WRONG, ...fields));

    expectResponse(await connection.response(), WRONG_TOKEN);
  });

  test('content sent after a 401 is not read as a request', async () => {
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

describe('a request slower than REQUEST_TIMEOUT_MS', () => {
  let slow: RunningReceiver;

  beforeAll(async () => {
    slow = await startReceiver({
      settings: {
        REQUEST_TIMEOUT_MS: '200',
        MAX_CONTENT_BYTES: `${LIMIT}`,
        MAX_CONTENT_BYTES_IN_FLIGHT: `${LIMIT}`,
      },
      cleanUp: afterThisFile,
    });
  });

  test.each([
    { name: 'half a head', given: `${POST}\r\n${HOST}\r\n` },
    { name: 'half of its content', given: message(POST, [RIGHT], 'slow').slice(0, -1) },
    { name: 'half of its chunks', given: head(POST, HOST, RIGHT, CHUNKED) + chunks('slow') },
    { name: 'none of its content', given: head(POST, HOST, RIGHT, 'Content-Length: 4') },
  ])('$name → 408, and the connection closes', async ({ given }) => {
    const connection = await openConnection(slow.port);

    connection.write(given);

    expectResponse(await connection.response(), { status: 408, closes: true });
    expect(await connection.rest()).toBe('');
    expect(contentsOf(slow)).toEqual([]);
  });

  test('content that arrives after the 408 is not stored', async () => {
    const connection = await openConnection(slow.port, { allowHalfOpen: true });
    connection.write(head(POST, HOST, RIGHT, 'Content-Length: 4') + 'la');
    expectResponse(await connection.response(), { status: 408, closes: true });

    connection.write('te' + delivery('later'));

    expect(await connection.rest()).toBe('');
    expect(contentsOf(slow)).toEqual([]);
  });

  test('what a sender that stalls holds of MAX_CONTENT_BYTES_IN_FLIGHT is freed, though it keeps its side open', async () => {
    const connection = await openConnection(slow.port, { allowHalfOpen: true });
    connection.write(delivery('a'.repeat(LIMIT)).slice(0, -1));
    expect((await connection.response()).line).toMatch('HTTP/1.1 408 ');

    await deliverUntil(slow, 'b'.repeat(LIMIT), 204);
  });
});

test('an idle connection closes after KEEP_ALIVE_TIMEOUT_MS, without a response', async () => {
  const receiver = await startReceiver({ settings: { KEEP_ALIVE_TIMEOUT_MS: '50' } });
  const connection = await openConnection(receiver.port);
  connection.write(delivery());
  expectResponse(await connection.response(), { status: 204 });

  expect(await connection.rest()).toBe('');
});

describe('more connections than MAX_CONNECTIONS', () => {
  const MAX = 20;
  const start = (): Promise<RunningReceiver> =>
    startReceiver({ settings: { MAX_CONNECTIONS: `${MAX}` }, cleanUp: afterThisTest });

  /** Opens connections one after the other. */
  async function openMany({ port }: RunningReceiver, count: number): Promise<Connection[]> {
    const connections: Connection[] = [];
    while (connections.length < count) connections.push(await openConnection(port));
    return connections;
  }

  /** Opens a connection and delivers on it. */
  async function openKnown({ port }: RunningReceiver): Promise<Connection> {
    const connection = await openConnection(port);
    connection.write(delivery());
    expectResponse(await connection.response(), { status: 204 });
    return connection;
  }

  test('the oldest connection without a right token closes, and deliveries are accepted', async () => {
    const receiver = await start();
    const first = await openKnown(receiver);
    const strangers = await openMany(receiver, MAX - 1);

    const second = await openKnown(receiver);
    const third = await openKnown(receiver);

    for (const connection of strangers.slice(0, 2)) expect(await connection.rest()).toBe('');
    expect(strangers.slice(2).some(({ isOver }) => isOver)).toBe(false);
    for (const connection of [first, second, third]) {
      connection.write(delivery());
      expectResponse(await connection.response(), { status: 204 });
    }
  });

  test('a flood of connections that send nothing does not close those with a right token', async () => {
    const receiver = await start();
    const [idle, busy] = [await openKnown(receiver), await openConnection(receiver.port)];
    busy.write(head(POST, HOST, RIGHT, 'Content-Length: 2', 'Expect: 100-continue'));
    await busy.response();

    for (let count = 0; count < 10; count += 1) await openMany(receiver, MAX);

    busy.write('ab');
    idle.write(delivery());
    for (const connection of [busy, idle]) expectResponse(await connection.response(), { status: 204 });
  });

  test('without a stranger, the oldest idle connection closes; without an idle one, the new connection', async () => {
    const receiver = await start();
    const idle = [await openKnown(receiver), await openKnown(receiver)];
    const half = head(POST, HOST, RIGHT, 'Content-Length: 2', 'Expect: 100-continue');
    const busy: Connection[] = [];
    for (let count = 0; count < MAX; count += 1) {
      const connection = await openConnection(receiver.port);
      connection.write(half);
      await connection.response();
      busy.push(connection);
    }

    for (const connection of idle) expect(await connection.rest()).toBe('');
    const refused = await openConnection(receiver.port);
    expect(await refused.rest()).toBe('');
    for (const connection of busy) {
      connection.write('ab');
      expectResponse(await connection.response(), { status: 204 });
    }
  });
});

describe('content in flight above MAX_CONTENT_BYTES_IN_FLIGHT', () => {
  const half = 'a'.repeat(600);

  test('503, and nothing is stored; deliveries are accepted again when the others are complete', async () => {
    const before = lastId(receiver);
    const slow = await sendHalf();

    const accepted = await deliverUntil(receiver, half, 503);

    slow.write('a'.repeat(400));
    expectResponse(await slow.response(), { status: 204 });
    expect(contentsOf(receiver, before)).toEqual([...Array<string>(accepted).fill(half), 'a'.repeat(1_000)]);
    const next = await openConnection(receiver.port);
    next.write(delivery('b'.repeat(1_000)));
    expectResponse(await next.response(), { status: 204 });
  });

  test('deliveries are accepted again when another sender disconnects', async () => {
    const slow = await sendHalf();
    await deliverUntil(receiver, half, 503);

    slow.destroy();

    await deliverUntil(receiver, half, 204);
  });

  /** Sends more than half of the limit, and not the rest. */
  async function sendHalf(): Promise<Connection> {
    const connection = await openConnection(receiver.port);
    connection.write(head(POST, HOST, RIGHT, 'Content-Length: 1000', 'Expect: 100-continue'));
    await connection.response();
    await connection.writeAll(Buffer.from(half));
    return connection;
  }
});

/**
 * Delivers until the response has this status. It may differ until the receiver has read what was sent before.
 *
 * @returns how many responses differed
 */
async function deliverUntil({ port }: RunningReceiver, content: string, status: 204 | 503): Promise<number> {
  for (let others = 0; ; others += 1) {
    const connection = await openConnection(port);
    connection.write(delivery(content));
    const response = await connection.response();
    if (!response.line.startsWith(`HTTP/1.1 ${status}`)) continue;
    expectResponse(response, { status, closes: status === 503 });
    return others;
  }
}
