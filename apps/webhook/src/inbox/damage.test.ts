import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { copyInbox } from '../../test/copy-inbox.js';
import {
  damagePage,
  hideLastRow,
  interiorPagesOf,
  leafPageOf,
  pageOf,
  rootPageOf,
} from '../../test/damage-inbox.js';
import { recordLog } from '../../test/record-log.js';
import { ReceiverError } from '../errors.js';
import type { DamageLog } from './found-damage.js';
import type { AttemptResult, Claim, Inbox, IncomingDelivery } from './inbox.js';
import { openSqliteInbox } from './sqlite-inbox.js';
import { SCHEMA_VERSION, schemaSince } from './sqlite-schema.js';

const incoming = (content: string): IncomingDelivery => ({
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  eventId: null,
  fields: [],
  content: Buffer.from(content),
});

/** Content by which the page of a delivery is found; `size` bytes or a little more. */
const contentOf = (id: number, size = 0): string => `content of ${id}.${'.'.repeat(size)}`;

function openInbox(folder: string): Inbox {
  const inbox = openSqliteInbox(folder);
  afterThisTest(() => inbox.close());
  return inbox;
}

async function accept(inbox: Inbox, count: number, size?: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) => inbox.accept(incoming(contentOf(index + 1, size)))),
  );
}

/** The files of an inbox that was closed in order. */
async function makeClosed(count = 300, size = 500): Promise<string> {
  const folder = makeFolder();
  const inbox = openSqliteInbox(folder);
  await accept(inbox, count, size);
  await inbox.close();
  return folder;
}

/** The files of an inbox that was closed in order, and whose handler has succeeded on nothing. */
async function makeUnhandled(result: AttemptResult): Promise<string> {
  const folder = makeFolder();
  const inbox = openSqliteInbox(folder);
  await accept(inbox, 20);
  const { deliveries } = await inbox.claim(20);
  await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, result)));
  await inbox.close();
  return folder;
}

/** The files of an inbox whose process was ended: what it accepted is in the write-ahead log. */
async function makeCrashed(): Promise<string> {
  const folder = makeFolder();
  const inbox = openInbox(folder);
  for (let turn = 0; turn < 5; turn += 1) await accept(inbox, 5, 2_000);
  return copyInbox(folder);
}

const execute = (sql: string) => (folder: string) => {
  const database = new Database(join(folder, 'inbox.sqlite'));
  database.exec(sql);
  database.close();
};

const halve = (file: string): void => truncateSync(file, statSync(file).size / 2);

const main = (folder: string): string => join(folder, 'inbox.sqlite');
const log = (folder: string): string => join(folder, 'inbox.sqlite-wal');

/** The bytes of the two files that have deliveries. An empty log is as good as none. */
const bytesOf = (folder: string): string[] =>
  [main(folder), log(folder)].map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''));

function faultOf(folder: string): Error {
  try {
    openInbox(folder);
  } catch (error) {
    return error as Error;
  }
  throw new Error('It opened.');
}

describe('an inbox is not opened, and stays as it is,', () => {
  test.each<{
    name: string;
    make: () => Promise<string> | string;
    damage: (folder: string) => void;
    says: RegExp;
  }>([
    {
      name: 'if the write-ahead log is cut in half',
      make: makeCrashed,
      damage: (folder) => halve(log(folder)),
      says: /ends with delivery \d+, but 25 was acknowledged/,
    },
    {
      name: 'if the write-ahead log is missing',
      make: makeCrashed,
      damage: (folder) => rmSync(log(folder)),
      says: /has lost its tables/,
    },
    {
      name: 'if the write-ahead log of a later run is missing',
      make: async () => {
        const folder = await makeClosed(10);
        const inbox = openInbox(folder);
        await accept(inbox, 1);
        return copyInbox(folder);
      },
      damage: (folder) => rmSync(log(folder)),
      says: /ends with delivery 10, but 11 was acknowledged/,
    },
    {
      name: 'if the database is empty, and nothing else',
      make: makeClosed,
      damage: (folder) => truncateSync(main(folder)),
      says: /inbox\.sqlite is empty/,
    },
    {
      name: 'if the database is empty beside its log',
      make: makeCrashed,
      damage: (folder) => truncateSync(main(folder)),
      says: /inbox\.sqlite is empty/,
    },
    {
      name: 'if the database is empty beside its log, and nothing says how many were accepted',
      make: makeCrashed,
      damage: (folder) => {
        truncateSync(main(folder));
        rmSync(join(folder, 'last-accepted'));
      },
      says: /inbox\.sqlite is empty/,
    },
    {
      name: 'if the database is missing',
      make: makeCrashed,
      damage: (folder) => rmSync(main(folder)),
      says: /inbox\.sqlite is missing/,
    },
    {
      name: 'if the database and its log are missing',
      make: makeCrashed,
      damage: (folder) => {
        rmSync(main(folder));
        rmSync(log(folder));
      },
      says: /inbox\.sqlite is missing/,
    },
    {
      name: 'if the database is an earlier one',
      make: () => makeClosed(),
      damage: (folder) => writeFileSync(main(folder), readFileSync(main(earlier))),
      says: /ends with delivery 20, but 300 was acknowledged/,
    },
    {
      name: 'if the first page is damaged',
      make: makeClosed,
      damage: (folder) => damagePage(folder, 0),
      says: /inbox\.sqlite: file is not a database/,
    },
    {
      name: 'if the root of all deliveries is damaged',
      make: makeClosed,
      damage: (folder) => damagePage(folder, rootPageOf(folder)),
      says: /inbox\.sqlite: database disk image is malformed/,
    },
    {
      name: 'if it is not a database',
      make: () => makeFolder(),
      damage: (folder) => writeFileSync(main(folder), 'This is not a database. '.repeat(100)),
      says: /inbox\.sqlite: file is not a database/,
    },
    {
      name: 'if it has no progress of the handler',
      make: makeClosed,
      damage: execute('DELETE FROM progress'),
      says: /"progress" of .*inbox\.sqlite doesn't have one row/,
    },
    {
      name: 'if it has no progress of the handler, and no deliveries',
      make: () => makeFolder(),
      damage: execute(`PRAGMA journal_mode = WAL; ${schemaSince(0)} DELETE FROM progress`),
      says: /"progress" of .*inbox\.sqlite doesn't have one row/,
    },
    {
      name: 'if it has two progresses of the handler',
      make: makeClosed,
      damage: execute('INSERT INTO progress (handled_through) VALUES (7)'),
      says: /"progress" of .*inbox\.sqlite doesn't have one row/,
    },
    {
      name: 'if a row has vanished from the backlog',
      make: () => makeUnhandled({ kind: 'failed', error: 'not yet', retryAfter: 0 }),
      damage: (folder) => hideLastRow(folder, 'backlog'),
      says: /the table "backlog" of .*inbox\.sqlite has this fault: /,
    },
    {
      name: 'if a row has vanished from the parked ones',
      make: () => makeUnhandled({ kind: 'parked', error: 'no more' }),
      damage: (folder) => hideLastRow(folder, 'parked'),
      says: /the table "parked" of .*inbox\.sqlite has this fault: /,
    },
    {
      name: 'if a row has vanished from the discarded ones',
      make: async () => {
        const folder = await makeUnhandled({ kind: 'parked', error: 'no more' });
        const inbox = openSqliteInbox(folder);
        await inbox.discard({ filter: {}, after: 0, limit: 20 }, 'arbitrary');
        await inbox.close();
        return folder;
      },
      damage: (folder) => hideLastRow(folder, 'discarded'),
      says: /the table "discarded" of .*inbox\.sqlite has this fault: /,
    },
    {
      name: 'if a table is missing',
      make: makeClosed,
      damage: execute('DROP VIEW overview; DROP TABLE parked'),
      says: /inbox\.sqlite: no such table: (main\.)?parked/,
    },
    {
      name: 'if its tables are of something else',
      make: () => makeFolder(),
      damage: execute(
        `PRAGMA journal_mode = WAL; CREATE TABLE other (a); PRAGMA user_version = ${SCHEMA_VERSION}`,
      ),
      says: /inbox\.sqlite: no such table: /,
    },
  ])('$name', async ({ make, damage, says }) => {
    const folder = await make();
    damage(folder);
    const before = bytesOf(folder);

    for (let attempts = 0; attempts < 2; attempts += 1) {
      const fault = faultOf(folder);
      expect(fault).toBeInstanceOf(ReceiverError);
      expect(fault).toMatchObject({ code: 'INBOX_DAMAGED' });
      expect(fault.message).toMatch(says);
      expect(fault.message).toContain(folder);
      expect(fault.message).not.toContain('\n');
    }
    expect(bytesOf(folder).map((bytes, file) => bytes === before[file])).toEqual([true, true]);
  });

  /** A backup of the inbox of another test. */
  let earlier: string;
  beforeEach(async () => (earlier = await makeClosed(20)));
});

describe('an inbox is opened whatever the file of the last id has, if that proves no loss:', () => {
  test.each<{ name: string; text: string | undefined }>([
    { name: 'it is missing', text: undefined },
    { name: 'it is empty', text: '' },
    { name: 'it is older, as after a power cut', text: '0000000000000007\n' },
    { name: 'it is cut', text: '00000000000' },
    { name: 'it has zero bytes', text: '\0'.repeat(17) },
    { name: 'it has anything', text: '9'.repeat(100) },
  ])('$name', async ({ text }) => {
    const folder = await makeCrashed();
    const file = join(folder, 'last-accepted');
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);

    const inbox = openInbox(folder);

    expect(await inbox.stats()).toMatchObject({ waiting: 25, parked: 0 });
    expect(readFileSync(file, 'utf8')).toMatch(/^0{14}25\n/);
    expect(await inbox.accept(incoming('arbitrary'))).toBe(26);
    expect(readFileSync(file, 'utf8')).toMatch(/^0{14}26\n/);
  });

  test('handled deliveries were deleted', async () => {
    const folder = makeFolder();
    const inbox = openSqliteInbox(folder);
    await accept(inbox, 3);
    for (const delivery of (await inbox.claim(3)).deliveries)
      await inbox.settle(delivery, { kind: 'handled' });
    await inbox.close();
    execute('DELETE FROM delivery')(folder);

    expect(await openInbox(folder).accept(incoming('arbitrary'))).toBe(4);
  });
});

describe('a page that is damaged', () => {
  /** Claims until nothing is left. What is claimed is settled, and what can't be read is parked. */
  async function drain(
    inbox: Inbox,
    limit = 100,
  ): Promise<{ read: number[]; parked: number[]; claims: Claim[] }> {
    const read: number[] = [];
    const parked: number[] = [];
    const claims: Claim[] = [];
    for (;;) {
      const claim = await inbox.claim(limit);
      const { deliveries, unreadable = [] } = claim;
      if (deliveries.length + unreadable.length === 0) return { read, parked, claims };
      claims.push(claim);
      for (const { id, content } of deliveries) {
        expect(String(content)).toContain(contentOf(id));
        read.push(id);
      }
      parked.push(...unreadable.map(({ id }) => id));
      await Promise.all([
        ...deliveries.map((delivery) => inbox.settle(delivery, { kind: 'handled' })),
        ...unreadable.map((delivery) => inbox.settle(delivery, { kind: 'parked', error: 'unreadable' })),
      ]);
    }
  }

  const idsTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
  const inOrder = (ids: readonly number[]): number[] => [...ids].sort((one, other) => one - other);

  test('hides only its own deliveries, which are parked', async () => {
    const folder = await makeClosed();
    damagePage(folder, pageOf(folder, contentOf(150)));
    const inbox = openInbox(folder);

    const { read, parked } = await drain(inbox);

    expect(parked).toContain(150);
    expect(parked.length).toBeLessThan(20);
    expect(inOrder([...read, ...parked])).toEqual(idsTo(300));
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: parked.length });
    expect(await inbox.accept(incoming('arbitrary'))).toBe(301);
    await inbox.close();
    const again = openInbox(folder);
    expect((await again.claim(1_000)).deliveries).toMatchObject([{ id: 301 }]);
    expect(await again.stats()).toMatchObject({ waiting: 1, parked: parked.length });
  });

  test('may lack a delivery, which is parked', async () => {
    const folder = await makeClosed();
    execute('DELETE FROM delivery WHERE id = 150')(folder);
    const inbox = openInbox(folder);

    const { read, parked } = await drain(inbox);

    expect(parked).toEqual([150]);
    expect(inOrder([...read, ...parked])).toEqual(idsTo(300));
  });

  test('may lack a delivery that is parked, which is listed', async () => {
    const folder = await makeUnhandled({ kind: 'parked', error: 'no more' });
    execute('PRAGMA foreign_keys = OFF; DELETE FROM delivery WHERE id = 15')(folder);
    const inbox = openInbox(folder);

    for (const filter of [{ state: 'parked' }, {}] as const) {
      const listed = await inbox.list(filter, { order: 'oldest first', limit: 100 });
      expect(listed.map(({ id }) => id)).toEqual(idsTo(20));
    }
    expect(await inbox.find(15)).toMatchObject({ id: 15, state: 'parked', method: '', error: 'no more' });
  });

  test('may lack a delivery that is to come again, which is parked', async () => {
    const folder = await makeUnhandled({ kind: 'failed', error: 'not yet', retryAfter: 0 });
    execute('PRAGMA foreign_keys = OFF; DELETE FROM delivery WHERE id = 15')(folder);
    const inbox = openInbox(folder);

    const { read, parked } = await drain(inbox);

    expect(parked).toEqual([15]);
    expect(inOrder([...read, ...parked])).toEqual(idsTo(20));
  });

  test('may be missing, because the file is cut beside its log: only its delivery is parked', async () => {
    const closed = await makeClosed();
    const before = openInbox(closed);
    await before.accept(incoming(contentOf(301, 100_000)));
    execute('PRAGMA wal_checkpoint(TRUNCATE)')(closed);
    await before.accept(incoming(contentOf(302)));
    const folder = copyInbox(closed);
    truncateSync(main(folder), statSync(main(folder)).size - 2 * 8_192 - 100);
    const inbox = openInbox(folder);

    const { read, parked } = await drain(inbox);

    expect(read).toEqual([...idsTo(300), 302]);
    expect(parked).toEqual([301]);
  });

  test('of many pages hides only theirs, and a claim looks at no more than its limit', async () => {
    const folder = await makeClosed(1_500, 4_200);
    damagePage(folder, interiorPagesOf(folder)[0]!);
    const inbox = openInbox(folder);

    const { read, parked, claims } = await drain(inbox, 200);

    expect(parked.length).toBeGreaterThan(200);
    expect(read.length).toBeGreaterThan(200);
    expect(inOrder([...read, ...parked])).toEqual(idsTo(1_500));
    for (const { deliveries, unreadable = [] } of claims)
      expect(deliveries.length + unreadable.length).toBeLessThanOrEqual(200);
  });

  test('hides only its own deliveries of those that come again', async () => {
    const folder = makeFolder();
    const before = openSqliteInbox(folder);
    await accept(before, 100, 500);
    for (const delivery of (await before.claim(100)).deliveries)
      void before.settle(delivery, { kind: 'failed', error: 'not yet', retryAfter: 0 });
    await before.close();
    damagePage(folder, pageOf(folder, contentOf(50)));
    const inbox = openInbox(folder);

    const claim = await inbox.claim(100);

    expect(claim.unreadable).toContainEqual({ id: 50, failures: 1 });
    expect(claim.deliveries.length + claim.unreadable!.length).toBe(100);
    expect(claim.deliveries[0]).toMatchObject({ id: 1, failures: 1 });
    const { parked } = await drain(inbox);
    expect(parked).toEqual([]);
  });

  test('does not keep attempts that were cut off from being counted', async () => {
    const folder = makeFolder();
    const before = openSqliteInbox(folder);
    await accept(before, 100, 500);
    await before.claim(60);
    await before.close();
    const crashed = openInbox(folder);
    await crashed.claim(60);
    const copy = copyInbox(folder);
    execute('PRAGMA wal_checkpoint(TRUNCATE)')(copy);
    damagePage(copy, pageOf(copy, contentOf(50)));
    const inbox = openInbox(copy);

    const interrupted = await inbox.recover(1_000);
    for (const delivery of interrupted)
      await inbox.settle(delivery, { kind: 'failed', error: 'cut off', retryAfter: 0 });

    expect(interrupted.map(({ id }) => id)).toEqual(idsTo(60));
    const { read, parked } = await drain(inbox);
    expect(parked).toContain(50);
    expect(inOrder([...read, ...parked])).toEqual(idsTo(100));
  });

  test('may have text that is not UTF-8: the process goes on', async () => {
    const folder = await makeClosed(3);
    const bytes = readFileSync(main(folder));
    bytes[bytes.indexOf('POST')] = 0xff;
    writeFileSync(main(folder), bytes);

    const { deliveries } = await openInbox(folder).claim(3);

    expect(deliveries.map(({ method }) => method)).toEqual(expect.arrayContaining(['\ufffdOST', 'POST']));
  });
});

describe('a page of the backlog that is damaged while the inbox is open', () => {
  const FAILED: AttemptResult = { kind: 'failed', error: 'not yet '.repeat(100), retryAfter: 0 };

  /** Damages the backlog of an open inbox, as a disk does, and makes SQLite read it again. */
  function damageBacklog(folder: string, pagesOf: (folder: string) => number[]): void {
    execute('UPDATE progress SET removed = removed')(folder);
    execute('PRAGMA wal_checkpoint(TRUNCATE)')(folder);
    for (const page of pagesOf(folder)) damagePage(folder, page);
  }

  const root = (folder: string): number[] => [rootPageOf(folder, 'backlog')];
  const index = (folder: string): number[] => [rootPageOf(folder, 'backlog_due_at')];
  const leafWith = (id: number) => (folder: string) => [leafPageOf(folder, 'backlog', id)];

  /** An inbox in which deliveries 1 to 40 come again, on several pages, and 41 to 45 come for the first time. */
  async function openWithBacklog(log: DamageLog): Promise<{ folder: string; inbox: Inbox }> {
    const folder = makeFolder();
    const inbox = openSqliteInbox(folder, undefined, log);
    afterThisTest(() => inbox.close());
    await accept(inbox, 40);
    const { deliveries } = await inbox.claim(40);
    await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, FAILED)));
    for (let id = 41; id <= 45; id += 1) await inbox.accept(incoming(contentOf(id)));
    return { folder, inbox };
  }

  const ids = (first: number, last: number): number[] =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at);

  async function claimAndSettle(inbox: Inbox, result: AttemptResult): Promise<number[]> {
    const claimed: number[] = [];
    for (;;) {
      const { deliveries } = await inbox.claim(8);
      if (deliveries.length === 0) return claimed.sort((one, other) => one - other);
      claimed.push(...deliveries.map(({ id }) => id));
      await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, result)));
    }
  }

  const stateOf = async (inbox: Inbox, id: number): Promise<string | undefined> =>
    (await inbox.find(id))?.state;

  test.each<{ name: string; pagesOf: (folder: string) => number[]; isLost: (id: number) => boolean }>([
    { name: 'one of many pages', pagesOf: leafWith(5), isLost: (id) => id < 20 },
    { name: 'the root', pagesOf: root, isLost: () => true },
    { name: 'the index', pagesOf: index, isLost: () => true },
  ])('leaves what it hides, and everything else is handled: $name', async ({ pagesOf, isLost }) => {
    const log = recordLog();
    const { folder, inbox } = await openWithBacklog(log.logger);
    damageBacklog(folder, pagesOf);

    const claimed = await claimAndSettle(inbox, { kind: 'handled' });

    // It is not looked at again and again.
    expect((await inbox.claim(100)).nextDueIn ?? Infinity).toBeGreaterThan(1_000);
    const left = ids(1, 45).filter((id) => !claimed.includes(id));
    expect(claimed).toEqual(expect.arrayContaining(ids(1, 45).filter((id) => id > 40 || !isLost(id))));
    expect(left).toContain(5);
    for (const id of left) expect([id, await stateOf(inbox, id)]).toEqual([id, 'waiting']);
    expect(await inbox.accept(incoming(contentOf(46)))).toBe(46);
    expect(await claimAndSettle(inbox, { kind: 'handled' })).toEqual([46]);
    expect((await inbox.stats()).damage).toContain(`${main(folder)} is damaged: `);
    expect(await log.line('the inbox is damaged; what can be read is handled')).toMatchObject({
      level: 'error',
    });
    await inbox.removeExpired({ maxAge: 0, maxBytes: 0, maxEventAge: 0 });
    for (const id of left) expect([id, await stateOf(inbox, id)]).toEqual([id, 'waiting']);
    await inbox.close();
    expect(faultOf(folder)).toMatchObject({ code: 'INBOX_DAMAGED' });
  });

  test('parks a delivery that fails for the first time, because it could not come again', async () => {
    const { folder, inbox } = await openWithBacklog(recordLog().logger);
    damageBacklog(folder, root);

    expect(await claimAndSettle(inbox, FAILED)).toEqual(ids(41, 45));

    expect(await inbox.list({ state: 'parked' }, { order: 'oldest first', limit: 10 })).toMatchObject(
      ids(41, 45).map((id) => ({ id, failures: 1, error: FAILED.error })),
    );
  });

  test('leaves those claimed whose result it can not have', async () => {
    const { folder, inbox } = await openWithBacklog(recordLog().logger);
    const { deliveries } = await inbox.claim(8);
    damageBacklog(folder, root);

    for (const delivery of deliveries) await inbox.settle(delivery, { kind: 'handled' });

    expect(await claimAndSettle(inbox, { kind: 'handled' })).toEqual(ids(41, 45));
    expect(await stateOf(inbox, deliveries[0]!.id)).toBe('waiting');
  });

  test('refuses no delivery, although one lags behind', async () => {
    const { folder, inbox } = await openWithBacklog(recordLog().logger);
    await claimAndSettle(inbox, { kind: 'handled' });
    await inbox.accept(incoming('slow'));
    const { deliveries: slow } = await inbox.claim(1);
    damageBacklog(folder, root);

    for (let turn = 0; turn < 4; turn += 1) {
      for (let count = 0; count < 100; count += 1) void inbox.accept(incoming('arbitrary'));
      await inbox.accept(incoming('arbitrary'));
      expect((await claimAndSettle(inbox, { kind: 'handled' })).length).toBe(101);
    }

    await inbox.settle(slow[0]!, { kind: 'handled' });
    expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
  });
});
