import { type Connection, openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { ARBITRARY, delivery, head, HOST, POST, RIGHT } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

describe.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('on %s', (signal) => {
  test('a delivery in flight gets its response, new connections are refused, and the exit code is 0', async () => {
    const receiver = await startReceiver();
    const connection = await openHalf(receiver);

    receiver.process.signal(signal);
    await untilRefused(receiver);
    connection.write(ARBITRARY.slice(4));

    expectResponse(await connection.response(), { status: 204, closes: true });
    expect(await connection.rest()).toBe('');
    expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
    expect(readInbox(receiver.inbox).map(({ content }) => content.toString())).toEqual([ARBITRARY]);
    expect(receiver.process.stderr).toBe('');
  });
});

test('a signal right after the start stops the receiver in order', async () => {
  const receiver = await startReceiver();

  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
  expect(receiver.process.entries().map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped']);
});

test('a further SIGHUP, as a terminal that closes sends it, cuts nothing short', async () => {
  const receiver = await startReceiver();
  const connection = await openHalf(receiver);
  receiver.process.signal('SIGHUP');
  await untilRefused(receiver);

  receiver.process.signal('SIGHUP');
  connection.write(ARBITRARY.slice(4));

  expectResponse(await connection.response(), { status: 204, closes: true });
  expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
});

describe('while the receiver stops', () => {
  test('a delivery that was begun on an open connection is acknowledged', async () => {
    const receiver = await startReceiver();
    const connection = await openConnection(receiver.port, { allowHalfOpen: true });
    connection.write(delivery('begun').slice(0, 10));
    await untilReceived(receiver);

    receiver.process.signal('SIGTERM');
    await untilRefused(receiver);
    connection.write(delivery('begun').slice(10));
    connection.end();

    expectResponse(await connection.response(), { status: 204, closes: true });
    expect(await connection.rest()).toBe('');
    expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
    const contents = readInbox(receiver.inbox).map(({ content }) => content.toString());
    expect(contents).toEqual(['received', 'begun']);
  });

  test('an idle connection closes', async () => {
    const receiver = await startReceiver();
    const connection = await openConnection(receiver.port);
    connection.write(delivery());
    expectResponse(await connection.response(), { status: 204 });

    receiver.process.signal('SIGTERM');

    expect(await connection.rest()).toBe('');
    expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
  });
});

test('a connection without a request does not delay the end', async () => {
  const receiver = await startReceiver();
  const connection = await openConnection(receiver.port);
  await untilReceived(receiver);

  receiver.process.signal('SIGTERM');

  expect(await connection.rest()).toBe('');
  expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
});

test('a refused peer that keeps its side open does not delay the end', async () => {
  const receiver = await startReceiver();
  const connection = await openConnection(receiver.port, { allowHalfOpen: true });
  connection.write(head('not HTTP'));
  expectResponse(await connection.response(), { status: 400, closes: true });

  receiver.process.signal('SIGTERM');

  expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
});

describe('with SHUTDOWN_DELAY_MS', () => {
  test('/readyz says no, deliveries are accepted as before, then each connection closes after its next response', async () => {
    const receiver = await startReceiver({ settings: { SHUTDOWN_DELAY_MS: '2000' } });
    const kept = await openConnection(receiver.port);
    const idle = await openConnection(receiver.port);
    for (const connection of [kept, idle]) {
      connection.write(delivery('before'));
      expectResponse(await connection.response(), { status: 204 });
    }

    receiver.process.signal('SIGTERM');
    expect(await receiver.process.logged('stopping')).toMatchObject({ delayMs: 2_000, timeoutMs: 10_000 });
    const { operations } = await receiver.process.logged('listening');
    const readyz = await fetch(new URL('readyz', operations as string));
    expect([readyz.status, await readyz.text()]).toEqual([503, 'The receiver is stopping.']);
    for (const connection of [kept, await openConnection(receiver.port)]) {
      connection.write(delivery('during the delay'));
      expectResponse(await connection.response(), { status: 204 });
    }

    await untilRefused(receiver);
    for (const connection of [kept, idle]) {
      connection.write(delivery('after the delay'));
      expectResponse(await connection.response(), { status: 204, closes: true });
      expect(await connection.rest()).toBe('');
    }
    expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
    const contents = ['before', 'during the delay', 'after the delay'].flatMap((text) => [text, text]);
    expect(readInbox(receiver.inbox).map(({ content }) => content.toString())).toEqual(contents);
  });

  test('connections that stay idle close, and the exit code is 0', async () => {
    const settings = { SHUTDOWN_DELAY_MS: '1', SHUTDOWN_TIMEOUT_MS: '1000' };
    const receiver = await startReceiver({ settings });
    const silent = await openConnection(receiver.port);
    const idle = await openConnection(receiver.port);
    idle.write(delivery());
    expectResponse(await idle.response(), { status: 204 });

    receiver.process.signal('SIGTERM');

    expect(await idle.rest()).toBe('');
    expect(await silent.rest()).toBe('');
    expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
  });

  test('a request that does not end is cut short after SHUTDOWN_TIMEOUT_MS', async () => {
    const settings = { SHUTDOWN_DELAY_MS: '1', SHUTDOWN_TIMEOUT_MS: '200' };
    const receiver = await startReceiver({ settings });
    await openHalf(receiver);

    receiver.process.signal('SIGTERM');

    expect(await receiver.process.exit).toEqual({ code: 1, signal: null });
  });

  test('a second signal ends the receiver during the delay', async () => {
    const receiver = await startReceiver({ settings: { SHUTDOWN_DELAY_MS: '600000' } });
    receiver.process.signal('SIGTERM');
    await receiver.process.logged('stopping');

    receiver.process.signal('SIGTERM');

    expect(await receiver.process.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

describe('a request that does not end', () => {
  test.each([
    { name: 'half a head', given: `${POST}\r\n` },
    { name: 'half of its content', given: head(POST, HOST, RIGHT, 'Content-Length: 100') + 'half' },
  ])('$name: the receiver exits at its deadline with code 1', async ({ given }) => {
    const receiver = await startReceiver({ settings: { SHUTDOWN_TIMEOUT_MS: '200' } });
    const connection = await openConnection(receiver.port);
    connection.write(given);
    await untilReceived(receiver);

    receiver.process.signal('SIGTERM');

    expect(await connection.rest()).toBe('');
    expect(await receiver.process.exit).toEqual({ code: 1, signal: null });
    expect(receiver.process.entries('stopped')).toMatchObject([{ cutShort: true }]);
    expect(receiver.process.stderr).toBe('');
  });

  test('a second signal ends the receiver at once', async () => {
    const receiver = await startReceiver();
    await openHalf(receiver);
    receiver.process.signal('SIGTERM');
    await untilRefused(receiver);

    receiver.process.signal('SIGTERM');

    expect(await receiver.process.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

/** Opens a delivery of which the receiver has begun to read the content. */
async function openHalf({ port }: RunningReceiver): Promise<Connection> {
  const connection = await openConnection(port);
  connection.write(head(POST, HOST, RIGHT, `Content-Length: ${ARBITRARY.length}`, 'Expect: 100-continue'));
  expect((await connection.response()).line).toBe('HTTP/1.1 100 Continue');
  connection.write(ARBITRARY.slice(0, 4));
  return connection;
}

/** Waits until the receiver has read what was sent before: it reads in order of arrival. */
async function untilReceived({ port }: RunningReceiver): Promise<void> {
  const connection = await openConnection(port);
  connection.write(delivery('received'));
  expectResponse(await connection.response(), { status: 204 });
  connection.destroy();
}

/** Waits until the receiver refuses new connections. */
async function untilRefused({ port }: RunningReceiver): Promise<void> {
  for (;;) {
    try {
      (await openConnection(port)).destroy();
    } catch (error) {
      // A connection that waits to be accepted is reset when the receiver stops listening.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') return;
      expect(code).toBe('ECONNRESET');
    }
  }
}
