import { statSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { copyInbox } from '../../test/copy-inbox.js';
import { failed, HANDLED, incoming, PARKED, setClock } from '../../test/open-inbox.js';
import { rejection } from '../../test/rejection.js';
import type { AttemptResult, Delivery, Inbox } from './inbox.js';
import type { Batch, DeliverySummary, Retention } from './inbox-operations.js';
import { openSqliteInbox } from './sqlite-inbox.js';

const DAY = 86_400_000;
const ALL: Batch = { filter: {}, after: 0, limit: 1_000 };

function openInbox(folder: string): Inbox {
  const inbox = openSqliteInbox(folder);
  afterThisTest(() => inbox.close());
  return inbox;
}

const accept = (inbox: Inbox, count: number, size: number): Promise<number[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      inbox.accept(incoming(Buffer.alloc(size, `content of ${index + 1}. `))),
    ),
  );

async function settle(
  inbox: Inbox,
  count: number,
  resultOf: (delivery: Delivery) => AttemptResult = () => HANDLED,
): Promise<void> {
  const { deliveries } = await inbox.claim(count);
  await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, resultOf(delivery))));
}

const list = (inbox: Inbox, state?: DeliverySummary['state']): Promise<readonly DeliverySummary[]> =>
  inbox.list(state === undefined ? {} : { state }, { order: 'oldest first', limit: 1_000 });

async function removeExpired(inbox: Inbox, given: Partial<Retention>): Promise<void> {
  const retention = { maxAge: DAY, maxBytes: undefined, maxEventAge: DAY, ...given };
  while ((await inbox.removeExpired(retention)) > 0);
}

describe('replaying', () => {
  test('after a crash counts no attempt that had ended', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await accept(inbox, 1, 10);
    await settle(inbox, 1);
    await inbox.replay(ALL);
    const after = openInbox(copyInbox(folder));

    expect(await after.recover(DAY)).toEqual([]);
    expect((await after.claim(1)).deliveries).toMatchObject([{ id: 1, failures: 0, suspect: false }]);
  });

  test('after a crash, before anything is claimed, counts no attempt that had ended', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await accept(inbox, 3, 10);
    await settle(inbox, 3, ({ id }) => [HANDLED, PARKED, failed(DAY)][id - 1]!);
    const crashed = copyInbox(folder);
    const command = openInbox(crashed);
    expect(await command.replay(ALL)).toMatchObject({ changed: 3 });
    await command.close();
    const after = openInbox(crashed);

    expect(await after.recover(DAY)).toEqual([]);
  });

  test('is done before the inbox closes, however much of it waits', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await accept(inbox, 3, 10);
    await settle(inbox, 3, () => PARKED);
    const replays = [1, 2, 3].map((id) =>
      inbox.replay({ filter: { firstId: id, lastId: id }, after: 0, limit: 1 }),
    );
    await inbox.close();

    expect(await Promise.all(replays)).toMatchObject([{ changed: 1 }, { changed: 1 }, { changed: 1 }]);
    expect(await openInbox(folder).stats()).toMatchObject({ parked: 0, waiting: 3 });
  });

  test('that fails changes nothing, and refuses no delivery', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await accept(inbox, 2, 10);
    await settle(inbox, 2, () => PARKED);
    const other = new Database(join(folder, 'inbox.sqlite'));
    other.exec("CREATE TRIGGER fault BEFORE INSERT ON backlog BEGIN SELECT raise(ABORT, 'a fault'); END");

    const [error, id] = await Promise.all([
      rejection(inbox.replay(ALL)),
      inbox.accept(incoming('arbitrary')),
    ]);

    expect(error).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    expect(id).toBe(3);
    expect((await list(inbox)).map(({ state }) => state)).toEqual(['parked', 'parked', 'waiting']);
    other.exec('DROP TRIGGER fault');
    other.close();
    expect(await inbox.replay(ALL)).toMatchObject({ changed: 2 });
  });
});

describe('a check', () => {
  test('fails while nothing can be written, and changes nothing', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await inbox.setPaused(true);
    const other = new Database(join(folder, 'inbox.sqlite'));
    other.exec('BEGIN IMMEDIATE');

    expect(await rejection(inbox.check())).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    other.exec('ROLLBACK');
    other.close();
    await inbox.check();
    expect(await inbox.stats()).toMatchObject({ isPaused: true });
  });

  test('writes to the disk', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    const log = (): number => statSync(join(folder, 'inbox.sqlite-wal')).size;
    const before = log();
    await inbox.check();

    expect(log()).toBeGreaterThan(before);
  });
});

describe('retention', () => {
  test('lets the file grow no further: the space is used again', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    const LIMIT = 1_000_000;
    let most = 0;
    for (let round = 0; round < 15; round += 1) {
      await accept(inbox, 500, 1_000);
      await settle(inbox, 500, ({ id }) => (id % 400 === 0 ? PARKED : HANDLED));
      await removeExpired(inbox, { maxBytes: LIMIT });
      most = Math.max(most, statSync(join(folder, 'inbox.sqlite')).size);
    }

    // 8 MB went through it. Each round adds 0.6 MB before it deletes.
    expect(most).toBeLessThan(2.5 * LIMIT);
    expect(await inbox.stats()).toMatchObject({ parked: 18 });
  });

  test('is no damage: the inbox opens, and lists what is left', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    const restore = setClock(-2 * DAY);
    await accept(inbox, 100, 1_000);
    restore();
    await settle(inbox, 90, ({ id }) => (id % 10 === 0 ? PARKED : HANDLED));
    await inbox.discard({ filter: { lastId: 50 }, after: 0, limit: 1_000 }, 'of no use');
    await removeExpired(inbox, {});
    await accept(inbox, 1, 1_000);
    await settle(inbox, 1, () => PARKED);
    await inbox.discard({ filter: { lastId: 60 }, after: 0, limit: 1_000 }, 'of no use');

    const copy = openInbox(copyInbox(folder));

    const { deliveries } = await copy.read({ filter: {}, after: 0, limit: 100 });
    expect(deliveries.map(({ id, state, reason }) => [id, state, reason])).toEqual([
      [60, 'discarded', 'of no use'],
      ...[70, 80, 90, 91].map((id) => [id, 'parked', null]),
      ...Array.from({ length: 10 }, (_, index) => [92 + index, 'waiting', null]),
    ]);
    expect(await copy.stats()).toMatchObject({ waiting: 10, parked: 4, discarded: 1, handled: 0 });
  });

  test('ends a search among many that stay when it is told to', async () => {
    const inbox = openInbox(makeFolder());
    const restore = setClock(-2 * DAY);
    await accept(inbox, 200, 100);
    restore();
    await settle(inbox, 200, ({ id }) => (id < 200 ? PARKED : HANDLED));
    const retention = { maxAge: DAY, maxBytes: undefined, maxEventAge: DAY };
    const stopping = new AbortController();

    const removing = inbox.removeExpired(retention, stopping.signal);
    stopping.abort();
    expect(await removing).toBe(0);
    expect(await inbox.removeExpired(retention)).toBe(1);
  });

  test('deletes from a file of an earlier receiver, and counts what somebody has deleted', async () => {
    const folder = makeFolder();
    const before = openSqliteInbox(folder);
    await accept(before, 10, 100);
    await settle(before, 10);
    await before.close();
    const file = new Database(join(folder, 'inbox.sqlite'));
    file.exec(`
      DELETE FROM delivery WHERE id < 4;
      DROP VIEW overview; DROP TABLE discarded; DROP TABLE past_event;
      ALTER TABLE progress DROP COLUMN removed; ALTER TABLE progress DROP COLUMN is_paused;
      ALTER TABLE delivery DROP COLUMN fields; PRAGMA user_version = 3`);
    file.close();
    const inbox = openInbox(folder);

    expect(await inbox.stats()).toMatchObject({ handled: 7, waiting: 0 });
    expect(await inbox.find(4)).toMatchObject({ fields: [], state: 'handled' });
    setClock(2 * DAY);
    await removeExpired(inbox, {});
    expect(await list(inbox)).toEqual([]);
    expect(await inbox.stats()).toMatchObject({ handled: 0, waiting: 0 });
  });
});
