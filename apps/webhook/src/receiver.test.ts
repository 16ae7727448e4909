import 'reflect-metadata';

import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';

import type { AnswerValues } from '@plant-store/contract';
import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { ask, post } from '../test/ask.js';
import { openEmbedded } from '../test/open-inbox.js';
import { type LogRecord, recordLog } from '../test/record-log.js';
import { rejection } from '../test/rejection.js';
import { environmentIn, TOKEN } from '../test/run-receiver.js';
import { composeAnswers } from './answers/compose-answers.js';
import { type Config, parseConfig } from './config/config.js';
import { ReceiverError } from './errors.js';
import { createLogger } from './logging/logger.js';
import { type Receiver, startReceiver } from './receiver.js';

const HANDLED = 'the handler gets a delivery';

const configFor = (folder: string, settings: Record<string, string> = {}): Config =>
  parseConfig({ ...environmentIn(folder), ...settings }, composeAnswers({}).settings);

interface Running {
  readonly url: string;
  readonly close: () => Promise<boolean>;
  readonly log: LogRecord;
  readonly send: (content: string) => Promise<Response>;
}

async function start(folder: string, settings?: Record<string, string>): Promise<Running> {
  const log = recordLog();
  const receiver = await startReceiver(configFor(folder, settings), log.logger, composeAnswers({}));
  let closing: Promise<boolean> | undefined;
  const close = (): Promise<boolean> => (closing ??= receiver.close());
  afterThisTest(close);
  const send: Running['send'] = (content) =>
    fetch(receiver.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/plain' },
      body: content,
    });
  return { url: receiver.url, close, log, send };
}

const overviewOf = (folder: string): unknown[] => {
  const database = new DatabaseSync(join(folder, 'inbox.sqlite'));
  afterThisTest(() => database.close());
  return database
    .prepare('SELECT id, state, method, media_type, content FROM overview', { returnArrays: true })
    .all();
};

test('a delivery is acknowledged, stored and handled; then everything ends by itself', async () => {
  const folder = makeFolder();
  const { url, send, log, close } = await start(folder);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/plant\/webhook$/);
  const { operations } = await log.line('listening');
  const documents = await fetch(String(operations));
  expect([documents.status, await documents.text()]).toEqual([200, expect.stringContaining('<html')]);

  const response = await send('arbitrary');
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(await log.line(HANDLED)).toMatchObject({
    level: 'debug',
    delivery: 1,
    method: 'POST',
    mediaType: 'text/plain',
    bytes: 9,
  });
  expect(await close()).toBe(true);

  await expect(fetch(String(operations))).rejects.toThrow();
  expect(overviewOf(folder)).toEqual([[1, 'handled', 'POST', 'text/plain', 'arbitrary']]);
  expect(log.lines).toContainEqual(expect.objectContaining({ msg: 'stopped', cutShort: false }));
});

test('the head of a delivery is stored without its credentials and the fields of its connection', async () => {
  const folder = makeFolder();
  const { url, close } = await start(folder);
  const { port } = new URL(url);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({
      ...{ port, path: '/plant/webhook', method: 'PUT', agent: false },
      headers: [
        ...['Host', `127.0.0.1:${port}`, 'Authorization', `Bearer ${TOKEN}`, 'Cookie', 'secret'],
        ...['Proxy-Authorization', 'secret', 'X-Twice', '1', 'Connection', 'close, x-hop', 'X-Hop', '1'],
        ...['x-twice', 'arbitrary', 'Content-Length', '9', 'Keep-Alive', '1'],
      ],
    })
      .on('response', resolve)
      .on('error', reject)
      .end('arbitrary');
  });
  response.resume();
  expect(response.statusCode).toBe(204);
  await close();

  const inbox = await openEmbedded(folder);
  expect((await inbox.operations.find(1))!.fields).toEqual([
    ['Host', `127.0.0.1:${port}`],
    ['X-Twice', '1'],
    ['x-twice', 'arbitrary'],
    ['Content-Length', '9'],
  ]);
});

test.each([
  ['long ago', { RETENTION_MS: '1' }],
  ['and takes too much space', { RETENTION_BYTES: '1' }],
])('a delivery that was handled %s is deleted while the receiver runs', async (_, settings) => {
  const folder = makeFolder();
  const { send, log, close } = await start(folder);
  await send('arbitrary');
  await log.line(HANDLED);
  await close();
  const again = await start(folder, settings);
  await again.log.line('deleted expired deliveries');
  await again.close();

  expect(overviewOf(folder)).toEqual([]);
});

test('a delivery that was stored before the start is handled', async () => {
  const folder = makeFolder();
  const before = await openEmbedded(folder);
  await before.accept({
    method: 'PUT',
    mediaType: null,
    contentEncoding: null,
    eventId: null,
    fields: [],
    content: Buffer.from('arbitrary'),
  });
  await before.close();

  const { log, close } = await start(folder);
  expect(await log.line('listening')).toMatchObject({ level: 'info', waiting: 1, parked: 0 });
  await log.line(HANDLED);
  await close();

  expect(overviewOf(folder)).toEqual([[1, 'handled', 'PUT', null, 'arbitrary']]);
});

test('a peer that goes on sending after it was refused does not cut a stop short', async () => {
  const { url, close } = await start(makeFolder());
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  afterThisTest(() => socket.destroy());
  const send = (error?: Error | null): void => {
    if (!error) socket.write(Buffer.alloc(65_536), send);
  };
  socket.write('POST /plant/webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n', send);
  await once(socket, 'data');

  expect(await close()).toBe(true);
});

describe('a start that waits for its inbox', () => {
  interface Starting {
    readonly operations: string;
    readonly port: number;
    readonly log: LogRecord;
    readonly starting: Promise<Receiver>;
  }

  /** Its database takes connections, and says nothing. */
  async function startHeld(stopping?: AbortSignal): Promise<Starting> {
    const database = createServer((socket) => afterThisTest(() => socket.destroy())).listen(0, '127.0.0.1');
    await once(database, 'listening');
    afterThisTest(() => database.close());
    const [port, operationsPort] = [await freePort(), await freePort()];
    const settings = {
      PORT: String(port),
      OPERATIONS_PORT: String(operationsPort),
      INBOX_URL: `postgres://nobody@127.0.0.1:${(database.address() as AddressInfo).port}/none?sslmode=disable`,
    };
    const log = recordLog();
    const config = configFor(makeFolder(), settings);
    const starting = startReceiver(config, log.logger, composeAnswers({}), undefined, stopping);
    starting.catch(() => undefined);
    await once(database, 'connection');
    return { operations: `http://127.0.0.1:${operationsPort}/`, port, log, starting };
  }

  test('is alive and says what it does meanwhile, and takes no delivery until it is ready', async () => {
    const stopping = new AbortController();
    const { operations, port, log, starting } = await startHeld(stopping.signal);

    expect(await ask(operations, '/livez')).toMatchObject({ status: 200, content: 'ok' });
    expect(await ask(operations, '/readyz')).toMatchObject({
      status: 503,
      content: 'The receiver is starting: opening the inbox.',
    });
    expect((await ask(operations, '/metrics')).content).toMatch(/^plant_store_ready 0$/m);
    for (const path of ['/stats', '/deliveries', '/deliveries/1', '/acts', '/errors'])
      expect(await ask(operations, path)).toMatchObject({ status: 503, json: { code: 'INBOX_OPENING' } });
    expect(await ask(operations, post('/handler/pause', {}))).toMatchObject({ status: 503 });
    await expect(ask(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(log.text()).not.toContain('INBOX_OPENING');

    stopping.abort();
    expect(await rejection(starting)).toBe(stopping.signal.reason);
    await expect(ask(operations, '/livez')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

test('a start that shall stop before it opens the inbox opens none', async () => {
  const inbox = join(makeFolder(), 'inbox');
  const stopping = AbortSignal.abort();

  const starting = startReceiver(
    configFor(inbox),
    recordLog().logger,
    composeAnswers({}),
    undefined,
    stopping,
  );

  expect(await rejection(starting)).toBe(stopping.reason);
  expect(existsSync(inbox)).toBe(false);
});

describe('a start that fails says why, and leaves nothing open:', () => {
  const failedStart = async (config: Config, passedSocket?: number): Promise<unknown> =>
    rejection(startReceiver(config, recordLog().logger, composeAnswers({}), passedSocket));

  test.each([
    { setting: 'PORT', says: 'Set HOST and PORT to a free address' },
    { setting: 'OPERATIONS_PORT', says: 'OPERATIONS_PORT' },
  ])('$setting is taken', async ({ setting, says }) => {
    const folder = makeFolder();
    const { port } = new URL((await start(makeFolder())).url);

    const error = await failedStart(configFor(folder, { [setting]: port }));

    expect(error).toBeInstanceOf(ReceiverError);
    expect(error).toMatchObject({ code: 'ADDRESS_UNAVAILABLE', cause: { code: 'EADDRINUSE' } });
    expect((error as Error).message).toContain(`127.0.0.1:${port}`);
    expect((error as Error).message).toContain(says);
    await start(folder);
  });

  test('both ports are the same', async () => {
    const folder = makeFolder();
    const free = String(await freePort());

    const error = await failedStart(configFor(folder, { PORT: free, OPERATIONS_PORT: free }));

    expect(error).toMatchObject({ code: 'ADDRESS_UNAVAILABLE' });
    expect((error as Error).message).toContain(`PORT and OPERATIONS_PORT are both ${free}`);
    await start(folder);
  });

  test('what is passed as a socket is a file', async () => {
    const folder = makeFolder();
    const file = openSync(join(makeFolder(), 'arbitrary'), 'w');
    afterThisTest(() => closeSync(file));

    const error = await failedStart(configFor(folder), file);

    expect(error).toMatchObject({
      code: 'ADDRESS_UNAVAILABLE',
      message:
        'The receiver cannot listen on the socket that was passed to it (LISTEN_FDS): invalid argument. Pass a socket that listens: ListenStream= and Accept=no.',
    });
    await start(folder);
  });

  test('the log fails once the receiver listens', async () => {
    const folder = makeFolder();
    let url = '';
    const logger = createLogger('info', {
      write: (line) => {
        ({ url } = JSON.parse(line) as { url: string });
        throw new Error('The log is full.');
      },
    });

    const error = await rejection(startReceiver(configFor(folder), logger, composeAnswers({})));

    expect(error).toMatchObject({ message: 'The log is full.' });
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await start(folder);
  });

  test('the tokens cannot be read: no inbox is made', async () => {
    const inbox = join(makeFolder(), 'inbox');
    const settings = { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: join(inbox, 'tokens') };

    expect(await failedStart(configFor(inbox, settings))).toMatchObject({ code: 'ACCESS_TOKENS_UNREADABLE' });
    expect(existsSync(inbox)).toBe(false);
  });

  test('a token in the file does not have the answered format', async () => {
    const folder = makeFolder();
    const file = join(folder, 'tokens');
    writeFileSync(file, 'arbitrary-token\n');
    const given: AnswerValues = { 'token-format': { name: 'example', pattern: '^example-' } };
    const settings = { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: file };

    const config = configFor(join(folder, 'inbox'), settings);
    const error = await rejection(startReceiver(config, recordLog().logger, composeAnswers(given)));

    expect(error).toMatchObject({ code: 'ACCESS_TOKENS_UNREADABLE' });
    expect((error as Error).message).not.toContain('secret');
  });
});
