import { cpSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { copyInbox } from '../../test/copy-inbox.js';
import { rejection } from '../../test/rejection.js';
import { ReceiverError } from '../errors.js';
import type { Inbox, IncomingDelivery } from './inbox.js';
import { OpenFiles } from './open-files.js';
import { openSqliteInbox } from './sqlite-inbox.js';

const arbitrary: IncomingDelivery = {
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  eventId: null,
  fields: [],
  content: Buffer.from('arbitrary'),
};

function openInbox(folder: string): Inbox {
  const inbox = openSqliteInbox(folder);
  afterThisTest(() => inbox.close());
  return inbox;
}

const accept = (inbox: Inbox, count: number): Promise<PromiseSettledResult<number>[]> =>
  Promise.allSettled(Array.from({ length: count }, () => inbox.accept(arbitrary)));

const replace = (file: string): void => {
  cpSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
};

const cut = (file: string, part: number): void => truncateSync(file, Math.floor(statSync(file).size * part));

const cases: readonly (readonly [name: string, lose: (folder: string) => void, says: string])[] = [
  ['the database is deleted', (folder) => rmSync(join(folder, 'inbox.sqlite')), 'inbox.sqlite'],
  ['the database is emptied', (folder) => truncateSync(join(folder, 'inbox.sqlite')), 'inbox.sqlite'],
  ['the database is replaced', (folder) => replace(join(folder, 'inbox.sqlite')), 'inbox.sqlite'],
  [
    'the write-ahead log is deleted',
    (folder) => rmSync(join(folder, 'inbox.sqlite-wal')),
    'inbox.sqlite-wal',
  ],
  [
    'the write-ahead log is replaced',
    (folder) => replace(join(folder, 'inbox.sqlite-wal')),
    'inbox.sqlite-wal',
  ],
  [
    'the write-ahead log is emptied',
    (folder) => cut(join(folder, 'inbox.sqlite-wal'), 0),
    'inbox.sqlite-wal',
  ],
  ['the write-ahead log is cut', (folder) => cut(join(folder, 'inbox.sqlite-wal'), 0.9), 'inbox.sqlite-wal'],
  ['the lock is deleted', (folder) => rmSync(join(folder, 'receiver.lock')), 'receiver.lock'],
  ['the folder is deleted', (folder) => rmSync(folder, { recursive: true }), 'inbox.sqlite'],
  ['the folder is renamed', (folder) => renameSync(folder, `${folder}.renamed`), 'inbox.sqlite'],
  [
    'the folder is now a file',
    (folder) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
    },
    'inbox.sqlite',
  ],
];

describe.each(cases)('after %s', (_name, lose, says) => {
  test('nothing is acknowledged, and what was is still claimed and settled', async () => {
    const folder = join(makeFolder(), 'inbox');
    const inbox = openInbox(folder);
    await accept(inbox, 3);
    lose(folder);

    // The first ones are what notices it. The later ones are not even written.
    for (const result of [...(await accept(inbox, 30)), ...(await accept(inbox, 30))]) {
      const { reason } = result as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(ReceiverError);
      expect(reason).toMatchObject({ code: 'INBOX_LOST' });
      expect((reason as Error).message).toContain(join(folder, says));
    }
    expect(await inbox.stats()).toMatchObject({ waiting: 33, parked: 0 });

    const { deliveries } = await inbox.claim(3);
    expect(deliveries.map(({ id }) => id)).toEqual([1, 2, 3]);
    await inbox.settle(deliveries[0]!, { kind: 'handled' });
    await inbox.settle(deliveries[1]!, { kind: 'failed', error: 'arbitrary', retryAfter: 0 });
    await inbox.settle(deliveries[2]!, { kind: 'parked', error: 'arbitrary' });
    expect(await inbox.stats()).toMatchObject({ waiting: 31, parked: 1 });
    await inbox.close();
  });
});

test('a folder that a copy has replaced is not written with what the log of the copy has', async () => {
  const large = { ...arbitrary, content: Buffer.alloc(9_000, 'x') };
  const crashed = makeFolder();
  const before = openInbox(crashed);
  for (let count = 0; count < 90; count += 1) await before.accept(large);
  // Its log keeps its length, so the log of a copy seems whole.
  const folder = copyInbox(crashed);
  const inbox = openInbox(folder);
  await inbox.recover(0);
  await inbox.accept(large);

  cpSync(folder, `${folder}-copy`, { recursive: true });
  renameSync(folder, `${folder}-moved`);
  afterThisTest(() => rmSync(`${folder}-moved`, { recursive: true }));
  renameSync(`${folder}-copy`, folder);
  expect(await rejection(inbox.accept(arbitrary))).toMatchObject({ code: 'INBOX_LOST' });
  for (let count = 0; count < 260; count += 1) {
    const { deliveries } = await inbox.claim(1);
    for (const delivery of deliveries)
      await inbox.settle(delivery, { kind: 'failed', error: 'arbitrary', retryAfter: 0 });
  }
  await inbox.close();

  const { default: Database } = await import('libsql');
  const moved = new Database(join(`${folder}-moved`, 'inbox.sqlite'));
  afterThisTest(() => moved.close());
  expect(moved.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }]);
  expect(moved.prepare('SELECT count(*) AS count FROM delivery').all([])).toEqual([{ count: 92 }]);
});

test('a delivery that is being written when the file is deleted is not acknowledged', async () => {
  const folder = makeFolder();
  const inbox = openInbox(folder);
  const accepting = accept(inbox, 10);
  rmSync(join(folder, 'inbox.sqlite'));

  expect((await accepting).map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
});

test('the gap of a log that was cut does not overwrite the database, neither while it runs nor when it closes', async () => {
  const folder = makeFolder();
  const before = openInbox(folder);
  await accept(before, 3);
  await before.close();
  const inbox = openInbox(folder);
  await accept(inbox, 400);
  const { deliveries } = await inbox.claim(403);
  const { default: Database } = await import('libsql');
  const inDatabase = (): unknown => {
    const copy = join(makeFolder(), 'copy.sqlite');
    cpSync(join(folder, 'inbox.sqlite'), copy);
    const database = new Database(copy);
    afterThisTest(() => database.close());
    return database.prepare('SELECT count(*) AS count FROM delivery').all([]);
  };
  cut(join(folder, 'inbox.sqlite-wal'), 0);

  // Of 32 MiB of log, SQLite does a checkpoint by itself.
  const failed = { kind: 'failed', error: 'x'.repeat(1_000), retryAfter: 1_000_000 } as const;
  for (let round = 0; round < 80; round += 1)
    await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, failed)));
  expect(statSync(join(folder, 'inbox.sqlite-wal')).size).toBeGreaterThan(34_000_000);
  expect(inDatabase()).toEqual([{ count: 3 }]);
  await inbox.close();
  expect(inDatabase()).toEqual([{ count: 3 }]);
});

test('a log that was cut counts as lost, even if the retention writes to it first', async () => {
  const folder = makeFolder();
  const inbox = openInbox(folder);
  await accept(inbox, 3);
  for (const delivery of (await inbox.claim(1)).deliveries) await inbox.settle(delivery, { kind: 'handled' });
  cut(join(folder, 'inbox.sqlite-wal'), 0);

  expect(await inbox.removeExpired({ maxAge: -1_000, maxBytes: undefined, maxEventAge: 1_000 })).toBe(1);
  expect(await rejection(inbox.accept(arbitrary))).toMatchObject({ code: 'INBOX_LOST' });
});

test('an event that is stored already is not acknowledged either', async () => {
  const folder = makeFolder();
  const inbox = openInbox(folder);
  await inbox.accept({ ...arbitrary, eventId: 'a' });
  rmSync(join(folder, 'inbox.sqlite'));

  expect(await rejection(inbox.accept({ ...arbitrary, eventId: 'a' }))).toMatchObject({ code: 'INBOX_LOST' });
});

test('a checkpoint, a backup and a look by another program lose nothing', async () => {
  const folder = makeFolder();
  const inbox = openInbox(folder);
  await accept(inbox, 3);
  const { default: Database } = await import('libsql');
  for (const sql of [
    'SELECT count(*) FROM overview',
    'PRAGMA wal_checkpoint(TRUNCATE)',
    `VACUUM INTO '${join(folder, 'backup.sqlite')}'`,
    'VACUUM',
  ]) {
    const other = new Database(join(folder, 'inbox.sqlite'));
    other.exec(sql);
    other.close();
  }

  expect(await inbox.accept(arbitrary)).toBe(4);
});

test('a file counts as lost if the disk cannot read what it must have', () => {
  const path = join(makeFolder(), 'arbitrary');
  writeFileSync(path, 'arbitrary');
  const leastSize = (): number => {
    throw new Error('EIO: i/o error, read');
  };

  expect(new OpenFiles([{ path, leastSize }]).lost()).toBe(path);
});
