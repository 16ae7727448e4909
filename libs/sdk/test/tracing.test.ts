import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { afterThisTest } from '@plant-store/test-support';
import type { SendTrace } from '../src/index.js';
import { acknowledge, inTurn, respond, respondWith, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, openBoth, openTestSender, rejection, unsent } from './support/senders.js';

const channel = tracingChannel<SendTrace>('plant-store:send');
const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

/** Everything that is published from now on in this test. */
function record(): [event: string, message: SendTrace][] {
  const published: [string, SendTrace][] = [];
  const listeners = Object.fromEntries(
    events.map((event) => [event, (message: SendTrace) => published.push([event, message])]),
  ) as unknown as Parameters<typeof channel.subscribe>[0];
  channel.subscribe(listeners);
  afterThisTest(() => channel.unsubscribe(listeners));
  return published;
}

test('a delivery that is retried is one call, with the response that acknowledged it', async () => {
  const retry = { delays: [1], statuses: [503], withoutResponse: true };
  const { server, sender } = await openBoth(inTurn(respond(503), acknowledge), { retry });
  const published = record();

  const result = await sender.send(arbitrary);

  const [, [, message]] = published as [unknown, [string, SendTrace]];
  expect(message).toEqual({ method: 'POST', url: `${server.url}/plant/webhook`, result });
  expect(published.map(([event]) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
  for (const [, same] of published) expect(same).toBe(message);
});

test('a delivery that fails has its error', async () => {
  const { sender } = await openBoth(respond(400));
  const published = record();

  const error = await rejection(sender.send(arbitrary));

  expect(published.map(([event]) => event)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
  expect(published.at(-1)![1].error).toBe(error);
});

test('so has one with invalid options, and one of a sender that a subscriber closes', async () => {
  const published = record();

  const invalid = await unsent({ sendOptions: null });

  expect(published.at(-1)![1].error).toBe(invalid);
  const { sender } = await openBoth(acknowledge);
  const listeners = { start: () => void sender.close() } as never;
  channel.subscribe(listeners);
  afterThisTest(() => channel.unsubscribe(listeners));
  expect(await rejection(sender.send(arbitrary))).toMatchObject({ code: 'PLANT_STORE_SENDER_CLOSED' });
});

test('no message has the access token, though the receiver repeats it', async () => {
  const echo = `HTTP/1.1 401 Unauthorized\r\nX-Echo: ${accessToken}\r\nContent-Length: 12\r\n\r\n${accessToken}`;
  const { sender } = await openBoth(respondWith(echo));
  const published = record();

  await rejection(sender.send(arbitrary));

  expect(published).toHaveLength(5);
  const texts = [inspect(published, { depth: Infinity, showHidden: true }), JSON.stringify(published)];
  for (const text of texts) expect(text).not.toContain(accessToken);
});

test('a store that is bound to the start is active in the functions of the sender', async () => {
  const storage = new AsyncLocalStorage<SendTrace>();
  channel.start.bindStore(storage);
  afterThisTest(() => void channel.start.unbindStore(storage));
  const seen: unknown[] = [];
  const headers = (): Record<string, string> => (seen.push(storage.getStore()?.method), {});
  const { sender } = await openBoth(acknowledge, { headers });

  await sender.send(arbitrary);

  expect(seen).toEqual(['POST']);
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
