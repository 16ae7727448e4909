import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterThisTest } from '@plant-store/test-support';
import type { DiagnosticsMessages } from '../src/index.js';
import { withEverythingOpen, writeDocumented } from './support/documented.js';
import {
  acknowledge,
  breakOff,
  fieldsOf,
  inTurn,
  respond,
  respondWith,
  startRawServer,
  staySilent,
} from './support/raw-server.js';
import { startProcess } from './support/run-process.js';
import { accessToken, arbitrary, openTestSender, rejection, openBoth } from './support/senders.js';

type Name = keyof DiagnosticsMessages;

const names: readonly Name[] = [
  'plant-store:delivery:start',
  'plant-store:attempt:start',
  'plant-store:attempt:response',
  'plant-store:attempt:failure',
  'plant-store:delivery:retry',
  'plant-store:delivery:end',
];

/** Subscribes for the rest of this test. */
function listen<Each extends Name>(
  name: Each,
  onMessage: (message: DiagnosticsMessages[Each]) => void,
): void {
  const listener = (message: unknown): void => onMessage(message as DiagnosticsMessages[Each]);
  subscribe(name, listener);
  afterThisTest(() => unsubscribe(name, listener));
}

/** Everything that is published from now on in this test. */
function record(): [name: Name, message: object][] {
  const published: [Name, object][] = [];
  for (const name of names) listen(name, (message) => published.push([name, message]));
  return published;
}

const retry = { delays: [0, 1], statuses: [503], withoutResponse: true } as const;

test('a delivery that is retried', async () => {
  const { server, sender } = await openBoth(inTurn(respond(503), breakOff, acknowledge), { retry });
  const published = record();

  await sender.send(arbitrary);

  const delivery = { method: 'POST', url: `${server.url}/plant/webhook` };
  const attempt = (number: number): object => ({ delivery, number });
  const refused = expect.objectContaining({ code: 'PLANT_STORE_NOT_ACKNOWLEDGED', status: 503 }) as object;
  const lost = expect.objectContaining({ code: 'PLANT_STORE_CONNECTION_LOST' }) as object;
  expect(published).toEqual([
    ['plant-store:delivery:start', { delivery }],
    ['plant-store:attempt:start', { attempt: attempt(1), headers: {} }],
    ['plant-store:attempt:response', { attempt: attempt(1), status: 503, acknowledged: false }],
    ['plant-store:delivery:retry', { delivery, error: refused, delay: 0 }],
    ['plant-store:attempt:start', { attempt: attempt(2), headers: {} }],
    ['plant-store:attempt:failure', { attempt: attempt(2), error: lost }],
    ['plant-store:delivery:retry', { delivery, error: lost, delay: 1 }],
    ['plant-store:attempt:start', { attempt: attempt(3), headers: {} }],
    ['plant-store:attempt:response', { attempt: attempt(3), status: 204, acknowledged: true }],
    ['plant-store:delivery:end', { delivery, attempts: 3, status: 204 }],
  ]);
});

test.each([
  ['once', {}],
  ['in attempts', { retry }],
])('the messages about a delivery have the same objects, %s', async (_, options) => {
  const { sender } = await openBoth(acknowledge, options);
  const deliveries = new Set<object>();
  const attempts = new Set<object>();
  listen('plant-store:delivery:start', ({ delivery }) => deliveries.add(delivery));
  listen('plant-store:attempt:start', ({ attempt }) => {
    deliveries.add(attempt.delivery);
    attempts.add(attempt);
  });
  listen('plant-store:attempt:response', ({ attempt }) => attempts.add(attempt));
  listen('plant-store:delivery:end', ({ delivery }) => deliveries.add(delivery));

  await sender.send(arbitrary);
  expect([deliveries.size, attempts.size]).toEqual([1, 1]);

  await sender.send(arbitrary);
  expect([deliveries.size, attempts.size]).toEqual([2, 2]);
});

describe('a delivery that fails', () => {
  const failing = async (): Promise<never> => Promise.reject(new Error('arbitrary'));

  test.each<[cause: string, options: object, sendOptions: object, code: string]>([
    ['options of `send`', {}, { unknown: 1 }, 'PLANT_STORE_INVALID_OPTIONS'],
    ['encode', { encode: () => ({ content: '' }) }, {}, 'PLANT_STORE_ENCODE_FAILED'],
    ['the access token', { accessToken: failing }, {}, 'PLANT_STORE_ACCESS_TOKEN_FAILED'],
    ['the header fields', { headers: failing }, {}, 'PLANT_STORE_HEADERS_FAILED'],
    ['a signal that is aborted', {}, { signal: AbortSignal.abort() }, 'PLANT_STORE_ABORTED'],
  ])('before its request because of %s has no attempt', async (_, options, sendOptions, code) => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9', ...options });
    const published = record();

    const error = await rejection(sender.send(arbitrary, sendOptions));

    const delivery = expect.objectContaining({ method: 'POST' }) as object;
    expect(error.code).toBe(code);
    expect(published).toEqual([
      ['plant-store:delivery:start', { delivery }],
      ['plant-store:delivery:end', { delivery, attempts: 0, error }],
    ]);
  });

  test.each([
    ['once', {}],
    ['in attempts', { retry }],
  ])('because it is aborted, %s, has one failed attempt and one end', async (_, options) => {
    const { server, sender } = await openBoth(staySilent, options);
    const published = record();
    const controller = new AbortController();

    const failed = rejection(sender.send(arbitrary, { signal: controller.signal }));
    await server.request(0);
    controller.abort();
    const error = await failed;

    expect(published.slice(2)).toEqual([
      ['plant-store:attempt:failure', { attempt: expect.anything() as object, error }],
      ['plant-store:delivery:end', { delivery: expect.anything() as object, attempts: 1, error }],
    ]);
  });

  test('publishes no access token, though the receiver repeats it', async () => {
    const echo = `HTTP/1.1 401 Unauthorized\r\nX-Echo: ${accessToken}\r\nContent-Length: 12\r\n\r\n${accessToken}`;
    const { sender } = await openBoth(respondWith(echo));
    const published = record();

    await rejection(sender.send(arbitrary));

    expect(published).toHaveLength(4);
    const texts = [inspect(published, { depth: Infinity, showHidden: true }), JSON.stringify(published)];
    for (const text of texts) expect(text).not.toContain(accessToken);
  });
});

describe('header fields of a subscriber', () => {
  test('are sent, unless the request has them already', async () => {
    const server = await startRawServer(acknowledge);
    const headers = { 'x-own': 'of the hook' };
    const sender = openTestSender({ baseUrl: server.url, headers: () => headers });
    listen('plant-store:attempt:start', ({ headers: added }) =>
      Object.assign(added, { 'X-Own': 'of a subscriber', 'X-Added': 'of a subscriber' }),
    );

    await sender.send(arbitrary);

    const fields = fieldsOf(server.requests[0]!);
    expect(fields).toMatchObject({ 'x-own': 'of the hook', 'X-Added': 'of a subscriber' });
    expect(fields).not.toHaveProperty('X-Own');
  });

  test.each([
    ['an invalid name', { 'not a name': 'x' }, 'has an invalid header name'],
    ['an invalid value', { 'x-added': 'a\nb' }, 'has an invalid value of x-added'],
    ['a reserved name', { Authorization: 'x' }, 'must not have Authorization'],
  ])('with %s fail the delivery', async (_, added, problem) => {
    const server = await startRawServer(acknowledge);
    const senders = [() => ({}), async () => ({})].map((headers) =>
      openTestSender({ baseUrl: server.url, headers }),
    );
    listen('plant-store:attempt:start', ({ headers }) => Object.assign(headers, added));

    for (const sender of senders) {
      expect(await rejection(sender.send(arbitrary))).toMatchObject({
        code: 'PLANT_STORE_HEADERS_FAILED',
        outcome: 'not-sent',
        message: expect.stringContaining(`plant-store:attempt:start ${problem}`) as string,
      });
    }
    expect(server.requests).toEqual([]);
  });
});

test('the start of a delivery is published in the context of its caller', async () => {
  const { sender } = await openBoth(acknowledge, { maxConnections: 1 });
  const storage = new AsyncLocalStorage<number>();
  const seen: unknown[] = [];
  listen('plant-store:delivery:start', () => seen.push(storage.getStore()));

  await Promise.all([1, 2, 3].map((caller) => storage.run(caller, () => sender.send(arbitrary))));

  expect(seen).toEqual([1, 2, 3]);
});

// In a process of its own: other tests of this process may have subscribed.
test('a delivery that nobody subscribed to at its start publishes nothing', async () => {
  const server = await startRawServer(acknowledge);
  const file = join(writeDocumented('docs/observability.md'), 'late.mjs');
  writeFileSync(
    file,
    `import { subscribe } from 'node:diagnostics_channel';
     import { bytes, createNewPlantSender } from '@plant-store/sdk';
     const [baseUrl, ...names] = process.argv.slice(2);
     const sender = createNewPlantSender({ baseUrl, accessToken: 'x', method: 'POST', encode: bytes() });
     const late = sender.send('arbitrary');
     for (const name of names) subscribe(name, () => console.log(name));
     await late;
     console.log('the next one:');
     await sender.send('arbitrary');
     await sender.close();`,
  );
  const args = [...withEverythingOpen(file), server.url, ...names];

  const { stdout } = await startProcess(process.execPath, args).finished;

  const published = names.filter((name) => !/failure|retry/.test(name));
  expect(stdout.trim().split('\n')).toEqual(['the next one:', ...published]);
});

test('each plant of `sendAll` is a delivery', async () => {
  const { sender } = await openBoth(acknowledge);
  const published = record();

  for await (const { error } of sender.sendAll([arbitrary, arbitrary])) expect(error).toBeUndefined();

  expect(published.filter(([name]) => name === 'plant-store:delivery:end')).toHaveLength(2);
});

test('`accessToken` and `headers` are called in the context of the caller, also after a wait', async () => {
  const server = await startRawServer(acknowledge);
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const sender = openTestSender({
    baseUrl: server.url,
    maxConnections: 1,
    accessToken: () => (seen.push(storage.getStore()), accessToken),
    headers: () => (seen.push(storage.getStore()), {}),
  });

  await Promise.all(['a', 'b', 'c'].map((caller) => storage.run(caller, () => sender.send(arbitrary))));

  expect(seen).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
});
