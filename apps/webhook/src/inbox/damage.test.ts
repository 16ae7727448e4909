import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { copyInbox } from '../../test/copy-inbox.js';
import { damagePage, hideLastRow, pageOf, rootPageOf } from '../../test/damage-inbox.js';
import { rejection } from '../../test/rejection.js';
import { ReceiverError } from '../errors.js';
import type { AttemptResult, Inbox, IncomingDelivery } from './inbox.js';
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

describe('damage that is found while the inbox is open', () => {
  /** Damages an open inbox, as a disk does, and makes SQLite read the page again. */
  function damageOpen(folder: string, page: number): void {
    execute('UPDATE progress SET removed = removed')(folder);
    execute('PRAGMA wal_checkpoint(TRUNCATE)')(folder);
    damagePage(folder, page);
  }

  /** Opens a closed inbox whose deliveries wait, or come again. */
  function open(folder: string): { inbox: Inbox; found: ReceiverError[] } {
    const found: ReceiverError[] = [];
    const inbox = openSqliteInbox(folder, undefined, (error) => found.push(error));
    afterThisTest(() => inbox.close());
    return { inbox, found };
  }

  const FAILED: AttemptResult = { kind: 'failed', error: 'not yet', retryAfter: 0 };
  const deliveryRow = (folder: string): void => damagePage(folder, pageOf(folder, contentOf(150)));
  const deleteDelivery = execute('PRAGMA foreign_keys = OFF; DELETE FROM delivery WHERE id = 15');
  const claim = (inbox: Inbox): Promise<unknown> => inbox.claim(1_000);

  test.each<{
    name: string;
    make: () => Promise<string>;
    damage: (folder: string) => void;
    call: (inbox: Inbox) => Promise<unknown>;
  }>([
    { name: 'a page of new deliveries: claim', make: makeClosed, damage: deliveryRow, call: claim },
    { name: 'a new delivery is missing: claim', make: makeClosed, damage: deleteDelivery, call: claim },
    {
      name: 'one that comes again is missing: claim',
      make: () => makeUnhandled(FAILED),
      damage: deleteDelivery,
      call: claim,
    },
    {
      name: 'one that is parked is missing: list',
      make: () => makeUnhandled({ kind: 'parked', error: 'no more' }),
      damage: deleteDelivery,
      call: (inbox) => inbox.list({ state: 'parked' }, { order: 'newest first', limit: 100 }),
    },
    {
      name: 'a page of a content: read',
      make: makeClosed,
      damage: deliveryRow,
      call: (inbox) => inbox.read({ filter: {}, after: 0, limit: 1_000 }),
    },
    {
      name: 'a page of handled deliveries: the retention',
      make: async () => {
        const folder = await makeClosed();
        const inbox = openSqliteInbox(folder);
        for (const delivery of (await inbox.claim(1_000)).deliveries)
          void inbox.settle(delivery, { kind: 'handled' });
        await inbox.close();
        return folder;
      },
      damage: deliveryRow,
      async call(inbox) {
        while ((await inbox.removeExpired({ maxAge: -1_000, maxBytes: undefined, maxEventAge: 0 })) > 0);
      },
    },
  ])('rejects the call and is reported: $name', async ({ make, damage, call }) => {
    const folder = await make();
    damage(folder);
    const { inbox, found } = open(folder);

    const error = await rejection(call(inbox));

    expect(error).toMatchObject({ code: 'INBOX_DAMAGED', message: expect.stringContaining(folder) });
    expect(found).toEqual([error]);
  });

  test('rejects everything that is to be written with it, and nothing of that is stored', async () => {
    const folder = await makeUnhandled(FAILED);
    const { inbox, found } = open(folder);
    const { deliveries } = await inbox.claim(20);
    damageOpen(folder, rootPageOf(folder, 'backlog'));

    const writes = [
      inbox.settle(deliveries[0]!, { kind: 'handled' }),
      inbox.settle(deliveries[1]!, FAILED),
      inbox.accept(incoming('arbitrary')),
    ];

    for (const write of writes) expect(await rejection(write)).toMatchObject({ code: 'INBOX_DAMAGED' });
    expect(found).toHaveLength(3);
    expect(await inbox.find(21)).toBeUndefined();
  });

  test('is not text that is not UTF-8: the process goes on', async () => {
    const folder = await makeClosed(3);
    const bytes = readFileSync(main(folder));
    bytes[bytes.indexOf('POST')] = 0xff;
    writeFileSync(main(folder), bytes);

    const { deliveries } = await openInbox(folder).claim(3);

    expect(deliveries.map(({ method }) => method)).toEqual(expect.arrayContaining(['\ufffdOST', 'POST']));
  });
});
