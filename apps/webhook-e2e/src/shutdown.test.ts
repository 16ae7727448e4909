import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { freePort, makeFolder } from '@plant-store/test-support';

import { type Connection, openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { ARBITRARY, delivery, head, HOST, POST, RIGHT } from '../support/messages.js';
import { buildNextVersion, VERSION } from '../support/next-version.js';
import { soon } from '../support/port.js';
import type { Environment } from '../support/process.js';
import {
  canUnshare,
  FIRST_PROCESS,
  inboxOf,
  preloading,
  type RunningReceiver,
  spawnReceiver,
  startReceiver,
} from '../support/receiver.js';

const DONE = { code: 0, signal: null };

const contentsOf = ({ inbox }: RunningReceiver): string[] =>
  readInbox(inbox).map(({ content }) => content.toString());

test('what was begun is acknowledged, everything else closes, new connections are refused, and the exit code is 0', async () => {
  const receiver = await startReceiver();
  const silent = await openConnection(receiver.port);
  const begun = await openConnection(receiver.port, { allowHalfOpen: true });
  begun.write(delivery('begun').slice(0, 10));
  const refused = await openConnection(receiver.port, { allowHalfOpen: true });
  refused.write(head('not HTTP'));
  expectResponse(await refused.response(), { status: 400, closes: true });
  const inFlight = await openHalf(receiver);
  const idle = await openIdle(receiver);

  receiver.process.signal('SIGHUP');
  for (const connection of [silent, idle]) expect(await connection.rest()).toBe('');
  await untilRefused(receiver);
  // A terminal that closes sends it several times.
  receiver.process.signal('SIGHUP');
  begun.write(delivery('begun').slice(10));
  begun.end();
  inFlight.write(ARBITRARY.slice(4));

  for (const connection of [begun, inFlight]) {
    expectResponse(await connection.response(), { status: 204, closes: true });
    expect(await connection.rest()).toBe('');
  }
  expect(await receiver.process.exit).toEqual(DONE);
  expect(contentsOf(receiver).sort()).toEqual([ARBITRARY, 'begun', 'idle']);
  expect(receiver.process.entries().map(({ msg }) => msg)).toEqual([
    'listening',
    'a request was refused',
    'stopping',
    'stopped',
  ]);
  expect(receiver.process.stderr).toBe('');
});

test('with SHUTDOWN_DELAY_MS, deliveries are accepted as before, then each connection closes after its next response', async () => {
  // Both leave a busy machine the time for what happens meanwhile.
  const settings = { SHUTDOWN_DELAY_MS: '5000', SHUTDOWN_TIMEOUT_MS: '10000' };
  const receiver = await startReceiver({ settings });
  const [kept, used, idle] = [await openIdle(receiver), await openIdle(receiver), await openIdle(receiver)];
  const silent = await openConnection(receiver.port);

  receiver.process.signal('SIGINT');
  expect(await receiver.process.logged('stopping')).toMatchObject({ delayMs: 5_000, timeoutMs: 10_000 });
  const { operations } = await receiver.process.logged('listening');
  const readyz = await fetch(new URL('readyz', operations as string));
  expect([readyz.status, await readyz.text()]).toEqual([503, 'The receiver is stopping.']);
  for (const connection of [kept, await openConnection(receiver.port)]) {
    connection.write(delivery('during the delay'));
    expectResponse(await connection.response(), { status: 204 });
  }

  await untilRefused(receiver);
  for (const connection of [kept, used]) {
    connection.write(delivery('after the delay'));
    expectResponse(await connection.response(), { status: 204, closes: true });
    expect(await connection.rest()).toBe('');
  }
  for (const connection of [idle, silent]) expect(await connection.rest()).toBe('');
  expect(await receiver.process.exit).toEqual(DONE);
  expect(contentsOf(receiver)).toEqual([
    ...Array<string>(3).fill('idle'),
    ...Array<string>(2).fill('during the delay'),
    ...Array<string>(2).fill('after the delay'),
  ]);
});

test('SHUTDOWN_TIMEOUT_MS ends a start that hangs', async () => {
  const HANDLER = join(makeFolder(), 'handler.mjs');
  writeFileSync(
    HANDLER,
    `setInterval(Object, 1e6);
     export default class {
       handle() {}
       onModuleInit() {
         return new Promise(() => console.log('{"msg":"hangs"}'));
       }
     }`,
  );
  const settings = { HANDLER, SHUTDOWN_TIMEOUT_MS: '100' };
  const receiver = spawnReceiver({ settings });
  await receiver.logged('hangs');
  receiver.signal('SIGTERM');

  expect(await receiver.exit).toEqual({ code: 1, signal: null });
});

test('a start that brings an inbox to its version is alive meanwhile, ends at a signal, and leaves the inbox as it was', async () => {
  const folder = makeFolder();
  await (await startReceiver({ folder })).process.stop();
  // It holds the process that changes the tables.
  const settings = {
    ...preloading(new URL('../support/hold-children.mjs', import.meta.url).href),
    OPERATIONS_PORT: String(await freePort()),
  };
  const receiver = spawnReceiver({ folder, settings, main: buildNextVersion() });
  await receiver.logged('bringing the inbox to another version');
  const operations = `http://127.0.0.1:${settings.OPERATIONS_PORT}`;
  expect((await fetch(`${operations}/livez`)).status).toBe(200);
  expect(await (await fetch(`${operations}/readyz`)).text()).toBe(
    `The receiver is starting: bringing the inbox to version ${VERSION + 1}.`,
  );

  receiver.signal('SIGTERM');

  expect(await receiver.exit).toEqual(DONE);
  expect(receiver.entries().map(({ msg }) => msg)).toEqual([
    'bringing the inbox to another version',
    'stopping before the inbox is open',
  ]);
  expect(receiver.stderr).toBe('');
  const database = new DatabaseSync(join(inboxOf(folder), 'inbox.sqlite'), { readOnly: true });
  expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: VERSION });
  database.close();
});

test.each([{}, { SHUTDOWN_DELAY_MS: '1' }])(
  'requests that do not end are cut short after SHUTDOWN_TIMEOUT_MS, and the exit code is 1: %j',
  async (settings) => {
    const receiver = await startReceiver({ settings: { ...settings, SHUTDOWN_TIMEOUT_MS: '200' } });
    const halfHead = await openConnection(receiver.port);
    halfHead.write(`${POST}\r\n`);
    const halfContent = await openHalf(receiver);

    receiver.process.signal('SIGTERM');

    expect(await receiver.process.exit).toEqual({ code: 1, signal: null });
    for (const connection of [halfHead, halfContent]) expect(await connection.rest()).toBe('');
    expect(receiver.process.entries('stopped')).toMatchObject([{ cutShort: true }]);
    expect(receiver.process.stderr).toBe('');
  },
);

test.each([{}, { SHUTDOWN_DELAY_MS: '1' }])(
  'whoever has not sent a whole head cuts no stop short: %j',
  async (settings) => {
    const receiver = await startReceiver({ settings: { ...settings, SHUTDOWN_TIMEOUT_MS: '4000' } });
    const halfHead = await openConnection(receiver.port);
    const served = await openIdle(receiver);
    for (const connection of [halfHead, served]) connection.write(`${POST}\r\n`);

    expect(await receiver.process.stop()).toEqual(DONE);
    for (const connection of [halfHead, served]) expect(await connection.rest()).toBe('');
    expect(receiver.process.entries('stopped')).toMatchObject([{ cutShort: false }]);
  },
);

describe.each([
  { name: 'a process', within: undefined, ended: { code: null, signal: 'SIGTERM' } },
  { name: 'the first process of a container', within: FIRST_PROCESS, ended: { code: 143, signal: null } },
])('$name', ({ within, ended }) => {
  const testAs = within === undefined || canUnshare ? test : test.skip;

  testAs('ends at once after a signal that is repeated', async () => {
    const receiver = await startReceiver({ within, settings: { SHUTDOWN_DELAY_MS: '600000' } });
    const repeated = setInterval(() => receiver.process.signal('SIGTERM'), 100);

    expect(await receiver.process.exit.finally(() => clearInterval(repeated))).toEqual(ended);
  });

  testAs('stops in order after signals that come together', async () => {
    const receiver = await startReceiver({ within });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) receiver.process.signal(signal);

    expect(await receiver.process.exit).toEqual(DONE);
    expect(receiver.process.entries('stopped')).toMatchObject([{ cutShort: false }]);
  });

  testAs('ends in order after a signal that comes while its packages are loaded', async () => {
    const receiver = spawnReceiver({ within, settings: signalWhileLoading('SIGTERM') });

    expect(await receiver.exit).toEqual(DONE);
    expect(receiver.entries().map(({ msg }) => msg)).toEqual(['stopping before the inbox is open']);
    expect(receiver.stderr).toBe('');
  });
});

test('signals that rotate logs open no debugger, and end nothing', async () => {
  const receiver = await startReceiver({ settings: signalWhileLoading('SIGUSR1') });
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
    receiver.process.signal(signal);
    await receiver.process.logged(
      `${signal} is ignored: the log is standard output, not a file to open again`,
    );
  }

  expect(await receiver.process.stop()).toEqual(DONE);
  expect(receiver.process.stderr).not.toContain('Debugger');
});

/** The settings with which a receiver gets a signal as soon as it loads its packages. */
const signalWhileLoading = (signal: string): Environment => ({
  ...preloading(new URL('../support/signal-while-loading.mjs', import.meta.url).href),
  SIGNAL: signal,
  // A busy machine takes long to start.
  SHUTDOWN_TIMEOUT_MS: '600000',
});

/** Opens a connection and delivers on it. */
async function openIdle({ port }: RunningReceiver): Promise<Connection> {
  const connection = await openConnection(port);
  connection.write(delivery('idle'));
  expectResponse(await connection.response(), { status: 204 });
  return connection;
}

/**
 * Opens a delivery of which the receiver has begun to read the content. It reads in order of arrival, so what was sent
 * before has been read too.
 */
async function openHalf({ port }: RunningReceiver): Promise<Connection> {
  const connection = await openConnection(port);
  connection.write(head(POST, HOST, RIGHT, `Content-Length: ${ARBITRARY.length}`, 'Expect: 100-continue'));
  expect((await connection.response()).line).toBe('HTTP/1.1 100 Continue');
  connection.write(ARBITRARY.slice(0, 4));
  return connection;
}

/** Waits until the receiver refuses new connections, which no event tells. */
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
    await soon();
  }
}
