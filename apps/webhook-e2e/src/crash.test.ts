import { setTimeout as pause } from 'node:timers/promises';

import { PlantStoreError } from '@plant-store/sdk';
import { freePort, makeFolder } from '@plant-store/test-support';

import { readInbox, type StoredDelivery } from '../support/inbox.js';
import { ask } from '../support/operations.js';
import { poisonSettings, sendAll, superviseUntilDone } from '../support/poison.js';
import { soon } from '../support/port.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';
import { type OpenSender, openSender } from '../support/sender.js';

/** State and attempts of each delivery. */
const resultsOf = ({ inbox }: RunningReceiver): unknown[][] =>
  readInbox(inbox).map(({ state, attempts }) => [state, attempts]);

/** Waits until the last delivery is handled. */
async function untilLastIsHandled({ inbox }: RunningReceiver): Promise<void> {
  while (readInbox(inbox).at(-1)?.state !== 'handled') await soon();
}

test('what a crash has interrupted comes again at once, and keeps nothing else from the handler', async () => {
  const options = { folder: makeFolder(), settings: { ...poisonSettings, HANDLER_CONCURRENCY: '3' } };
  const first = await startReceiver(options);
  await sendAll(first, ['wait for ever 1', 'wait for ever 2']);
  await first.process.logged('attempt', 2);
  await first.process.kill();

  const second = await startReceiver(options);
  await sendAll(second, ['arbitrary']);
  await untilLastIsHandled(second);
  await second.process.logged('attempt', 3);
  expect(resultsOf(second)).toEqual([
    ['running', 2],
    ['running', 2],
    ['handled', 1],
  ]);
  expect(JSON.parse((await ask(second.inbox, '/deliveries/1')).content)).toMatchObject({
    history: [{ number: 1, error: 'the process ended during the attempt', duration: null }],
  });
});

/**
 * The load beside the poison. For more of it, in this project's folder:
 * `POISON='{"good":10000,"attempts":6}' NODE_OPTIONS=--experimental-vm-modules npx jest crash`
 */
const LOAD = { good: 200, milliseconds: 10, perSecond: 1_000, attempts: 3 };
const { good, milliseconds, perSecond, attempts } = {
  ...LOAD,
  ...(JSON.parse(process.env['POISON'] ?? '{}') as Partial<typeof LOAD>),
};

test('of what runs beside a delivery that ends the process each time, everything is handled', async () => {
  const settings = {
    ...poisonSettings,
    PORT: String(await freePort()),
    HANDLER_CONCURRENCY: '20',
    HANDLER_MAX_ATTEMPTS: String(attempts),
  };
  const options = { folder: makeFolder(), settings };
  const contents = Array.from({ length: good }, (_, index) => `work ${milliseconds} ${index}`);
  const receiver = await startReceiver(options);
  const sender = openSender(receiver);
  const sent = Promise.all([
    ...contents.map((content, index) => sendUntilAcknowledged(sender, content, (index / perSecond) * 1_000)),
    sendUntilAcknowledged(sender, 'throw outside its promise', (good / 5 / perSecond) * 1_000),
  ]);

  const ended = await superviseUntilDone(receiver, options, sent);

  expect(ended).toHaveLength(attempts);
  expect(await ended[0]!.process.exit).toEqual({ code: 1, signal: null });
  expect(ended[0]!.process.entries().at(-1)).toMatchObject({
    level: 'fatal',
    msg: 'uncaught exception; the process ends',
    err: { message: 'thrown on purpose' },
  });
  const stored = readInbox(receiver.inbox);
  const [[poison], others] = [stored.filter(isPoison), stored.filter((each) => !isPoison(each))];
  expect(poison).toMatchObject({
    state: 'parked',
    attempts,
    error: 'the process ended during the attempt',
  });
  expect(others.filter(({ state }) => state !== 'handled')).toEqual([]);
  expect(new Set(others.map(({ content }) => String(content)))).toEqual(new Set(contents));
  const waits = others
    .map(({ receivedAt, endedAt }) => endedAt! - receivedAt)
    .sort((one, other) => one - other);
  const [median, most] = [waits[waits.length >> 1], waits.at(-1)];
  const count = (least: number): number => others.filter((each) => each.attempts > least).length;
  process.stdout.write(
    `${others.length} good deliveries and ${ended.length} ends: ${count(1)} run again, ${count(2)} more than once; median wait ${median} ms, longest ${most} ms\n`,
  );
}, 300_000);

const isPoison = ({ content }: StoredDelivery): boolean => String(content).startsWith('throw');

/** Sends a content after so many milliseconds, and again as long as the receiver is gone. */
async function sendUntilAcknowledged(sender: OpenSender, content: string, after: number): Promise<void> {
  for (let wait = after; ; wait = 250) {
    await pause(wait);
    try {
      await sender.send(content);
      return;
    } catch (error) {
      if (!(error instanceof PlantStoreError)) throw error;
    }
  }
}
