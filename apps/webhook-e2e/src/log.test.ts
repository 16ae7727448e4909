import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { facts } from '@plant-store/contract';
import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';

import { type Connection, openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { ACCESS_TOKEN, CHUNKED, delivery, head, HOST, message, POST, RIGHT } from '../support/messages.js';
import { untilItListens } from '../support/port.js';
import {
  everythingOpen,
  inboxOf,
  type LogEntry,
  type ReceiverOptions,
  type ReceiverProcess,
  spawnReceiver,
  startReceiver,
} from '../support/receiver.js';

const POISON_HANDLER = fileURLToPath(new URL('../support/poison-handler.mjs', import.meta.url));

/** A handler that fails when the content says so. */
const poisonHandler = {
  NODE_OPTIONS: `${everythingOpen['NODE_OPTIONS'] ?? ''} --import=${POISON_HANDLER}`,
  HANDLER_MAX_ATTEMPTS: '1',
};

/** Deliveries whose lines at level `debug` fill what the system buffers for a reader. */
const FLOOD = 1_500;

const onLinux = platform() === 'linux' ? test : test.skip;

const REFUSED = 'a request was refused';

const WRONG_TOKEN = message(POST, [`Authorization: Bearer ${ACCESS_TOKEN}=`]);

test('a refused request is a warning with its status, its reason and its peer, and without its token', async () => {
  const receiver = await startReceiver({
    settings: { REQUEST_TIMEOUT_MS: '500', MAX_CONTENT_BYTES: '20' },
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
  await receiver.process.stop();

  expect(receiver.process.entries(REFUSED)).toEqual(
    refused.map(([, status, reason]) => ({
      level: 'warn',
      time: expect.any(String),
      service: 'plant-store-webhook',
      version: expect.any(String),
      status,
      reason,
      peer: '127.0.0.1',
      msg: REFUSED,
    })),
  );
  expect(receiver.process.output).not.toContain(ACCESS_TOKEN);
});

test('strangers who are refused again and again do not fill the log', async () => {
  const receiver = await startReceiver();

  for (let requests = 0; requests < 200; requests += 1) {
    const connection = await openConnection(receiver.port);
    connection.write(WRONG_TOKEN);
    expect((await connection.response()).line).toContain(' 401 ');
  }
  await receiver.process.stop();

  // The second line comes after ten seconds.
  const lines = receiver.process.entries(REFUSED);
  expect(lines[0]).toMatchObject({ status: 401, reason: 'token-invalid' });
  expect(lines.length).toBeLessThan(20);
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

describe.each(['a file', 'a pipe'])('the last lines, in %s:', (kind) => {
  test('those of an orderly stop', async () => {
    const log = await logOf(kind, {}, async (_connection, process) => process.signal('SIGTERM'));

    expect(log.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  test('those of an exception that nobody catches', async () => {
    const log = await logOf(kind, poisonHandler, async (connection) => {
      connection.write(delivery('throw outside its promise'));
    });

    expect(log.at(-1)).toMatchObject({ level: 'fatal', err: { message: 'thrown on purpose' } });
  });
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
async function send(connection: Connection, count: number, content?: string): Promise<void> {
  connection.write(delivery(content).repeat(count));
  for (let each = 0; each < count; each += 1) expectResponse(await connection.response(), { status: 204 });
}

interface UnreadReceiver {
  readonly process: ReceiverProcess;
  readonly connection: Connection;
  readonly inbox: string;
}

/** Starts a receiver whose log this test doesn't read, and waits until it accepts a connection. */
async function startUnread(options: ReceiverOptions): Promise<UnreadReceiver> {
  const folder = makeFolder();
  const port = await freePort();
  const process = spawnReceiver({
    ...options,
    folder,
    settings: { ...options.settings, PORT: String(port) },
  });
  return { process, connection: await untilItListens(process, port), inbox: inboxOf(folder) };
}

/** The whole log of a receiver that ends because of what is done to it. */
async function logOf(
  kind: string,
  settings: Record<string, string>,
  end: (connection: Connection, process: ReceiverProcess) => Promise<void>,
): Promise<readonly LogEntry[]> {
  if (kind === 'a pipe') {
    const { process, port } = await startReceiver({ settings });
    await end(await openConnection(port), process);
    await process.exit;
    return process.entries();
  }
  const file = join(makeFolder(), 'log');
  const { process, connection } = await startUnread({ settings, stdout: openFile(file, 'w') });
  await end(connection, process);
  await process.exit;
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as LogEntry);
}

function openFile(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags);
  afterThisTest(() => closeSync(descriptor));
  return descriptor;
}
