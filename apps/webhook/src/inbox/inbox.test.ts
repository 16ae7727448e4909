import { setImmediate as turn } from 'node:timers/promises';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import {
  Claims,
  failed,
  HANDLED,
  incoming,
  openEmbedded,
  untilStored,
  untilWritten,
} from '../../test/open-inbox.js';
import { recordLog } from '../../test/record-log.js';
import { rejection } from '../../test/rejection.js';
import { CLOCK, type Clock } from '../clock.js';
import { Counters } from '../counters.js';
import { Inbox } from './inbox.js';
import { SqliteStore } from './sqlite/sqlite-store.js';
import type { Result, Store } from './store.js';

const ALL = { order: 'oldest first', limit: 100 } as const;

const SILENT = { counters: new Counters(), logger: recordLog().logger };

async function openStore(folder: string): Promise<Store> {
  const onLost = (error: Error): never => {
    throw error;
  };
  const store = new SqliteStore(folder, onLost, () => () => undefined);
  await store.open();
  return store;
}

const NOT_WRITTEN = 'failed to claim deliveries or to store their results';

/** Of an inbox that is closed. */
function statesIn(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('SELECT state FROM delivery ORDER BY id', { returnArrays: true }).all();
  database.close();
  return rows.flat();
}

async function statesOf(inbox: Inbox): Promise<string> {
  return (await inbox.operations.list({}, ALL)).map(({ state }) => state).join(' ');
}

test('after a cycle that failed, results are stored, what it may have claimed comes again, and all goes on', async () => {
  const log = recordLog();
  const inbox = await openEmbedded(makeFolder(), afterThisTest, { logger: log.logger });
  const claims = Claims.begin(inbox);
  await Promise.all([1, 2, 3].map(() => inbox.accept(incoming('arbitrary'))));
  const [one] = await claims.claim(2);
  const other = new DatabaseSync(inbox.location);
  afterThisTest(() => other.close());
  other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
  inbox.settle(one!, HANDLED);

  expect(await rejection(inbox.accept(incoming('refused')))).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
  expect(await rejection(inbox.operations.setPaused(true))).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
  await log.line(NOT_WRITTEN);
  // As a cycle leaves it whose reply was lost.
  other.exec(`UPDATE delivery SET state = 'running', attempts = 1, due_at = NULL,
    receiver = (SELECT receiver FROM delivery WHERE id = 1) WHERE id = 3; COMMIT`);

  expect(await inbox.accept(incoming('accepted'))).toBe(4);
  expect((await claims.claim()).map(({ id, attempts }) => [id, attempts])).toEqual([
    [3, 1],
    [4, 1],
  ]);
  expect(await statesOf(inbox)).toBe('handled running running running');
  await inbox.operations.setPaused(true);
  expect(other.prepare('SELECT is_paused FROM inbox_state').all()).toEqual([{ is_paused: 1 }]);
});

test('a cycle that fails is logged, also if it has nothing to store', async () => {
  const log = recordLog();
  const inbox = await openEmbedded(makeFolder(), afterThisTest, { logger: log.logger });
  await inbox.accept(incoming('arbitrary'));
  const other = new DatabaseSync(inbox.location);
  afterThisTest(() => other.close());
  other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
  Claims.begin(inbox);
  inbox.grant(1);

  expect(await log.line(NOT_WRITTEN)).toMatchObject({ level: 'error', err: { code: 'INBOX_WRITE_FAILED' } });
  other.exec('COMMIT');
});

test.each([
  ['a method that is none', { method: null as unknown as string }, 'The method of a delivery is not a text.'],
  ['U+0000', { mediaType: 'a\0' }, 'The mediaType of a delivery contains U+0000'],
  ['half of a surrogate pair', { eventId: '\ud800' }, 'The eventId of a delivery contains U+0000'],
])(
  'what a database would refuse is refused before, and nothing else with it: %s',
  async (_name, unfit, says) => {
    const inbox = await openEmbedded(makeFolder());
    const [, refused] = await Promise.allSettled(
      [incoming('1'), incoming('refused', unfit), incoming('2')].map((each) => inbox.accept(each)),
    );

    expect(refused).toMatchObject({ reason: { message: expect.stringContaining(says) as string } });
    expect(await statesOf(inbox)).toBe('waiting waiting');
  },
);

test('a result whose row somebody has locked is stored when that has ended, and keeps nothing back until then', async () => {
  const store = await openStore(makeFolder());
  const cycle = store.cycle.bind(store);
  const inbox = new Inbox(store, SILENT);
  afterThisTest(() => inbox.close());
  const claims = Claims.begin(inbox);
  await inbox.accept(incoming('arbitrary'));
  const [locked] = await claims.claim();
  const results: (readonly Result[])[] = [];
  store.cycle = async (input) => {
    results.push(input.results);
    return { ...(await cycle({ ...input, results: [] })), locked: input.results };
  };
  inbox.settle(locked!, HANDLED);

  expect(await inbox.accept(incoming('arbitrary'))).toBe(2);
  while (results.flat().length < 2) await turn();
  expect(await statesOf(inbox)).toBe('running waiting');
  store.cycle = cycle;
  await inbox.close();
  expect(statesIn(inbox.location)).toEqual(['handled', 'waiting']);
});

test('what was claimed by a lease that is not held any more does not begin', async () => {
  const store = await openStore(makeFolder());
  const cycle = store.cycle.bind(store);
  let isHeld = true;
  store.cycle = async (input) => ({ ...(await cycle(input)), lease: { isHeld: () => isHeld } });
  const inbox = new Inbox(store, SILENT);
  afterThisTest(() => inbox.close());
  const claims = Claims.begin(inbox);
  await inbox.accept(incoming('arbitrary'));
  const [claimed] = await claims.claim();

  expect(inbox.mayBegin(claimed!)).toBe(true);
  // Of an earlier claim, that another receiver has adopted meanwhile.
  expect(inbox.mayBegin({ ...claimed!, startedAt: claimed!.startedAt - 1 })).toBe(false);
  isHeld = false;
  expect(inbox.mayBegin(claimed!)).toBe(false);
});

describe('what was running when the process ended', () => {
  /** Two deliveries run, the first one for the second time. */
  const interrupt = async (): Promise<string> => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const ended = new Inbox(store, SILENT);
    const claims = Claims.begin(ended);
    await Promise.all([1, 2].map(() => ended.accept(incoming('arbitrary'))));
    await claims.settle(failed(0));
    await claims.claim();
    // Without the inbox, which would release them.
    await store.close();
    return folder;
  };

  test('is logged', async () => {
    const log = recordLog();
    const inbox = await openEmbedded(await interrupt(), afterThisTest, { logger: log.logger });
    Claims.begin(inbox, { maxAttempts: 2 });
    await log.line(/^a process ended during/);

    expect(log.lines).toMatchObject([{ level: 'warn', orphaned: 2, parked: [1] }]);
  });

  test('comes again though another program kept the inbox from finding it', async () => {
    const timers: (() => void)[] = [];
    const setTimeout: Clock['setTimeout'] = (run) => timers.push(run);
    const store = await openStore(await interrupt());
    const inbox = new Inbox(store, SILENT, { ...CLOCK, setTimeout });
    afterThisTest(() => inbox.close());
    const other = new DatabaseSync(inbox.location);
    afterThisTest(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const claims = Claims.begin(inbox);
    await rejection(untilWritten(inbox));
    other.exec('COMMIT');
    // It finds nothing that is due, and then what was running.
    await untilStored(inbox);
    timers.forEach((run) => run());
    await untilStored(inbox);

    expect(await claims.claim()).toHaveLength(2);
  });
});

test('may be closed several times, also at once', async () => {
  const inbox = await openEmbedded(makeFolder());
  await Promise.all([inbox.close(), inbox.close()]);
  await inbox.close();
});

test('a result that comes after the closing is dropped', async () => {
  const inbox = await openEmbedded(makeFolder());
  const claims = Claims.begin(inbox);
  await inbox.accept(incoming('arbitrary'));
  const [delivery] = await claims.claim();
  await inbox.close();
  inbox.settle(delivery!, HANDLED);

  // An inbox that tried again and again would never come to this.
  await turn();
  await turn();
});

test('an inbox that is closed while it adopts what was running elsewhere adopts no more', async () => {
  const passes: (() => void)[] = [];
  const store = await openStore(makeFolder());
  Object.defineProperty(store, 'pollInterval', { value: 1_000 });
  const setTimeout: Clock['setTimeout'] = (run, wait) =>
    wait === 5_000 ? passes.push(run) : CLOCK.setTimeout(run, wait);
  const inbox = new Inbox(store, SILENT, { ...CLOCK, setTimeout });
  Claims.begin(inbox);
  while (passes.length === 0) await untilWritten(inbox);
  passes[0]!();
  await inbox.close();
  await turn();

  expect(passes).toHaveLength(1);
});
