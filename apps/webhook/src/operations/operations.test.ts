import 'reflect-metadata';

import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { ask, post } from '../../test/ask.js';
import { type Family, parseMetrics } from '../../test/parse-metrics.js';
import { Claims, incoming, openEmbedded, PARKED } from '../../test/open-inbox.js';
import { type LogRecord, recordLog } from '../../test/record-log.js';
import { environmentIn, TOKEN } from '../../test/run-receiver.js';
// The receiver loads it at its start, which takes longer than a test may take on a busy machine.
import '../app.module.js';
import { composeAnswers } from '../answers/compose-answers.js';
import { parseConfig } from '../config/config.js';
import { startReceiver } from '../receiver.js';

const HANDLED = 'the handler gets a delivery';

interface Running {
  /** Of its operations. */
  readonly url: string;
  /** Where deliveries come. */
  readonly webhook: URL;
  readonly folder: string;
  readonly socket: string;
  readonly log: LogRecord;
  readonly send: (content: string, token?: string) => Promise<Response>;
  readonly close: () => Promise<boolean>;
}

/** Runs a receiver until the test ends. */
async function start(folder = makeFolder(), settings: Record<string, string> = {}): Promise<Running> {
  const log = recordLog();
  const composed = composeAnswers({});
  const environment = { ...environmentIn(folder), ...settings };
  const receiver = await startReceiver(parseConfig(environment, composed.settings), log.logger, composed);
  let closing: Promise<boolean> | undefined;
  const close = (): Promise<boolean> => (closing ??= receiver.close());
  afterThisTest(close);
  const send = (content: string, token = TOKEN): Promise<Response> =>
    fetch(receiver.url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: content });
  return {
    url: receiver.operationsUrl,
    webhook: new URL(receiver.url),
    folder,
    socket: join(folder, 'operations.sock'),
    log,
    send,
    close,
  };
}

/** An inbox with parked deliveries. */
async function makeParked(count: number): Promise<string> {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  for (let index = 0; index < count; index += 1) await inbox.accept(incoming('arbitrary'));
  await Claims.begin(inbox).settle(...Array.from({ length: count }, () => PARKED));
  await inbox.close();
  return folder;
}

describe('health', () => {
  test('a receiver that runs is alive and ready, also on the socket', async () => {
    const { url, socket } = await start();

    for (const to of [url, socket]) {
      for (const path of ['/livez', '/readyz']) {
        const { status, content, fields } = await ask(to, path);
        expect([status, content, fields['content-type']]).toEqual([200, 'ok', 'text/plain; charset=utf-8']);
      }
    }
  });

  test('a receiver that stops is not ready, and alive until its end', async () => {
    const { url, webhook, close } = await start();
    // A delivery in flight, for which the stop waits.
    const socket = connect(Number(webhook.port), '127.0.0.1');
    afterThisTest(() => socket.destroy());
    socket.write(
      `POST ${webhook.pathname} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        'Expect: 100-continue\r\nContent-Length: 1\r\n\r\n',
    );
    await once(socket, 'data');

    const stopping = close();
    const { status, content } = await ask(url, '/readyz');
    expect([status, content]).toEqual([503, 'The receiver is stopping.']);
    expect((await ask(url, '/livez')).status).toBe(200);
    socket.write('a');
    expect(await stopping).toBe(true);
    await expect(ask(url, '/livez')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('metrics', () => {
  const read = async (url: string): Promise<ReadonlyMap<string, Family>> =>
    parseMetrics((await ask(url, '/metrics')).content);

  const valueOf = (families: ReadonlyMap<string, Family>, name: string, labels = {}): number | undefined =>
    [...families.values()]
      .flatMap(({ samples }) => samples)
      .find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))
      ?.value;

  test('count what a receiver does', async () => {
    const { url, webhook, log, send } = await start(await makeParked(2));
    for (let index = 0; index < 5; index += 1) expect((await send('arbitrary')).status).toBe(204);
    expect((await send('arbitrary', 'wrong')).status).toBe(401);
    expect((await fetch(new URL('/', webhook))).status).toBe(404);
    while (log.lines.filter(({ msg }) => msg === HANDLED).length < 5) await new Promise(setImmediate);

    const families = await read(url);
    const want: [string, object, number][] = [
      ['plant_store_http_requests_total', { status: '204' }, 5],
      ['plant_store_http_requests_total', { status: '401' }, 1],
      ['plant_store_http_requests_total', { status: '404' }, 1],
      ['plant_store_acknowledgement_seconds_count', {}, 5],
      ['plant_store_commit_deliveries_sum', {}, 5],
      ['plant_store_handler_attempts_total', { result: 'handled' }, 5],
      ['plant_store_handler_attempts_total', { result: 'failed' }, 0],
      ['plant_store_handler_attempt_seconds_count', {}, 5],
      ['plant_store_deliveries', { state: 'parked' }, 2],
      ['plant_store_deliveries', { state: 'discarded' }, 0],
      ['plant_store_handler_paused', {}, 0],
    ];
    expect(want.map(([name, labels]) => [name, labels, valueOf(families, name, labels)])).toEqual(want);
    for (const state of ['waiting', 'handled'])
      expect(valueOf(families, 'plant_store_deliveries', { state })).toBeDefined();
    expect(valueOf(families, 'plant_store_commit_seconds_count')).toBe(
      valueOf(families, 'plant_store_commit_deliveries_count'),
    );
    expect(valueOf(families, 'plant_store_acknowledgement_seconds_sum')).toBeGreaterThan(
      valueOf(families, 'plant_store_commit_seconds_sum')!,
    );
    expect(valueOf(families, 'plant_store_inbox_bytes')).toBeGreaterThan(0);
    expect(valueOf(families, 'plant_store_oldest_waiting_seconds')).toBeDefined();
  });
});

test('the inspector has what was received and refused, and nothing of a token', async () => {
  const { url, webhook, log, send } = await start();
  await send('arbitrary');
  await log.line(HANDLED);
  await send('arbitrary', 'another-token');

  const { content } = await ask(url, '/?view=refused');
  for (const text of ['token-invalid', ' from 127.0.0.1', 'ACCESS_TOKENS']) expect(content).toContain(text);
  expect(content).not.toContain('another-token');
  expect((await ask(url, '/')).content).toContain('<strong>1</strong> received');
  expect((await ask(url, '/stats')).json).toMatchObject({ receiver: { url: webhook.href } });
});

test('replaying parked deliveries gives them to the handler at once', async () => {
  const { socket, log } = await start(await makeParked(1));

  const { json } = await ask(socket, post('/acts', { kind: 'replay', filter: {} }));

  expect(json).toMatchObject({ id: 1, changed: 1, waiting: expect.any(Number) });
  expect(await log.line(HANDLED)).toMatchObject({ delivery: 1 });
});

test('a paused handler gets nothing, also after a restart, until it is resumed', async () => {
  const folder = makeFolder();
  const first = await start(folder);
  await ask(first.url, post('/handler/pause', {}));
  await first.send('arbitrary');
  await first.close();

  const { url, log, send } = await start(folder);
  expect((await send('arbitrary')).status).toBe(204);
  expect((await ask(url, '/stats')).json).toMatchObject({ waiting: 2, isPaused: true });
  expect(log.lines.filter(({ msg }) => msg === HANDLED)).toEqual([]);

  await ask(url, post('/handler/resume', {}));
  while (log.lines.filter(({ msg }) => msg === HANDLED).length < 2) await new Promise(setImmediate);
});
