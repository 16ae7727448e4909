import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { poisonSettings, sendAll, superviseUntilDone, untilNothingWaits } from '../support/poison.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

/** State, attempts and error of each delivery. */
const resultsOf = ({ inbox }: RunningReceiver): unknown[][] =>
  readInbox(inbox).map(({ state, attempts, error }) => [state, attempts, error]);

const HANDLED = ['handled', 1, null];

const expectStop = async ({ process }: RunningReceiver): Promise<void> =>
  expect(await process.stop()).toEqual({ code: 0, signal: null });

test('whatever a handler does in its promise, the delivery is handled or parked, and the receiver goes on', async () => {
  const settings = { ...poisonSettings, HANDLER_BACKOFF_MS: '20', HANDLER_MAX_BACKOFF_MS: '30' };
  const receiver = await startReceiver({ settings });
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  await sendAll(receiver, ['reject unhandled']);
  const rejection = await receiver.process.logged('unhandled promise rejection; the receiver goes on');
  await sendAll(receiver, [`show${bytes.toString('latin1')}`, 'throw an error']);
  await receiver.process.logged('attempt 3 of 3 failed; the delivery is parked');
  const { fields, type, hex } = await receiver.process.logged('shown');
  await expectStop(receiver);

  expect(rejection).toMatchObject({ level: 'error', err: { message: 'rejected on purpose' } });
  expect(fields).toEqual({
    id: 2,
    attempts: 1,
    receivedAt: expect.any(Number) as number,
    claimedAt: expect.any(Number) as number,
    method: 'POST',
    mediaType: null,
    contentEncoding: null,
    eventId: null,
    fields: [
      ['Host', 'localhost'],
      ['Content-Length', '260'],
    ],
  });
  expect(type).toBe('Buffer');
  expect(hex).toBe(`${Buffer.from('show').toString('hex')}${bytes.toString('hex')}`);
  const failures = receiver.process.entries().filter(({ msg }) => msg.startsWith('attempt '));
  expect(failures).toMatchObject([
    { level: 'warn', msg: 'attempt 1 of 3 failed; the delivery comes again', attempt: 1 },
    { level: 'warn', msg: 'attempt 2 of 3 failed; the delivery comes again', attempt: 2 },
    { level: 'error', delivery: 3, attempt: 3, maxAttempts: 3, durationMs: expect.any(Number) as number },
  ]);
  expect(resultsOf(receiver)).toEqual([HANDLED, HANDLED, ['parked', 3, 'TypeError: thrown on purpose']]);
});

describe('SIGTERM', () => {
  test('lets attempts end, then closes what the handler uses', async () => {
    const receiver = await startReceiver({ settings: poisonSettings });
    await sendAll(receiver, ['wait']);
    await receiver.process.logged('attempt');
    await expectStop(receiver);

    expect(resultsOf(receiver)).toEqual([HANDLED]);
    const messages = receiver.process.entries().map(({ msg }) => msg);
    expect(messages).toEqual(['listening', 'attempt', 'stopping', 'the handler closed', 'stopped']);
    expect(receiver.process.stderr).toBe('');
  });

  test('counts no attempt that it cuts off, and starts no other', async () => {
    const settings = { ...poisonSettings, HANDLER_CONCURRENCY: '1', SHUTDOWN_TIMEOUT_MS: '50' };
    const receiver = await startReceiver({ settings });
    await sendAll(receiver, ['wait for ever', 'handled']);
    await receiver.process.logged('attempt');

    expect(await receiver.process.stop()).toEqual({ code: 1, signal: null });
    expect(receiver.process.entries('attempt')).toHaveLength(1);
    expect(resultsOf(receiver)).toEqual(Array(2).fill(['waiting', 0, null]));
  });
});

describe('a handler that ends the process has failed, and everything beside it is handled, if it', () => {
  const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '500', HANDLER_MAX_ATTEMPTS: '2' };

  test.each<[what: string, fate: string, exit: unknown, lastLine: object]>([
    [
      'throws outside its promise',
      'throw outside its promise',
      { code: 1, signal: null },
      { level: 'fatal', msg: 'uncaught exception; the process ends', err: { message: 'thrown on purpose' } },
    ],
    [
      'blocks for longer than an attempt may take',
      'block',
      { code: null, signal: 'SIGKILL' },
      { level: 'fatal', msg: 'the handler blocks the event loop; the process ends', timeoutMs: 500 },
    ],
  ])('%s', async (_what, fate, exit, lastLine) => {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder, settings });
    await sendAll(receiver, ['wait', 'handled']);
    await sendAll(receiver, [fate]);
    expect(await receiver.process.exit).toEqual(exit);
    expect(receiver.process.entries().at(-1)).toMatchObject(lastLine);

    await superviseUntilDone(folder, settings);

    const [first, second, poison] = resultsOf(receiver);
    expect([first![0], second![0]]).toEqual(['handled', 'handled']);
    expect(poison).toEqual(['parked', 2, 'the process ended during the attempt']);
  });
});

test('what a crash interrupted comes first and alone, the one with the fewest attempts before the others', async () => {
  const folder = makeFolder();
  const first = await startReceiver({ folder, settings: poisonSettings });
  await sendAll(first, ['wait for ever', 'wait', 'wait']);
  await first.process.logged('attempt', 3);
  await first.process.kill();
  const second = await startReceiver({ folder, settings: poisonSettings });
  await second.process.logged('attempt');
  await sendAll(second, ['handled']);
  await second.process.kill();

  const third = await startReceiver({
    folder,
    settings: { ...poisonSettings, HANDLER_TIMEOUT_MS: '1000', HANDLER_MAX_ATTEMPTS: '4' },
  });
  await third.process.logged('attempt', 4);
  await third.process.kill();

  expect(second.process.entries('attempt')).toMatchObject([{ delivery: 1, attempts: 2 }]);
  expect(third.process.entries('attempt').slice(0, 4)).toMatchObject([
    { delivery: 2, attempts: 2 },
    { delivery: 3, attempts: 2 },
    { delivery: 1, attempts: 3 },
    { delivery: 4, attempts: 1 },
  ]);
});

test('a handler that blocks for a shorter time is left alone, and keeps back no response', async () => {
  const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '6000', HANDLER_MAX_ATTEMPTS: '1' };
  const receiver = await startReceiver({ settings });
  const responses = makeFolder();
  const sendOneByOne = async (sender: number): Promise<void> => {
    for (let sent = 0; sent < 10; sent += 1) {
      const file = join(responses, `${sender}-${sent}`);
      await sendAll(receiver, [`block until ${file}`]);
      writeFileSync(file, '');
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, sender) => sendOneByOne(sender)));
  await untilNothingWaits(receiver.inbox);
  await expectStop(receiver);

  expect(resultsOf(receiver)).toEqual(Array(80).fill(HANDLED));
});

test('a receiver with HANDLER_CONCURRENCY=0 only accepts; another one calls the handler', async () => {
  const folder = makeFolder();
  const accepting = { ...poisonSettings, HANDLER_CONCURRENCY: '0' };
  const first = await startReceiver({ folder, settings: accepting });
  // Together they block for longer than an attempt may take; none of them does.
  await sendAll(first, Array<string>(20).fill('block briefly'));
  await expectStop(first);
  expect(resultsOf(first)).toEqual(Array(20).fill(['waiting', 0, null]));

  const second = await startReceiver({ folder, settings: { ...poisonSettings, HANDLER_TIMEOUT_MS: '100' } });
  await untilNothingWaits(second.inbox);
  await expectStop(second);
  expect(resultsOf(second)).toEqual(Array(20).fill(HANDLED));
});
