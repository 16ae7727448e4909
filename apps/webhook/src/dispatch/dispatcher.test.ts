import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Delivery, DeliveryHandler } from '@plant-store/handler';

import { makeLatch } from '../../test/make-latch.js';
import { Claims, incoming, openEmbedded, untilStored } from '../../test/open-inbox.js';
import { type LogRecord, recordLog } from '../../test/record-log.js';
import { CLOCK, type Clock } from '../clock.js';
import { Counters } from '../counters.js';
import type { Inbox } from '../inbox/inbox.js';
import { Dispatcher, type DispatcherLimits } from './dispatcher.js';
import { TargetResponse } from './forward.js';

const FAILED = /^attempt \d+ of \d+ failed; the delivery comes again$/;
const PARKED = /^attempt \d+ of \d+ failed; the delivery is parked$/;
const NOT_WRITTEN = 'failed to claim deliveries or to store their results';

/** Limits that don't matter; a failed delivery comes again at once. */
const freely: DispatcherLimits = {
  concurrency: 8,
  timeout: 2_147_483_647,
  maxAttempts: 1_000,
  backoff: 1,
  maxBackoff: 1,
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
  readonly counters: Counters;
  readonly accept: (count: number) => Promise<unknown>;
}

const acceptIn = (inbox: Inbox, count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => inbox.accept(incoming(`content ${index}`))));

/** An inbox with so many deliveries, and a dispatcher that has not started. */
async function make(
  handler?: DeliveryHandler,
  limits: Partial<DispatcherLimits> = {},
  count = 0,
  clock: Clock = CLOCK,
): Promise<Running> {
  const log = recordLog();
  const inbox = await openEmbedded(makeFolder(), afterThisTest, { logger: log.logger });
  await acceptIn(inbox, count);
  const recorder = new Recorder(handler);
  const counters = new Counters();
  const all = { ...freely, ...limits };
  const dispatcher = new Dispatcher(
    inbox,
    { handle: recorder.handle, logger: recordLog().logger },
    all,
    log.logger,
    counters,
    clock,
  );
  afterThisTest(() => dispatcher.stop(AbortSignal.abort()));
  return { inbox, dispatcher, recorder, log, counters, accept: (more) => acceptIn(inbox, more) };
}

async function run(...given: Parameters<typeof make>): Promise<Running> {
  const running = await make(...given);
  running.dispatcher.start();
  return running;
}

/** What the inbox has for the handler after it was closed and opened again. */
async function afterRestart({ inbox }: Running): Promise<readonly Delivery[]> {
  await inbox.close();
  const again = await openEmbedded(dirname(inbox.location));
  return Claims.begin(again).claim();
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
    expect(recorder.calls[3]).toMatchObject({ method: 'POST', attempts: 1 });
    expect(String(recorder.calls[3]!.content)).toBe('content 3');
    expect(await inbox.operations.stats()).toMatchObject({ handled: 25 });
    expect(await afterRestart(running)).toEqual([]);
  });

  test('deliveries that were stored before it started, and none before', async () => {
    const { dispatcher, recorder } = await make(undefined, {}, 3);
    await manyTurns();
    expect(recorder.calls).toEqual([]);
    dispatcher.start();
    await recorder.called(3);

    expect(recorder.ids).toEqual([1, 2, 3]);
  });

  test('nothing after a pause, though it is claimed', async () => {
    const latch = makeLatch();
    const isHeld = ({ id }: Delivery): boolean => id === 50;
    const running = await run(
      (delivery) => (isHeld(delivery) ? latch.opened : turn()),
      { concurrency: 1 },
      400,
    );
    const { inbox, recorder } = running;
    await recorder.called(50);
    await inbox.operations.setPaused(true);
    latch.open();
    await untilStored(inbox);

    expect(recorder.calls).toHaveLength(50);
    expect(await inbox.operations.stats()).toMatchObject({ handled: 50, waiting: 350 });
  });
});

test.each<[name: string, maxAttempts: number, ahead: boolean]>([
  ['so that what waits behind slow attempts goes back', 2, true],
  ['unless one attempt is all there is, which a crash would use up', 1, false],
])('claims a backlog ahead of its attempts, %s', async (_name, maxAttempts, isAhead) => {
  let time = 0;
  const timers: (() => void)[] = [];
  const setTimeout: Clock['setTimeout'] = (then, wait) => wait <= 200 && timers.push(then);
  const { inbox, recorder } = await run(
    ({ id }) => (id > 400 ? never : undefined),
    { concurrency: 2, maxAttempts },
    600,
    { ...CLOCK, now: () => time, setTimeout },
  );
  await recorder.called(402);
  await untilStored(inbox);
  expect((await inbox.operations.stats()).running > 2).toBe(isAhead);
  time += 200;
  timers.forEach((then) => then());
  await untilStored(inbox);

  expect(await inbox.operations.stats()).toMatchObject({
    handled: 400,
    running: 2,
    waiting: 198,
    retrying: 0,
  });
  expect(recorder.ids).toHaveLength(402);
});

/** It throws when anybody asks whether it is of some class. */
function withoutClass(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('a handler that fails', () => {
  const raise = (fault: unknown): never => {
    throw fault as Error;
  };
  const failures: readonly (readonly [name: string, fail: () => Promise<void> | void, described: string])[] =
    [
      ['throws', () => raise(new TypeError('no')), 'TypeError: no'],
      ['rejects without a reason', async () => raise(undefined), 'undefined'],
      ['throws what has no class', () => raise(withoutClass()), 'an error that cannot be read'],
      [
        'throws an error of no class',
        () => raise(Object.setPrototypeOf(new Error('no'), withoutClass())),
        'an error that cannot be read',
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
    expect(await inbox.operations.stats()).toMatchObject({ waiting: 0, parked: 0 });
  });

  test.each([
    ['nothing', 0, 50, 100],
    ['for less than the backoff', 1, 50, 100],
    ['for longer than that', 700, 700, 700],
    ['for longer than the longest wait', Infinity, 1_000, 1_000],
  ])('a target that asks to wait %s', async (_name, asked, shortest, longest) => {
    const fail: DeliveryHandler = () => {
      throw new TargetResponse('503', asked);
    };
    const { accept, dispatcher, inbox, log } = await run(fail, { backoff: 100, maxBackoff: 1_000 });
    await accept(1);
    const { retryAfterMs } = await log.line(FAILED);
    await dispatcher.stop(neverAborts);

    expect(retryAfterMs).toBeGreaterThanOrEqual(shortest);
    expect(retryAfterMs).toBeLessThanOrEqual(longest);
    expect((await inbox.operations.find(1))!.history).toMatchObject([
      { error: 'TargetResponse: the target responded with 503' },
    ]);
  });

  test.each(failures)('that %s every time is parked with its error', async (_name, fail, described) => {
    const running = await run(fail, { maxAttempts: 3 });
    const { recorder, log, inbox, accept } = running;
    await accept(1);
    await log.line(PARKED);
    await running.dispatcher.stop(neverAborts);

    expect(recorder.calls.map(({ attempts }) => attempts)).toEqual([1, 2, 3]);
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', delivery: 1, attempt: 3 });
    const found = await inbox.operations.find(1);
    expect(found).toMatchObject({ state: 'parked', attempts: 3, error: described });
    expect(found!.history.map(({ number, error }) => [number, error])).toEqual([
      [1, described],
      [2, described],
      [3, described],
    ]);
    expect(await afterRestart(running)).toEqual([]);
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
    expect(await inbox.operations.stats()).toMatchObject({ waiting: 0, parked: 0 });
  });

  test('has not, if what it waited for had arrived while the process stood still', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [far] = (await once(server, 'connection')) as [Socket];
    afterThisTest(() => {
      near.destroy();
      far.destroy();
      server.close();
    });
    const { recorder, dispatcher, inbox, log, accept } = await run(
      async () => {
        const arrived = once(near, 'data');
        far.write('arbitrary');
        // The time of the attempt begins when the handler has returned.
        await Promise.resolve();
        const until = performance.now() + 50;
        while (performance.now() < until);
        await arrived;
      },
      { timeout: 20 },
    );
    await accept(1);
    await recorder.called(1);
    await dispatcher.stop(neverAborts);

    expect(log.lines).toEqual([]);
    expect(await inbox.operations.stats()).toMatchObject({ handled: 1 });
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
    expect(await inbox.operations.stats()).toMatchObject({ waiting: 0, parked: 1 });
  });
});

const aborting = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });

test('counts each attempt that ended, and none that was aborted by the stop', async () => {
  const { inbox, recorder, dispatcher, counters, accept } = await run(
    ({ id, attempts }) => {
      if (id === 2) throw new Error(`attempt ${attempts}`);
      return id === 3 ? never : undefined;
    },
    { maxAttempts: 2 },
  );
  await accept(3);
  await recorder.called(4);
  await untilStored(inbox);
  await dispatcher.stop(AbortSignal.abort());

  expect(counters.attempts).toEqual({ handled: 1, failed: 1, parked: 1 });
  expect(counters.attemptDurations.count).toBe(3);
});

test('a handler that changes its delivery changes nothing in the inbox', async () => {
  const running = await run(
    (delivery) => {
      Object.assign(delivery, { id: 2, attempts: 100 });
      delivery.content.fill(0);
      throw new Error('no');
    },
    { backoff: 1_000_000, maxBackoff: 1_000_000, maxAttempts: 2 },
  );
  await running.accept(1);
  const logged = await running.log.line(FAILED);
  await running.dispatcher.stop(neverAborts);

  expect(logged).toMatchObject({ delivery: 1, attempt: 1 });
  expect(await running.inbox.operations.find(1)).toMatchObject({
    ...{ id: 1, state: 'retrying', attempts: 1, content: Buffer.from('content 0') },
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
    const running = await make(undefined, {}, 3);
    running.dispatcher.start();
    // The cycle that claims them has begun.
    await turn();
    await running.dispatcher.stop(neverAborts);
    await untilStored(running.inbox);

    expect(running.recorder.calls).toEqual([]);
    expect(await running.inbox.operations.stats()).toMatchObject({ waiting: 3, running: 0 });
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
});

describe('an inbox that fails', () => {
  /** Another program locks the inbox's file for writing. */
  const lock = ({ inbox }: Running): (() => void) => {
    const other = new DatabaseSync(inbox.location);
    afterThisTest(() => other.close());
    other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
    return () => other.exec('ROLLBACK');
  };

  test('to write does not call the handler again', async () => {
    const running = await run();
    const { recorder, log, dispatcher, inbox, accept } = running;
    await accept(2);
    const release = lock(running);
    await recorder.called(2);
    expect(await log.line(NOT_WRITTEN)).toMatchObject({
      level: 'error',
      err: { code: 'INBOX_WRITE_FAILED' },
    });
    release();
    await accept(1);
    await recorder.called(3);
    await dispatcher.stop(neverAborts);

    expect(recorder.ids).toEqual([1, 2, 3]);
    expect(await inbox.operations.stats()).toMatchObject({ waiting: 0, parked: 0 });
    expect(await afterRestart(running)).toEqual([]);
  });

  test('to write while stopping: the deliveries come again after a restart', async () => {
    const running = await run();
    await running.accept(1);
    const release = lock(running);
    await running.recorder.called(1);
    await running.log.line(NOT_WRITTEN);
    await running.dispatcher.stop(neverAborts);
    release();

    expect(await afterRestart(running)).toMatchObject([{ id: 1 }]);
  });
});
