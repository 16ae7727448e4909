import { setImmediate as turn } from 'node:timers/promises';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { Claims, failed, HANDLED, incoming, openEmbedded } from '../../test/open-inbox.js';
import { recordLog } from '../../test/record-log.js';
import { rejection } from '../../test/rejection.js';
import { CLOCK, type Clock } from '../clock.js';
import { Counters } from '../counters.js';
import { Inbox } from './inbox.js';
import { openSqliteStore } from './sqlite/sqlite-store.js';

const ALL = { order: 'oldest first', limit: 100 } as const;

async function statesOf(inbox: Inbox): Promise<string> {
  return (await inbox.list({}, ALL)).map(({ state }) => state).join(' ');
}

test('after a cycle that failed, results are stored, what it may have claimed comes again, and all goes on', async () => {
  const log = recordLog();
  const inbox = await openEmbedded(makeFolder(), afterThisTest, { logger: log.logger });
  const claims = await Claims.begin(inbox);
  await Promise.all([1, 2, 3].map(() => inbox.accept(incoming('arbitrary'))));
  const [one] = await claims.claim(2);
  const other = new Database(inbox.location);
  afterThisTest(() => other.close());
  other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
  inbox.settle(one!, HANDLED);

  expect(await rejection(inbox.accept(incoming('refused')))).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
  expect(await rejection(inbox.setPaused(true))).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
  await log.line('failed to store the results of deliveries; they are kept');
  // As a cycle leaves it whose reply was lost.
  other.exec(`UPDATE delivery SET state = 'running', attempts = 1, due_at = NULL,
    receiver = (SELECT receiver FROM delivery WHERE id = 1) WHERE id = 3; COMMIT`);

  expect(await inbox.accept(incoming('accepted'))).toBe(4);
  expect((await claims.claim()).map(({ id, attempts }) => [id, attempts])).toEqual([
    [3, 1],
    [4, 1],
  ]);
  expect(await statesOf(inbox)).toBe('handled running running running');
  await inbox.setPaused(true);
  expect(other.prepare('SELECT is_paused FROM inbox_state').all([])).toEqual([{ is_paused: 1 }]);
});

test('what the database refuses refuses nothing else', async () => {
  const inbox = await openEmbedded(makeFolder());
  const unfit = incoming('refused', { method: null as unknown as string });
  const [, refused] = await Promise.allSettled(
    [incoming('1'), unfit, incoming('2')].map((each) => inbox.accept(each)),
  );

  expect(refused).toMatchObject({ reason: { code: 'INBOX_WRITE_FAILED' } });
  expect(await statesOf(inbox)).toBe('waiting waiting');
});

test('what was running when the process ended is logged', async () => {
  const folder = makeFolder();
  const log = recordLog();
  const store = await openSqliteStore(folder, (error) => {
    throw error;
  });
  const ended = new Inbox(store, { counters: new Counters(), logger: log.logger });
  const claims = await Claims.begin(ended);
  await Promise.all([1, 2].map(() => ended.accept(incoming('arbitrary'))));
  await claims.settle(failed(0));
  await claims.claim();
  // Without the inbox: nothing is released.
  await store.close();
  const inbox = await openEmbedded(folder, afterThisTest, { logger: log.logger });
  await Claims.begin(inbox, { maxAttempts: 2 });

  expect(log.lines).toMatchObject([
    { level: 'warn', orphaned: 2, parked: [1], msg: /^a process ended during/ },
  ]);
});

test('may be closed several times, also at once', async () => {
  const inbox = await openEmbedded(makeFolder());
  await Promise.all([inbox.close(), inbox.close()]);
  await inbox.close();
});

test('a result that comes after the closing is dropped', async () => {
  const inbox = await openEmbedded(makeFolder());
  const claims = await Claims.begin(inbox);
  await inbox.accept(incoming('arbitrary'));
  const [delivery] = await claims.claim();
  await inbox.close();
  inbox.settle(delivery!, HANDLED);

  // An inbox that tried again and again would never come to this.
  await turn();
  await turn();
});

test('an inbox that is closed while it looks for what was running elsewhere looks no more', async () => {
  const looks: (() => void)[] = [];
  const store = await openSqliteStore(makeFolder(), (error) => {
    throw error;
  });
  Object.defineProperty(store, 'pollInterval', { value: 1_000 });
  const setTimeout: Clock['setTimeout'] = (run, wait) =>
    wait === 5_000 ? looks.push(run) : CLOCK.setTimeout(run, wait);
  const listeners = { counters: new Counters(), logger: recordLog().logger };
  const inbox = new Inbox(store, listeners, { ...CLOCK, setTimeout });
  await Claims.begin(inbox);
  looks[0]!();
  await inbox.close();
  await turn();

  expect(looks).toHaveLength(1);
});
