import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { poisonSettings, sendAll, superviseUntilDone, untilNothingWaits } from '../support/poison.js';
import { canUnshare, FIRST_PROCESS, type RunningReceiver, startReceiver } from '../support/receiver.js';

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
  await sendAll(receiver, ['wait']);
  await receiver.process.logged('attempt', 6);
  await expectStop(receiver);

  expect(rejection).toMatchObject({ level: 'error', err: { message: 'rejected on purpose' } });
  expect(fields).toEqual({
    id: 2,
    key: expect.any(String) as string,
    attempts: 1,
    receivedAt: expect.any(Number) as number,
    startedAt: expect.any(Number) as number,
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
  expect(resultsOf(receiver)).toEqual([
    ...[HANDLED, HANDLED, ['parked', 3, 'TypeError: thrown on purpose, caused by RangeError: the cause']],
    // An attempt that ran was not cut off.
    HANDLED,
  ]);
  const last = receiver.process.entries().map(({ msg }) => msg);
  expect(last.slice(-3)).toEqual(['stopping', 'the handler closed', 'stopped']);
});

test('the stack of a failed attempt has the frames of the handler, wherever that is, and no other', async () => {
  const handler = join(makeFolder(), 'dist/dispatch/attempt.js');
  mkdirSync(dirname(handler), { recursive: true });
  writeFileSync(handler, 'module.exports = function handle() {\n  throw new Error("arbitrary");\n};\n');
  const receiver = await startReceiver({ settings: { HANDLER: handler, HANDLER_MAX_ATTEMPTS: '1' } });
  await sendAll(receiver, ['arbitrary content']);

  const { err } = await receiver.process.logged('attempt 1 of 1 failed; the delivery is parked');
  expect((err as Error).stack).toMatch(/^Error: arbitrary\n +at (?:Object\.)?handle \(.*attempt\.js:2:9\)$/);
});

test('a handler that blocks the event loop ends the process, and has failed', async () => {
  const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '1000', HANDLER_MAX_ATTEMPTS: '1' };
  const folder = makeFolder();
  const receiver = await startReceiver({ folder, settings });
  await sendAll(receiver, ['block']);

  const ended = await superviseUntilDone(receiver, { folder, settings });

  expect(ended).toEqual([receiver]);
  expect(await receiver.process.exit).toEqual({ code: null, signal: 'SIGKILL' });
  expect(receiver.process.entries().at(-1)).toMatchObject({
    level: 'fatal',
    msg: 'the event loop is blocked; the process ends',
    timeoutMs: 1_000,
    blockedMs: 2_000,
  });
  expect(resultsOf(receiver)).toEqual([['parked', 1, 'the process ended during the attempt']]);
});

(canUnshare ? test : test.skip)(
  'so does one in the first process of a container, which ignores SIGKILL of its own',
  async () => {
    const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '1000' };
    const receiver = await startReceiver({ settings, within: FIRST_PROCESS });
    await sendAll(receiver, ['block']);

    expect(await receiver.process.exit).toEqual({ code: 1, signal: null });
    expect(receiver.process.entries().at(-1)).toMatchObject({
      msg: 'the event loop is blocked; the process ends',
    });
  },
);

test('a handler that blocks the event loop at the stop is ended with the time of the stop', async () => {
  const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '30000', SHUTDOWN_TIMEOUT_MS: '100' };
  const receiver = await startReceiver({ settings });
  await sendAll(receiver, ['block at the stop']);
  await receiver.process.logged('attempt');
  receiver.process.signal('SIGTERM');

  expect(await receiver.process.exit).toEqual({ code: null, signal: 'SIGKILL' });
  expect(receiver.process.entries().at(-1)).toMatchObject({
    level: 'fatal',
    msg: 'the stop has not ended in time; the process ends',
  });
});

test('a handler that blocks for a shorter time is left alone, and keeps back no response', async () => {
  const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '30000', HANDLER_MAX_ATTEMPTS: '1' };
  const receiver = await startReceiver({ settings });
  const responses = makeFolder();
  const sendOneByOne = async (sender: number): Promise<void> => {
    for (let sent = 0; sent < 3; sent += 1) {
      const file = join(responses, `${sender}-${sent}`);
      await sendAll(receiver, [`block until ${file}`]);
      writeFileSync(file, '');
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, sender) => sendOneByOne(sender)));
  await untilNothingWaits(receiver.inbox);
  await expectStop(receiver);

  expect(resultsOf(receiver)).toEqual(Array(24).fill(HANDLED));
});

test('a receiver with HANDLER_CONCURRENCY=0 only accepts; another one calls the handler', async () => {
  // Together they block for longer than an attempt may take; none of them does.
  const COUNT = 15;
  const folder = makeFolder();
  const accepting = { ...poisonSettings, HANDLER_CONCURRENCY: '0' };
  const first = await startReceiver({ folder, settings: accepting });
  await sendAll(first, Array<string>(COUNT).fill('block briefly'));
  await expectStop(first);
  expect(resultsOf(first)).toEqual(Array(COUNT).fill(['waiting', 0, null]));

  const second = await startReceiver({
    folder,
    settings: { ...poisonSettings, HANDLER_TIMEOUT_MS: '1000', HANDLER_CONCURRENCY: `${COUNT}` },
  });
  await untilNothingWaits(second.inbox);
  await expectStop(second);
  expect(resultsOf(second)).toEqual(Array(COUNT).fill(HANDLED));
});
