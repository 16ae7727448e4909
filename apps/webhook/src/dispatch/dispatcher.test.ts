import { dirname } from 'node:path';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { copyInbox } from '../../test/copy-inbox.js';
import fc from '../../test/fast-check.js';
import { makeLatch } from '../../test/make-latch.js';
import { failed, openEmbedded } from '../../test/open-inbox.js';
import { type LogRecord, recordLog } from '../../test/record-log.js';
import type { Delivery, Inbox, IncomingDelivery } from '../inbox/inbox.js';
import { callHandler, type DeliveryHandler } from './attempt.js';
import { Dispatcher, type DispatcherLimits } from './dispatcher.js';

const FAILED = /^attempt \d+ of \d+ failed; the delivery comes again$/;
const PARKED = /^attempt \d+ of \d+ failed; the delivery is parked$/;
const NOT_WRITTEN = 'failed to store the result of a delivery';
const NOT_READ = 'failed to read the inbox';

/** Limits that don't matter; a failed delivery comes again at once. */
const freely: DispatcherLimits = {
  concurrency: 8,
  timeout: 2_147_483_647,
  maxAttempts: 1_000,
  backoff: 1,
  maxBackoff: 1,
};

const arbitrary: IncomingDelivery = {
  method: 'PUT',
  mediaType: null,
  contentEncoding: null,
  eventId: null,
  fields: [],
  content: Buffer.from('arbitrary'),
};

const neverAborts = new AbortController().signal;
const never = new Promise<never>(() => undefined);

/** A handler that records its calls. */
class Recorder {
  readonly calls: Delivery[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly handler: DeliveryHandler = () => undefined) {}

  readonly handle: DeliveryHandler = (delivery, attempt) => {
    this.calls.push(delivery);
    this.#waiting.splice(0).forEach((look) => look());
    return this.handler(delivery, attempt);
  };

  readonly run: DeliveryHandler = (delivery, attempt) => callHandler(this.handle, delivery, attempt);

  get ids(): number[] {
    return this.calls.map(({ id }) => id);
  }

  /** Resolves once the handler has been called this often. */
  async called(times: number): Promise<void> {
    while (this.calls.length < times) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

interface Running {
  readonly inbox: Inbox;
  readonly dispatcher: Dispatcher;
  readonly recorder: Recorder;
  readonly log: LogRecord;
  readonly accept: (count: number) => Promise<void>;
}

async function run(
  handler?: DeliveryHandler,
  limits: Partial<DispatcherLimits> = {},
  folder = makeFolder(),
): Promise<Running> {
  const inbox = await openEmbedded(folder);
  const recorder = new Recorder(handler);
  const log = recordLog();
  const dispatcher = new Dispatcher(inbox, recorder.run, { ...freely, ...limits }, log.logger);
  afterThisTest(async () => {
    await dispatcher.stop(AbortSignal.abort());
    await inbox.close();
  });
  const accept = async (count: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        inbox.accept({ ...arbitrary, content: Buffer.from(`content ${index}`) }),
      ),
    );
    dispatcher.wake();
  };
  return { inbox, dispatcher, recorder, log, accept };
}

/** What the inbox has for the handler after it was closed and opened again. */
async function afterRestart({ inbox }: Running): Promise<readonly Delivery[]> {
  await inbox.close();
  const again = await openEmbedded(dirname(inbox.location));
  const { deliveries } = await again.claim(1_000);
  await again.close();
  return deliveries;
}

const manyTurns = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns += 1) await turn();
};

describe('passes on', () => {
  test.each<[string, DeliveryHandler]>([
    ['returns', () => undefined],
    ['resolves', async () => turn()],
  ])('each delivery once, in order, to a handler that %s', async (_name, handler) => {
    const running = await run(handler, { concurrency: 2 });
    const { dispatcher, recorder, inbox, accept } = running;
    await accept(20);
    await recorder.called(20);
    await accept(5);
    await recorder.called(25);
    await dispatcher.stop(neverAborts);

    expect(recorder.ids).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(recorder.calls[3]).toMatchObject({ method: 'PUT', attempts: 1 });
    expect(String(recorder.calls[3]!.content)).toBe('content 3');
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
    expect(await afterRestart(running)).toEqual([]);
  });

  test('deliveries that were stored before it started', async () => {
    const folder = makeFolder();
    const before = await openEmbedded(folder);
    await before.accept(arbitrary);
    await before.close();

    const { dispatcher, recorder } = await run(undefined, {}, folder);
    expect(recorder.calls).toEqual([]);
    dispatcher.wake();
    await recorder.called(1);

    expect(recorder.calls).toMatchObject([{ id: 1, method: 'PUT' }]);
  });

  test('what arrives while a slow inbox is read', async () => {
    const inbox = await openEmbedded(makeFolder());
    const answer = makeLatch();
    const recorder = new Recorder();
    const claim = inbox.claim.bind(inbox);
    inbox.claim = async (limit) => {
      const claimed = await claim(limit);
      await answer.opened;
      return claimed;
    };
    const dispatcher = new Dispatcher(inbox, recorder.run, freely, recordLog().logger);
    afterThisTest(async () => {
      await dispatcher.stop(AbortSignal.abort());
      await inbox.close();
    });

    dispatcher.wake();
    await inbox.accept(arbitrary);
    dispatcher.wake();
    answer.open();
    await recorder.called(1);

    expect(recorder.ids).toEqual([1]);
  });

  test('no more at a time than the limit', async () => {
    const latch = makeLatch();
    let atOnce = 0;
    let most = 0;
    const { recorder, dispatcher, accept } = await run(
      async () => {
        most = Math.max(most, (atOnce += 1));
        await latch.opened;
        atOnce -= 1;
      },
      { concurrency: 3 },
    );
    await accept(10);
    await recorder.called(3);
    dispatcher.wake();
    await manyTurns();
    expect(recorder.ids).toEqual([1, 2, 3]);

    latch.open();
    await recorder.called(10);
    await dispatcher.stop(neverAborts);
    expect(most).toBe(3);
  });

  test('other deliveries while one takes long', async () => {
    const latch = makeLatch();
    const { recorder, dispatcher, inbox, accept } = await run(
      ({ id }) => (id === 1 ? latch.opened : undefined),
      {
        concurrency: 2,
      },
    );
    await accept(600);
    await recorder.called(600);
    latch.open();
    await dispatcher.stop(neverAborts);

    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
  });
});

describe('a handler that fails', () => {
  const raise = (fault: unknown): never => {
    throw fault as Error;
  };
  const failures: readonly (readonly [name: string, fail: () => Promise<void> | void, described: string])[] =
    [
      ['throws', () => raise(new TypeError('no')), 'TypeError: no'],
      ['rejects', async () => raise(new Error('no')), 'Error: no'],
      ['rejects without a reason', async () => raise(undefined), 'undefined'],
      ['throws text', () => raise('no'), "'no'"],
      [
        'throws an object without a prototype',
        () => raise(Object.create(null)),
        '[Object: null prototype] {}',
      ],
    ];

  test.each(failures)('that %s gets the delivery again', async (_name, fail) => {
    const running = await run(({ attempts }) => (attempts < 3 ? fail() : undefined), {
      backoff: 2,
      maxBackoff: 3,
    });
    const { recorder, log, dispatcher, inbox, accept } = running;
    await accept(1);
    await recorder.called(3);
    await dispatcher.stop(neverAborts);

    expect(recorder.calls.map(({ id, attempts }) => [id, attempts])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    const line = { level: 'warn', msg: expect.stringMatching(FAILED), delivery: 1, maxAttempts: 1_000 };
    expect(log.lines).toMatchObject([
      { ...line, attempt: 1 },
      { ...line, attempt: 2, msg: 'attempt 2 of 1000 failed; the delivery comes again' },
    ]);
    for (const { retryAfterMs } of log.lines) {
      expect(retryAfterMs).toBeGreaterThanOrEqual(1);
      expect(retryAfterMs).toBeLessThanOrEqual(3);
    }
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
  });

  test.each(failures)('that %s every time is parked with its error', async (_name, fail, described) => {
    const running = await run(fail, { maxAttempts: 3 });
    const { recorder, log, inbox, accept } = running;
    await accept(1);
    await log.line(PARKED);
    await running.dispatcher.stop(neverAborts);

    expect(recorder.calls.map(({ attempts }) => attempts)).toEqual([1, 2, 3]);
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', delivery: 1, attempt: 3 });
    const found = await inbox.find(1);
    expect(found).toMatchObject({ state: 'parked', attempts: 3, error: described });
    expect(found!.history.map(({ number, error }) => [number, error])).toEqual([
      [1, described],
      [2, described],
      [3, described],
    ]);
    expect(await afterRestart(running)).toEqual([]);
  });

  test('is parked after the first failure if only one attempt is allowed', async () => {
    const { recorder, log, accept } = await run(() => Promise.reject(new Error('no')), { maxAttempts: 1 });
    await accept(1);
    await log.line(PARKED);

    expect(recorder.calls).toHaveLength(1);
  });

  const withSymbol = new Error();
  Object.assign(withSymbol, { message: Symbol('arbitrary') });
  const unreadable = new Error();
  Object.defineProperty(unreadable, 'message', {
    get: () => {
      throw new Error('This getter throws.');
    },
  });

  test.each<[name: string, thrown: unknown]>([
    ['an error whose message is a symbol', withSymbol],
    ['an error whose message cannot be read', unreadable],
    ['an error whose message is very large', new Error('a'.repeat(50_000_000))],
  ])('with %s is recorded like any other', async (_name, thrown) => {
    const { inbox, recorder, log, accept } = await run(
      async () => {
        throw thrown;
      },
      { maxAttempts: 3 },
    );
    await accept(1);
    await recorder.called(3);
    await log.line(PARKED);

    expect(log.lines.map(({ msg }) => msg)).toEqual(
      [FAILED, FAILED, PARKED].map((msg) => expect.stringMatching(msg) as unknown),
    );
    expect(log.text().length).toBeLessThan(100_000);
    while ((await inbox.stats()).parked === 0) await turn();
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 1 });
  });

  test('does not delay later deliveries', async () => {
    const { recorder, accept } = await run(
      ({ id }) => (id === 1 ? Promise.reject(new Error('no')) : Promise.resolve()),
      { concurrency: 1, backoff: 1_000_000_000, maxBackoff: 1_000_000_000 },
    );
    await accept(3);
    await recorder.called(3);

    expect(recorder.ids).toEqual([1, 2, 3]);
  });

  test('keeps its wait after a restart', async () => {
    const folder = makeFolder();
    const limits = { concurrency: 1, backoff: 1, maxBackoff: 1_000_000_000 };
    const inbox = await openEmbedded(folder);
    await inbox.accept(arbitrary);
    const [delivery] = (await inbox.claim(1)).deliveries;
    await inbox.settle(delivery!, failed(1_000_000_000), Date.now());
    await inbox.close();

    const again = await run(undefined, limits, folder);
    for (let count = 1; count <= 3; count += 1) {
      await again.accept(1);
      await again.recorder.called(count);
    }

    expect(again.recorder.ids).toEqual([2, 3, 4]);
  });
});

describe('a handler that takes too long', () => {
  test('is aborted, and the delivery comes again', async () => {
    const signals: AbortSignal[] = [];
    const { recorder, dispatcher, inbox, log, accept } = await run(
      ({ attempts }, { signal }) => {
        signals.push(signal);
        return attempts === 1 ? never : undefined;
      },
      { timeout: 5 },
    );
    await accept(1);
    await recorder.called(2);
    await dispatcher.stop(neverAborts);

    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]!.reason).toMatchObject({ message: 'the handler took longer than 5 ms' });
    expect(log.lines).toMatchObject([{ attempt: 1, err: { message: 'the handler took longer than 5 ms' } }]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
  });

  test.each<[string, DeliveryHandler]>([
    ['resolves', async (_delivery, { signal }) => aborting(signal)],
    [
      'rejects',
      async (_delivery, { signal }) => aborting(signal).then(() => Promise.reject(new Error('late'))),
    ],
  ])('and then %s has failed, once', async (_name, handler) => {
    const { log, inbox, dispatcher, accept } = await run(handler, { timeout: 1, maxAttempts: 2 });
    await accept(1);
    await log.line(PARKED);
    await manyTurns();
    await dispatcher.stop(neverAborts);

    expect(log.lines.map(({ msg }) => msg)).toEqual(
      [FAILED, PARKED].map((msg) => expect.stringMatching(msg) as unknown),
    );
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 1 });
  });

  test('frees its place', async () => {
    const { recorder, accept } = await run(() => never, { timeout: 1, concurrency: 1, maxAttempts: 1 });
    await accept(3);
    await recorder.called(3);

    expect(recorder.ids).toEqual([1, 2, 3]);
  });
});

const aborting = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });

describe('an attempt that the end of the process cut off', () => {
  /** A folder as it was when the process ended with these deliveries under way. */
  async function interrupt(count: number, failures: number): Promise<string> {
    const folder = makeFolder();
    const inbox = await openEmbedded(folder);
    for (let each = 0; each < count; each += 1) await inbox.accept(arbitrary);
    for (let each = 0; each < failures; each += 1) {
      for (const delivery of (await inbox.claim(count)).deliveries)
        await inbox.settle(delivery, failed(0), Date.now());
    }
    await inbox.claim(count);
    return copyInbox(folder);
  }

  test('has failed, and the next one runs alone', async () => {
    let atOnce = 0;
    let most = 0;
    const { recorder, log, dispatcher, inbox } = await run(
      async () => {
        most = Math.max(most, (atOnce += 1));
        await turn();
        atOnce -= 1;
      },
      {},
      await interrupt(3, 0),
    );
    dispatcher.wake();
    await recorder.called(3);
    await dispatcher.stop(neverAborts);

    expect(most).toBe(1);
    expect(recorder.calls.map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
    const line = {
      attempt: 1,
      msg: expect.stringMatching(FAILED),
      err: { message: 'the process ended during the attempt' },
    };
    expect(log.lines).toMatchObject([line, line, line]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
  });

  test('parks the delivery if it was the last one, without another attempt', async () => {
    const { recorder, log, dispatcher, inbox } = await run(
      undefined,
      { maxAttempts: 3 },
      await interrupt(1, 2),
    );
    dispatcher.wake();
    await log.line(PARKED);
    await dispatcher.stop(neverAborts);

    expect(recorder.calls).toEqual([]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 1 });
  });
});

test('tells an observer of each attempt that ended, and of none that was aborted by the stop', async () => {
  const inbox = await openEmbedded(makeFolder());
  afterThisTest(() => inbox.close());
  const seen: [string, boolean][] = [];
  const recorder = new Recorder(({ id, attempts }) => {
    if (id === 2) throw new Error(`attempt ${attempts}`);
    return id === 3 ? never : undefined;
  });
  const limits = { ...freely, maxAttempts: 2, concurrency: 1 };
  const dispatcher = new Dispatcher(inbox, recorder.run, limits, recordLog().logger, {
    attempted: (result, milliseconds) => void seen.push([result, milliseconds >= 0]),
  });
  await inbox.accept(arbitrary);
  await inbox.accept(arbitrary);
  dispatcher.wake();
  await recorder.called(3);
  await inbox.accept(arbitrary);
  dispatcher.wake();
  await recorder.called(4);
  await dispatcher.stop(AbortSignal.abort());

  expect(seen).toEqual([
    ['handled', true],
    ['failed', true],
    ['parked', true],
  ]);
});

test('a handler that changes its delivery changes nothing in the inbox', async () => {
  const running = await run(
    (delivery) => {
      Object.assign(delivery, { id: 2, attempts: 100, claimedAt: 0 });
      delivery.content.fill(0);
      throw new Error('no');
    },
    { backoff: 1_000_000, maxBackoff: 1_000_000, maxAttempts: 2 },
  );
  await running.accept(1);
  const logged = await running.log.line(FAILED);
  await running.dispatcher.stop(neverAborts);

  expect(logged).toMatchObject({ delivery: 1, attempt: 1 });
  expect(await running.inbox.find(1)).toMatchObject({
    ...{ id: 1, state: 'waiting', attempts: 1, content: Buffer.from('content 0') },
  });
});

describe('stopping', () => {
  test('waits for the attempts under way, stores their results, and starts no other', async () => {
    const latch = makeLatch();
    const running = await run(() => latch.opened, { concurrency: 2 });
    const { recorder, dispatcher, accept } = running;
    await accept(3);
    await recorder.called(2);
    let hasStopped = false;
    const stopping = dispatcher.stop(neverAborts).then(() => (hasStopped = true));
    await accept(1);
    await manyTurns();
    expect(hasStopped).toBe(false);

    latch.open();
    await stopping;
    expect(recorder.ids).toEqual([1, 2]);
    expect((await afterRestart(running)).map(({ id }) => id)).toEqual([3, 4]);
  });

  test('aborts the attempts under way at the deadline: their deliveries come again after a restart, and have not failed', async () => {
    const deadline = new AbortController();
    const signals: AbortSignal[] = [];
    const running = await run(({ id }, { signal }) => {
      signals.push(signal);
      return id === 2 ? undefined : never;
    });
    const { recorder, dispatcher, log, accept } = running;
    await accept(3);
    await recorder.called(3);
    const stopping = dispatcher.stop(deadline.signal);
    await manyTurns();
    expect(signals.some(({ aborted }) => aborted)).toBe(false);

    deadline.abort();
    await stopping;
    expect(signals[0]!.reason).toMatchObject({ message: 'the receiver is stopping' });
    expect(log.lines).toEqual([]);
    expect(await afterRestart(running)).toMatchObject([
      { id: 1, attempts: 1 },
      { id: 3, attempts: 1 },
    ]);
  });

  test('aborts the attempts under way at once if the deadline has passed', async () => {
    const running = await run(() => never);
    await running.accept(1);
    await running.recorder.called(1);
    await running.dispatcher.stop(AbortSignal.abort());

    expect(await afterRestart(running)).toMatchObject([{ id: 1, attempts: 1 }]);
  });

  test('counts an attempt that fails before the deadline as failed', async () => {
    const latch = makeLatch();
    const running = await run(() => latch.opened.then(() => Promise.reject(new Error('no'))));
    await running.accept(1);
    await running.recorder.called(1);
    const stopping = running.dispatcher.stop(neverAborts);
    latch.open();
    await stopping;

    expect(running.log.lines).toMatchObject([{ msg: expect.stringMatching(FAILED), attempt: 1 }]);
    await manyTurns();
    expect(running.recorder.calls).toHaveLength(1);
    expect(await afterRestart(running)).toMatchObject([{ id: 1, attempts: 2 }]);
  });

  test('while deliveries are being claimed starts none of them and loses none', async () => {
    const running = await run();
    const { inbox, dispatcher, recorder } = running;
    await Promise.all([1, 2, 3].map(() => inbox.accept(arbitrary)));
    const [claimed, answer] = [makeLatch(), makeLatch()];
    const claim = inbox.claim.bind(inbox);
    inbox.claim = async (limit) => {
      const found = await claim(limit);
      claimed.open();
      await answer.opened;
      return found;
    };
    dispatcher.wake();
    await claimed.opened;
    let hasStopped = false;
    const stopping = dispatcher.stop(neverAborts).then(() => (hasStopped = true));
    await manyTurns();
    expect(hasStopped).toBe(false);

    answer.open();
    await stopping;
    expect(recorder.calls).toEqual([]);
    expect((await afterRestart(running)).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  test('leaves no timer behind', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const { dispatcher, recorder, accept } = await run(
      async ({ id }) => {
        await turn();
        if (id === 1) throw new Error('it comes later');
      },
      { backoff: 3_600_000, maxBackoff: 3_600_000 },
    );
    for (let id = 1; id <= 5; id += 1) {
      await accept(1);
      await recorder.called(id);
    }
    await dispatcher.stop(neverAborts);

    // The inbox may have a timer for a moment. One of the dispatcher would be there for an hour.
    while (timers() > before) await delay(10);
  });

  test('with nothing to do is done at once', async () => {
    await expect((await run()).dispatcher.stop(neverAborts)).resolves.toBeUndefined();
  });
});

describe('an inbox that fails', () => {
  /** Another program locks the inbox's file for writing. */
  const lock = ({ inbox }: Running): (() => void) => {
    const other = new Database(inbox.location);
    afterThisTest(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    return () => other.exec('ROLLBACK');
  };

  /** The dispatcher has claimed what there is, so that it gets the next ones as they arrive. */
  const waitForDeliveries = async ({ dispatcher, inbox }: Running): Promise<void> => {
    dispatcher.wake();
    await turn();
    for (let checks = 0; checks < 10; checks += 1) await inbox.check();
  };

  test('to write does not call the handler again', async () => {
    const running = await run();
    const { recorder, log, dispatcher, inbox, accept } = running;
    await waitForDeliveries(running);
    await accept(2);
    const release = lock(running);
    await recorder.called(2);
    expect(await log.line(NOT_WRITTEN)).toMatchObject({
      level: 'error',
      err: { code: 'INBOX_WRITE_FAILED' },
    });
    dispatcher.wake();
    await manyTurns();
    release();
    await accept(1);
    await recorder.called(3);
    await dispatcher.stop(neverAborts);

    expect(recorder.ids).toEqual([1, 2, 3]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
    expect(await afterRestart(running)).toEqual([]);
  });

  test('to write while stopping: the deliveries come again after a restart', async () => {
    const running = await run();
    await waitForDeliveries(running);
    await running.accept(1);
    const release = lock(running);
    await running.recorder.called(1);
    await running.log.line(NOT_WRITTEN);
    await running.dispatcher.stop(neverAborts);
    release();

    expect(await afterRestart(running)).toMatchObject([{ id: 1 }]);
  });

  test('to read is logged in one line for many failures', async () => {
    const folder = makeFolder();
    const before = await openEmbedded(folder);
    await before.accept(arbitrary);
    await before.close();
    const { inbox, dispatcher, log } = await run(undefined, {}, folder);
    const other = new Database(inbox.location);
    afterThisTest(() => other.close());
    other.exec('PRAGMA busy_timeout = 5000; ALTER TABLE delivery RENAME TO elsewhere');
    while (!log.lines.some(({ msg, times }) => msg === NOT_READ && Number(times) > 1)) {
      dispatcher.wake();
      await delay(10);
    }
    other.exec('ALTER TABLE elsewhere RENAME TO delivery');
  });

  test('to read is tried again', async () => {
    const folder = makeFolder();
    const before = await openEmbedded(folder);
    await before.accept(arbitrary);
    await before.close();
    const { inbox, dispatcher, recorder, log } = await run(undefined, {}, folder);
    const other = new Database(inbox.location);
    afterThisTest(() => other.close());
    other.exec('PRAGMA busy_timeout = 5000; ALTER TABLE delivery RENAME TO elsewhere');
    dispatcher.wake();
    expect(await log.line(NOT_READ)).toMatchObject({ level: 'error' });
    other.exec('ALTER TABLE elsewhere RENAME TO delivery');
    await recorder.called(1);

    expect(recorder.ids).toEqual([1]);
  });
});

test('whatever fails: each delivery is handled or parked after the right number of attempts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ failures: fc.nat(5), isAsync: fc.boolean() }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      async (plans, concurrency, maxAttempts) => {
        const attemptsOf = ({ failures }: { failures: number }): number =>
          Math.min(failures + 1, maxAttempts);
        const fail = (): void => {
          throw new Error('no');
        };
        const { recorder, dispatcher, inbox, accept } = await run(
          ({ id, attempts }) => {
            const plan = plans[id - 1]!;
            const act = attempts <= plan.failures ? fail : () => undefined;
            return plan.isAsync ? turn().then(act) : act();
          },
          { concurrency, maxAttempts },
        );
        await accept(plans.length);
        await recorder.called(plans.reduce((sum, plan) => sum + attemptsOf(plan), 0));
        await dispatcher.stop(neverAborts);

        plans.forEach((plan, index) => {
          expect(recorder.ids.filter((id) => id === index + 1)).toHaveLength(attemptsOf(plan));
        });
        const parked = plans.filter(({ failures }) => failures >= maxAttempts).length;
        expect(await inbox.stats()).toMatchObject({ waiting: 0, parked });
      },
    ),
    { numRuns: 5 },
  );
});
