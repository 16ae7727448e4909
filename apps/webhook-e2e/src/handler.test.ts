import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { overviewOf } from '../support/inbox.js';
import { poisonSettings, sendAll, superviseUntilDone, untilNothingWaits } from '../support/poison.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const BLOCKED = 'the handler blocks the event loop; the process ends';
const PARKED = 'the handler failed for the last time; the delivery is parked';

/** What a person sees of each delivery, without its content. */
const resultsOf = ({ inbox }: RunningReceiver): unknown[][] =>
  overviewOf(inbox).map((row) => row.slice(1, 4));

/** Sends deliveries, waits until each is handled or parked, and returns what a person sees of them. */
async function resultsOfSending(
  receiver: RunningReceiver,
  contents: readonly string[],
): Promise<unknown[][]> {
  const earlier = resultsOf(receiver).length;
  await sendAll(receiver, contents);
  await untilNothingWaits(receiver.inbox);
  return resultsOf(receiver).slice(earlier);
}

const expectStop = async ({ process }: RunningReceiver): Promise<void> =>
  expect(await process.stop()).toEqual({ code: 0, signal: null });

describe('without retries,', () => {
  let receiver: RunningReceiver;
  beforeAll(async () => {
    const once = { ...poisonSettings, HANDLER_MAX_ATTEMPTS: '1' };
    receiver = await startReceiver({ settings: once, cleanUp: afterThisFile });
  });
  afterAll(() => expectStop(receiver));

  test('the handler gets the delivery as it was sent', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const id = resultsOf(receiver).length + 1;
    const results = await resultsOfSending(receiver, [`show${bytes.toString('latin1')}`]);
    const { fields, type, hex } = await receiver.process.logged('shown');

    expect(fields).toEqual({
      id,
      failures: 0,
      suspect: false,
      receivedAt: expect.any(Number) as number,
      method: 'POST',
      mediaType: null,
      contentEncoding: null,
      eventId: null,
      fields: expect.any(Array) as unknown[],
    });
    const names = (fields as { fields: [string, string][] }).fields.map(([name]) => name.toLowerCase());
    expect(names).toContain('host');
    expect(names).not.toContain('authorization');
    expect(type).toBe('Buffer');
    expect(hex).toBe(`${Buffer.from('show').toString('hex')}${bytes.toString('hex')}`);
    expect(results).toEqual([['handled', 0, null]]);
  });

  test('what the handler throws is stored and logged', async () => {
    const fates = ['throw an error', 'throw an object', 'throw nothing'];
    const results = await resultsOfSending(receiver, fates);
    await receiver.process.logged(PARKED, 3);

    expect(results).toEqual([
      ['parked', 1, 'TypeError: thrown on purpose'],
      ['parked', 1, '{ arbitrary: Map(1) { 1 => [Function (anonymous)] } }'],
      ['parked', 1, 'null'],
    ]);
    const stack = expect.stringMatching(
      /^TypeError: thrown on purpose\n {4}at .*new-plant|^TypeError/,
    ) as string;
    const [error, object, nothing] = receiver.process.entries(PARKED).map(({ err }) => err);
    expect(error).toEqual({
      type: 'TypeError',
      message: 'thrown on purpose',
      code: 'ARBITRARY',
      stack,
      cause: {
        type: 'RangeError',
        message: 'the cause',
        code: 'CAUSE',
        stack: expect.any(String) as string,
      },
    });
    expect(object).toEqual({
      type: 'object',
      message: '{ arbitrary: Map(1) { 1 => [Function (anonymous)] } }',
    });
    expect(nothing).toEqual({ type: 'object', message: 'null' });
  });
});

describe('a time-out aborts the signal of a handler', () => {
  let receiver: RunningReceiver;
  beforeAll(async () => {
    const short = { ...poisonSettings, HANDLER_TIMEOUT_MS: '200', HANDLER_MAX_ATTEMPTS: '2' };
    receiver = await startReceiver({ settings: short, cleanUp: afterThisFile });
  });
  afterAll(() => expectStop(receiver));

  test.each(['wait for the signal', 'wait for ever'])('that would %s', async (fate) => {
    const earlier = receiver.process.entries('aborted').length;
    const error = 'Error: the handler took longer than 200 ms';
    expect(await resultsOfSending(receiver, [fate])).toEqual([['parked', 2, error]]);

    const reasons = fate === 'wait for ever' ? [] : [error, error];
    // The inbox may have the result before this process has read the lines.
    if (reasons.length > 0) await receiver.process.logged('aborted', earlier + reasons.length);
    const aborted = receiver.process.entries('aborted').slice(earlier);
    expect(aborted.map(({ reason }) => reason)).toEqual(reasons);
  });
});

test('SIGTERM lets attempts end, then closes what the handler uses', async () => {
  const receiver = await startReceiver({ settings: poisonSettings });
  await sendAll(receiver, ['wait']);
  await receiver.process.logged('attempt');
  await expectStop(receiver);

  expect(resultsOf(receiver)).toEqual([['handled', 0, null]]);
  expect(receiver.process.entries().map(({ msg }) => msg)).toEqual([
    'listening',
    'attempt',
    'stopping',
    'the handler closed',
    'stopped',
  ]);
  expect(receiver.process.stderr).toBe('');
});

test('an attempt that SIGTERM cuts short is not counted', async () => {
  const receiver = await startReceiver({ settings: { ...poisonSettings, SHUTDOWN_TIMEOUT_MS: '50' } });
  await sendAll(receiver, ['wait for ever']);
  await receiver.process.logged('attempt');

  expect(await receiver.process.stop()).toEqual({ code: 1, signal: null });
  expect(resultsOf(receiver)).toEqual([['waiting', 0, null]]);
});

test('no more attempts run at a time than HANDLER_CONCURRENCY', async () => {
  const limits = { HANDLER_CONCURRENCY: '1', SHUTDOWN_TIMEOUT_MS: '50' };
  const receiver = await startReceiver({ settings: { ...poisonSettings, ...limits } });
  await sendAll(receiver, ['wait for ever', 'handled']);
  await receiver.process.logged('attempt');

  expect(await receiver.process.stop()).toEqual({ code: 1, signal: null });
  expect(receiver.process.entries('attempt')).toHaveLength(1);
  expect(resultsOf(receiver).map(([state]) => state)).toEqual(['waiting', 'waiting']);
});

test('the wait doubles from HANDLER_BACKOFF_MS to HANDLER_MAX_BACKOFF_MS', async () => {
  const limits = {
    HANDLER_MAX_ATTEMPTS: '5',
    HANDLER_BACKOFF_MS: '20',
    HANDLER_MAX_BACKOFF_MS: '80',
  };
  const receiver = await startReceiver({ settings: { ...poisonSettings, ...limits } });
  await sendAll(receiver, ['throw an error']);
  await receiver.process.logged(PARKED);

  const waits = receiver.process
    .entries('the handler failed; the delivery comes again')
    .map((entry) => entry['retryAfter'] as number);
  const longest = [20, 40, 80, 80];
  expect(waits).toHaveLength(longest.length);
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(longest[index]! / 2);
    expect(wait).toBeLessThanOrEqual(longest[index]!);
  }
  await expectStop(receiver);
});

describe('a handler that ends the process has failed, and everything beside it is handled, if it', () => {
  const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '500', HANDLER_MAX_ATTEMPTS: '2' };

  test.each([
    ['exits', 'exit', { code: 7, signal: null }],
    ['blocks', 'block', { code: null, signal: 'SIGKILL' }],
  ])('%s', async (_what, fate, exit) => {
    const folder = makeFolder();
    const first = await startReceiver({ folder, settings });
    await sendAll(first, ['wait', 'handled']);
    await sendAll(first, [fate]);
    expect(await first.process.exit).toEqual(exit);

    const { attempts } = await superviseUntilDone(folder, settings);

    expect(attempts[0]).toContainEqual([3, 1]);
    expect(resultsOf(first)).toEqual([
      ['handled', 0, null],
      ['handled', 0, null],
      ['parked', 2, 'Error: the process ended during the attempt'],
    ]);
  });
});

describe('a handler that blocks the event loop', () => {
  test('for longer than an attempt may take ends the process, with one line in the log', async () => {
    const receiver = await startReceiver({ settings: { ...poisonSettings, HANDLER_TIMEOUT_MS: '500' } });
    await sendAll(receiver, ['block']);

    expect(await receiver.process.exit).toEqual({ code: null, signal: 'SIGKILL' });
    const time = expect.any(String) as string;
    expect(receiver.process.entries().slice(-1)).toEqual([
      { level: 'fatal', time, timeoutMs: 500, msg: BLOCKED },
    ]);
    expect(receiver.process.stderr).toBe('');
  });

  test('for a shorter time is left alone', async () => {
    const receiver = await startReceiver({ settings: { ...poisonSettings, HANDLER_TIMEOUT_MS: '4000' } });
    const file = join(makeFolder(), 'file');
    await sendAll(receiver, [`block until ${file}`]);
    await receiver.process.logged('attempt');
    writeFileSync(file, '');
    await untilNothingWaits(receiver.inbox);
    await expectStop(receiver);

    expect(resultsOf(receiver)).toEqual([['handled', 0, null]]);
  });

  test('briefly for each of many deliveries is left alone', async () => {
    const receiver = await startReceiver({ settings: { ...poisonSettings, HANDLER_TIMEOUT_MS: '100' } });
    await changeHandler(receiver, 'pause');
    const many = Array.from({ length: 100 }, () => 'block briefly');
    await sendAll(receiver, many);
    await changeHandler(receiver, 'resume');
    await receiver.process.logged('attempt', many.length);
    await expectStop(receiver);

    expect(resultsOf(receiver)).toEqual(many.map(() => ['handled', 0, null]));
  });
});

/** Pauses or resumes the handler, as an operator does. */
async function changeHandler({ process }: RunningReceiver, change: 'pause' | 'resume'): Promise<void> {
  const { operations } = await process.logged('listening');
  const headers = { 'content-type': 'application/json' };
  const url = new URL(`handler/${change}`, operations as string);
  expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(204);
}
