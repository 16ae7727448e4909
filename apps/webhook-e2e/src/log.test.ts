import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';

import { facts } from '@plant-store/contract';
import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { type Connection, openConnection } from '../support/connection.js';
import { readInbox } from '../support/inbox.js';
import { ACCESS_TOKEN, CHUNKED, delivery, head, HOST, message, POST, RIGHT } from '../support/messages.js';
import { untilItListens } from '../support/operations.js';
import { poisonSettings, sendAllOn } from '../support/poison.js';
import {
  inboxOf,
  type ReceiverOptions,
  type ReceiverProcess,
  spawnReceiver,
  startReceiver,
} from '../support/receiver.js';

/** Deliveries whose lines at level `debug` fill what the system buffers for a reader. */
const FLOOD = 1_500;

const onLinux = platform() === 'linux' ? test : test.skip;

const REFUSED = 'a request was refused';

const WRONG_TOKEN = message(POST, [`Authorization: Bearer ${ACCESS_TOKEN}=`]);

test('a refused request is a warning with its status, its reason and its peer, and without its token', async () => {
  const receiver = await startReceiver({
    settings: { REQUEST_TIMEOUT_MS: '2000', MAX_CONTENT_BYTES: '20' },
  });
  const refused: readonly [request: string, status: number, reason: string][] = [
    [message(POST, []), 401, 'credentials-missing'],
    [WRONG_TOKEN, 401, 'token-invalid'],
    [message(POST, [RIGHT, RIGHT]), 400, 'credentials-malformed'],
    [head(`GET /${ACCESS_TOKEN} HTTP/1.1`, HOST, RIGHT), 404, 'path-unknown'],
    [head(`GET /%zz${ACCESS_TOKEN} HTTP/1.1`, HOST, RIGHT), 400, 'path-malformed'],
    [head(`DELETE ${facts.DELIVERY_PATH} HTTP/1.1`, HOST, RIGHT), 405, 'method-not-allowed'],
    [head(POST, HOST, RIGHT), 400, 'content-missing'],
    [message(POST, [RIGHT], 'a'.repeat(21)), 413, 'content-too-large'],
    [head(POST, HOST, RIGHT, 'Content-Length: 10') + 'slow', 408, 'request-too-slow'],
    [head(POST, RIGHT), 400, 'host-invalid'],
    [head(RIGHT), 400, 'not-http'],
    [head(POST, HOST, RIGHT, `a: ${'b'.repeat(20_000)}`), 431, 'head-too-large'],
    [head(POST, HOST, RIGHT, 'Transfer-Encoding: gzip', CHUNKED), 501, 'transfer-coding-unknown'],
    [head('CONNECT localhost:80 HTTP/1.1', HOST, RIGHT), 501, 'method-not-implemented'],
    [head(`POST ${facts.DELIVERY_PATH} HTTP/3.0`, HOST, RIGHT), 505, 'http-version-unsupported'],
  ];

  for (const [request, status, reason] of refused) {
    const connection = await openConnection(receiver.port);
    connection.write(request);
    expect([reason, (await connection.response()).line]).toEqual([
      reason,
      expect.stringContaining(` ${status} `),
    ]);
  }
  // Who is refused again and again does not fill the log: the next such line comes after ten seconds.
  for (let requests = 0; requests < 50; requests += 1) {
    const connection = await openConnection(receiver.port);
    connection.write(WRONG_TOKEN);
    expect((await connection.response()).line).toContain(' 401 ');
  }
  await receiver.process.stop();

  const lines = receiver.process.entries(REFUSED);
  expect(lines.length).toBeLessThan(refused.length + 20);
  expect(lines.slice(0, refused.length)).toEqual(
    refused.map(([, status, reason]) => ({
      level: 'warn',
      time: expect.any(String),
      service: 'plant-store-webhook',
      receiver: expect.any(String),
      version: expect.any(String),
      status,
      reason,
      peer: '127.0.0.1',
      msg: REFUSED,
    })),
  );
  expect(receiver.process.output).not.toContain(ACCESS_TOKEN);
});

test('a reader of the log that stalls stops no delivery and no orderly stop', async () => {
  const receiver = await startReceiver({ settings: { LOG_LEVEL: 'debug' } });
  const connection = await openConnection(receiver.port);

  receiver.process.stopReading();
  await send(connection, FLOOD);
  receiver.process.signal('SIGTERM');

  expect(await receiver.process.gone).toEqual({ code: 0, signal: null });
});

test('a reader of the log that goes away stops no delivery and no orderly stop', async () => {
  const receiver = await startReceiver({ settings: { LOG_LEVEL: 'debug' } });
  const connection = await openConnection(receiver.port);

  receiver.process.close('stdout');
  await send(connection, 100);

  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
  expect(readInbox(receiver.inbox)).toHaveLength(100);
});

onLinux('a log on a full disk stops no start, no delivery and no orderly stop', async () => {
  const stdout = openFile('/dev/full', 'w');
  const receiver = await startUnread({ stdout, settings: { LOG_LEVEL: 'debug' } });

  await send(receiver.connection, 100);

  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
  expect(readInbox(receiver.inbox)).toHaveLength(100);
  expect(receiver.process.stderr).toBe('');
});

test('the last line of an exception that nobody catches is in a file', async () => {
  const file = join(makeFolder(), 'log');
  const { process, connection } = await startUnread({
    settings: { ...poisonSettings, HANDLER_MAX_ATTEMPTS: '1' },
    stdout: openFile(file, 'w'),
  });
  connection.write(delivery('throw outside its promise'));
  await process.exit;

  const last = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!;
  expect(JSON.parse(last)).toMatchObject({ level: 'fatal', err: { message: 'thrown on purpose' } });
});

describe('a failing start exits with 1, though standard error', () => {
  test('is on a full disk', async () => {
    const process = spawnReceiver({ settings: { PORT: 'arbitrary' }, stderr: openFile('/dev/full', 'w') });

    expect(await process.exit).toEqual({ code: 1, signal: null });
  });

  test('has a reader that stalls', async () => {
    const path = join(makeFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openFile(path, constants.O_RDWR | constants.O_NONBLOCK);
    expect(() => {
      for (;;) writeSync(reader, Buffer.alloc(4_096));
    }).toThrow('EAGAIN');

    const process = spawnReceiver({ settings: { PORT: 'arbitrary' }, stderr: openFile(path, 'w') });

    expect(await process.exit).toEqual({ code: 1, signal: null });
  });

  test('has no reader any more', async () => {
    const receiver = spawnReceiver({ settings: { PORT: 'arbitrary' } });
    receiver.close('stderr');

    expect(await receiver.gone).toEqual({ code: 1, signal: null });
  });
});

/** Sends deliveries on one connection, and waits until each is acknowledged. */
const send = (connection: Connection, count: number, content?: string): Promise<void> =>
  sendAllOn(
    connection,
    Array.from({ length: count }, () => content),
  );

interface UnreadReceiver {
  readonly process: ReceiverProcess;
  readonly connection: Connection;
  readonly inbox: string;
}

/** Starts a receiver whose log can't tell where it listens: its socket does. */
async function startUnread(options: ReceiverOptions): Promise<UnreadReceiver> {
  const folder = makeFolder();
  const process = spawnReceiver({ ...options, folder });
  const url = await untilItListens(process, inboxOf(folder));
  return { process, connection: await openConnection(Number(new URL(url).port)), inbox: inboxOf(folder) };
}

function openFile(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags);
  afterThisTest(() => closeSync(descriptor));
  return descriptor;
}
