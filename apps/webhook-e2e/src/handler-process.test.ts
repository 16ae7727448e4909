import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { overviewOf } from '../support/inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { type LogEntry, type RunningReceiver, startReceiver } from '../support/receiver.js';

const END_WITH_PARENT = fileURLToPath(new URL('../../webhook/serve/end-with-parent.mjs', import.meta.url));

const READY = "the handler's process is ready";
const ENDED = "the handler's process ended; it starts again";
const PARKED = 'the handler failed for the last time; the delivery is parked';

const own = { ...poisonSettings, HANDLER_PROCESS: 'own' };

/** What a person sees of each delivery, without its content. */
const resultsOf = ({ inbox }: RunningReceiver): unknown[][] =>
  overviewOf(inbox).map((row) => row.slice(1, 4));

/**
 * How often each delivery had failed when its attempts started, in their order. The inbox may have the result before
 * this process has read the line of the attempt.
 */
async function failuresOf({ process }: RunningReceiver, id: number): Promise<unknown[]> {
  const attempts = (): LogEntry[] => process.entries('attempt').filter((entry) => entry['delivery'] === id);
  await process.until(() => attempts()[0], `an attempt of delivery ${id}`);
  return attempts().map((entry) => entry['failures']);
}

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

describe.each(['receiver', 'own'])('HANDLER_PROCESS=%s', (place) => {
  const settings = { ...poisonSettings, HANDLER_PROCESS: place };

  describe('without retries,', () => {
    let receiver: RunningReceiver;
    beforeAll(async () => {
      const once = { ...settings, HANDLER_MAX_ATTEMPTS: '1' };
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

    test('what the handler sends to its parent process is ignored', async () => {
      const results = await resultsOfSending(receiver, ['send messages', 'handled']);

      expect(results.map(([state]) => state)).toEqual(['handled', 'handled']);
      expect(receiver.process.entries(ENDED)).toEqual([]);
    });
  });

  describe('a time-out aborts the signal of a handler', () => {
    let receiver: RunningReceiver;
    beforeAll(async () => {
      const short = { ...settings, HANDLER_TIMEOUT_MS: '200', HANDLER_MAX_ATTEMPTS: '2' };
      receiver = await startReceiver({ settings: short, cleanUp: afterThisFile });
    });
    afterAll(() => expectStop(receiver));

    test.each(['wait for the signal', 'wait for ever'])('that would %s', async (fate) => {
      const earlier = receiver.process.entries('aborted').length;
      const error = 'Error: the handler took longer than 200 ms';
      expect(await resultsOfSending(receiver, [fate])).toEqual([['parked', 2, error]]);

      const reasons = fate === 'wait for ever' ? [] : [error, error];
      // The handler's process may log it after the delivery is parked.
      if (reasons.length > 0) await receiver.process.logged('aborted', earlier + reasons.length);
      const aborted = receiver.process.entries('aborted').slice(earlier);
      expect(aborted.map(({ reason }) => reason)).toEqual(reasons);
      expect(receiver.process.entries(ENDED)).toEqual([]);
    });
  });

  test('SIGTERM lets attempts end, then closes what the handler uses', async () => {
    const receiver = await startReceiver({ settings });
    await sendAll(receiver, ['wait']);
    await receiver.process.logged('attempt');
    await expectStop(receiver);

    expect(resultsOf(receiver)).toEqual([['handled', 0, null]]);
    expect(receiver.process.entries().map(({ msg }) => msg)).toEqual([
      ...(place === 'own' ? ['listening', READY] : ['listening']),
      'attempt',
      'stopping',
      'the handler closed',
      'stopped',
    ]);
    expect(receiver.process.stderr).toBe('');
  });

  test('an attempt that SIGTERM cuts short is not counted', async () => {
    const receiver = await startReceiver({ settings: { ...settings, SHUTDOWN_TIMEOUT_MS: '50' } });
    await sendAll(receiver, ['wait for ever']);
    await receiver.process.logged('attempt');

    expect(await receiver.process.stop()).toEqual({ code: 1, signal: null });
    expect(resultsOf(receiver)).toEqual([['waiting', 0, null]]);
  });

  test('no more attempts run at a time than HANDLER_CONCURRENCY', async () => {
    const limits = { HANDLER_CONCURRENCY: '1', SHUTDOWN_TIMEOUT_MS: '50' };
    const receiver = await startReceiver({ settings: { ...settings, ...limits } });
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
    const receiver = await startReceiver({ settings: { ...settings, ...limits } });
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
});

describe("a handler that ends its process doesn't end the receiver:", () => {
  let receiver: RunningReceiver;
  beforeAll(async () => {
    const settings = {
      ...own,
      NODE_OPTIONS: `${poisonSettings['NODE_OPTIONS']} --max-old-space-size=48`,
      HANDLER_MAX_ATTEMPTS: '2',
    };
    receiver = await startReceiver({ settings, cleanUp: afterThisFile });
  });
  afterAll(() => expectStop(receiver));

  test.each([
    ['exit', 'exit code 7'],
    ['kill', 'SIGKILL'],
    ['throw outside its promise', 'exit code 1'],
    ['disconnect', 'exit code 1'],
    ['use up the memory', 'SIGABRT'],
  ])('%s', async (fate, how) => {
    const { process, inbox } = receiver;
    const earlier = resultsOf(receiver).length;
    const [ended, parked] = [process.entries(ENDED).length, process.entries(PARKED).length];
    await process.logged(READY, ended + 1);
    await sendAll(receiver, ['wait 1', fate, 'wait 2', 'handled 1', 'handled 2']);
    await process.logged(ENDED, ended + 1);
    await sendAll(receiver, ['handled 3']);
    await process.logged(PARKED, parked + 1);
    await process.logged(READY, ended + 3);
    await untilNothingWaits(inbox);

    const results = resultsOf(receiver).slice(earlier);
    expect(results.map(([state]) => state)).toEqual([
      'handled',
      'parked',
      'handled',
      'handled',
      'handled',
      'handled',
    ]);
    expect(results[1]).toEqual([
      'parked',
      2,
      `Error: the handler's process ended during the attempt (${how})`,
    ]);
    expect(await failuresOf(receiver, earlier + 2)).toEqual([0, 1]);
    // Alone with the poison delivery, no other is counted further.
    for (const other of [1, 3, 4, 5, 6])
      expect((await failuresOf(receiver, earlier + other)).at(-1)).toBeLessThanOrEqual(1);
    const endings = process.entries(ENDED).slice(ended);
    expect(endings.map((entry) => entry['how'])).toEqual([how, how]);
    // Attempts that end in order begin the waits anew.
    for (const { restartAfter } of endings) expect(restartAfter).toBeLessThanOrEqual(200);
    expect(process.entries(READY)).toHaveLength(ended + 3);
  });
});

test('a handler that blocks is killed after the time-out, and what follows is handled', async () => {
  const receiver = await startReceiver({ settings: { ...own, HANDLER_TIMEOUT_MS: '200' } });
  await receiver.process.logged(READY);
  await sendAll(receiver, ['block']);
  await receiver.process.logged('attempt');
  await sendAll(receiver, ['handled 1', 'handled 2']);
  await receiver.process.logged(PARKED);
  await untilNothingWaits(receiver.inbox);
  await expectStop(receiver);

  expect(resultsOf(receiver).map(([state]) => state)).toEqual(['parked', 'handled', 'handled']);
  expect(resultsOf(receiver)[0]).toEqual([
    'parked',
    3,
    'Error: the handler took longer than 200 ms, and its process ended (SIGKILL)',
  ]);
  expect(await failuresOf(receiver, 1)).toEqual([0, 1, 2]);
  expect(receiver.process.entries("the handler's process is killed").map(({ why }) => why)).toEqual(
    Array(3).fill('it does not respond'),
  );
});

test('a handler that ends after a time-out is not killed', async () => {
  const settings = { ...own, HANDLER_TIMEOUT_MS: '1000', HANDLER_MAX_ATTEMPTS: '1' };
  const receiver = await startReceiver({ settings });
  const results = await resultsOfSending(receiver, ['wait for the signal']);
  // Together they take longer than a handler has to end.
  for (const fate of ['wait 1', 'wait 2', 'wait 3'])
    results.push(...(await resultsOfSending(receiver, [fate])));
  await expectStop(receiver);

  expect(results.map(([state]) => state)).toEqual(['parked', 'handled', 'handled', 'handled']);
  expect(receiver.process.entries(ENDED)).toEqual([]);
});

test('while the handler cannot start, deliveries are accepted and wait without being counted', async () => {
  const file = join(makeFolder(), 'load');
  const receiver = await startReceiver({ settings: { ...own, UNTIL_FILE: file } });
  await sendAll(receiver, ['handled 1']);
  await receiver.process.logged(ENDED, 3);
  await sendAll(receiver, ['handled 2']);
  writeFileSync(file, '');
  await receiver.process.logged('attempt', 2);
  await expectStop(receiver);

  expect(resultsOf(receiver)).toEqual([
    ['handled', 0, null],
    ['handled', 0, null],
  ]);
  const [refused] = receiver.process.entries('the handler could not start');
  expect(refused).toMatchObject({ level: 'fatal', err: { message: 'not loaded on purpose' } });
  const waits = receiver.process.entries(ENDED).map((entry) => entry['restartAfter'] as number);
  expect(waits.slice(0, 3).every((wait, index) => wait >= 50 * 2 ** index)).toBe(true);
});

test('SIGTERM ends a receiver whose handler cannot start', async () => {
  const receiver = await startReceiver({ settings: { ...own, UNTIL_FILE: join(makeFolder(), 'never') } });
  await sendAll(receiver, ['handled']);
  await receiver.process.logged(ENDED);
  await expectStop(receiver);

  expect(resultsOf(receiver)).toEqual([['waiting', 0, null]]);
});

test.each(['wait for ever', 'block'])(
  'no process is left after SIGKILL of a receiver whose handler would %s',
  async (fate) => {
    const receiver = await startReceiver({ settings: own });
    await sendAll(receiver, [fate]);
    await receiver.process.logged('attempt');

    // Resolves when every process has ended that writes to the same standard error.
    expect(await receiver.process.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  },
);

test.each([
  ['SIGINT', 'with what npm start preloads', `--import=${END_WITH_PARENT}`],
  ['SIGTERM', 'with nothing more preloaded', ''],
  ['SIGHUP', 'with nothing more preloaded', ''],
] as const)('%s of the whole process group, %s, stops in order', async (signal, _what, preload) => {
  const NODE_OPTIONS = `${poisonSettings['NODE_OPTIONS']} ${preload}`;
  const receiver = await startReceiver({ settings: { ...own, NODE_OPTIONS } });
  const { pid } = await receiver.process.logged(READY);
  await sendAll(receiver, ['wait']);
  await receiver.process.logged('attempt');

  process.kill(pid as number, signal);
  receiver.process.signal(signal);

  expect(await receiver.process.exit).toEqual({ code: 0, signal: null });
  expect(resultsOf(receiver)).toEqual([['handled', 0, null]]);
  expect(receiver.process.entries(ENDED)).toEqual([]);
});

test('while a handler blocks, deliveries are accepted; SIGTERM kills it at the deadline and counts no attempt', async () => {
  const receiver = await startReceiver({ settings: { ...own, SHUTDOWN_TIMEOUT_MS: '50' } });
  await sendAll(receiver, ['block']);
  await receiver.process.logged('attempt');
  await sendAll(receiver, ['accepted meanwhile']);

  expect(await receiver.process.stop()).toEqual({ code: 1, signal: null });
  expect(resultsOf(receiver)).toEqual([
    ['waiting', 0, null],
    ['waiting', 0, null],
  ]);
});
