import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { asAnotherUser } from '../../test/as-another-user.js';
import { copyInbox } from '../../test/copy-inbox.js';
import { inboxSuite } from '../../test/inbox.suite.js';
import { rejection } from '../../test/rejection.js';
import { ReceiverError } from '../errors.js';
import type { Delivery, Inbox, IncomingDelivery } from './inbox.js';
import { openSqliteInbox } from './sqlite-inbox.js';
import { SCHEMA_VERSION } from './sqlite-schema.js';

inboxSuite('the embedded inbox', { open: (folder) => openSqliteInbox(folder), crash: copyInbox });

const arbitrary = (content = 'arbitrary', eventId: string | null = null): IncomingDelivery => ({
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  eventId,
  fields: [],
  content: Buffer.from(content),
});

function openInbox(folder: string): Inbox {
  const inbox = openSqliteInbox(folder);
  afterThisTest(() => inbox.close());
  return inbox;
}

/** Another connection to the inbox's file, like that of somebody who looks into it. */
function connect(folder: string, file = 'inbox.sqlite'): Database.Database {
  const database = new Database(join(folder, file));
  afterThisTest(() => database.close());
  return database;
}

const claim = async (inbox: Inbox, limit = 1_000): Promise<readonly Delivery[]> =>
  (await inbox.claim(limit)).deliveries;

const claimIds = async (inbox: Inbox): Promise<number[]> => (await claim(inbox)).map(({ id }) => id);

/** Opens a copy of the files as they are now, as after a crash. */
function openAsAfterCrash(folder: string): Inbox {
  return openInbox(copyInbox(folder));
}

describe('opening', () => {
  const faultOf = (open: () => unknown): unknown => {
    try {
      open();
    } catch (error) {
      return error;
    }
    throw new Error('It opened.');
  };

  test('undoes what a power cut has left of the creation of a file', async () => {
    const folder = makeFolder();
    const other = connect(folder);
    // What is to be undone is written to the file before the commit, because it exceeds the cache.
    other.exec('PRAGMA cache_size = 1; BEGIN; CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(1000000))');
    const copy = copyInbox(folder);
    expect(statSync(join(copy, 'inbox.sqlite-journal')).size).toBeGreaterThan(0);

    const inbox = openInbox(copy);

    expect(await inbox.accept(arbitrary())).toBe(1);
    expect(existsSync(join(copy, 'inbox.sqlite-journal'))).toBe(false);
  });

  test('creates the folder, and those above it', () => {
    const folder = join(makeFolder(), 'a', 'b');

    expect(openInbox(folder).location).toBe(join(folder, 'inbox.sqlite'));
  });

  test('is refused while another receiver has the inbox, which is not disturbed', async () => {
    const folder = makeFolder();
    const first = openInbox(folder);

    const error = faultOf(() => openSqliteInbox(folder));

    expect(error).toBeInstanceOf(ReceiverError);
    expect(error).toMatchObject({ code: 'INBOX_IN_USE' });
    expect((error as Error).message).toContain(folder);
    expect(await first.accept(arbitrary())).toBe(1);
  });

  test('is possible again once the other has closed', async () => {
    const folder = makeFolder();
    await openSqliteInbox(folder).close();

    expect(await openInbox(folder).accept(arbitrary())).toBe(1);
  });

  const unusable: readonly (readonly [name: string, prepare: (folder: string) => string])[] = [
    [
      'a file where the folder should be',
      (folder) => {
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file');
      },
    ],
    [
      'a lock file that is not a database',
      (folder) => {
        writeFileSync(join(folder, 'receiver.lock'), 'This is not a database. '.repeat(100));
        return folder;
      },
    ],
    [
      'a folder where the file should be',
      (folder) => {
        mkdirSync(join(folder, 'inbox.sqlite'));
        return folder;
      },
    ],
    [
      'tables of a later version',
      (folder) => {
        connect(folder).exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
        return folder;
      },
    ],
    [
      'tables of something else without a version',
      (folder) => {
        connect(folder).exec('CREATE TABLE delivery (a)');
        return folder;
      },
    ],
  ];

  test.each(unusable)('is refused for %s, and leaves nothing locked', (_name, prepare) => {
    const folder = prepare(makeFolder());

    for (let attempts = 0; attempts < 2; attempts += 1) {
      const error = faultOf(() => openSqliteInbox(folder));
      expect(error).toBeInstanceOf(ReceiverError);
      expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
      expect((error as Error).message).toContain(folder);
      expect((error as Error).cause).toBeDefined();
    }
  });

  /** A copy, whose files SQLite has not opened in this process: it would use them again, whatever the user may do. */
  const makeClosed = async (): Promise<string> => {
    const folder = makeFolder();
    await openSqliteInbox(folder).close();
    const copy = copyInbox(folder);
    cpSync(join(folder, 'receiver.lock'), join(copy, 'receiver.lock'));
    return copy;
  };

  test.each<[name: string, make: () => Promise<string> | string, modes: Record<string, number>]>([
    ['a file that this user may not write', makeClosed, { 'inbox.sqlite': 0o444 }],
    ['a lock file that this user may not write', makeClosed, { 'receiver.lock': 0o444 }],
    ['a folder that this user may not write', makeFolder, { '.': 0o555 }],
    ['a folder that this user may not read', makeClosed, { '.': 0o333 }],
  ])('is refused for %s, and leaves nothing locked', async (_name, make, modes) => {
    const folder = await make();
    const files = Object.fromEntries(readdirSync(folder).map((file) => [file, 0o666]));
    const all = { '.': 0o777, ...files, ...modes };
    for (const [file, mode] of Object.entries(all)) chmodSync(join(folder, file), mode);
    afterThisTest(() => chmodSync(folder, 0o777));

    const error = faultOf(() => asAnotherUser(() => openSqliteInbox(folder)));

    expect(error).toBeInstanceOf(ReceiverError);
    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect((error as Error).message).toContain(folder);
    for (const file of Object.keys(all)) chmodSync(join(folder, file), 0o777);
    expect(await openInbox(folder).stats()).toMatchObject({ waiting: 0, parked: 0 });
  });

  test('is possible while another program writes to the file', async () => {
    const folder = makeFolder();
    await openSqliteInbox(folder).close();
    const other = connect(folder);
    other.exec('BEGIN IMMEDIATE');

    expect(await openInbox(folder).stats()).toMatchObject({ waiting: 0, parked: 0 });
    other.exec('ROLLBACK');
  });

  test('says which version of the tables it found and which one it knows', () => {
    const folder = makeFolder();
    connect(folder).exec('PRAGMA user_version = 99');

    expect(faultOf(() => openSqliteInbox(folder))).toMatchObject({
      message: expect.stringMatching(`version 99.*version ${SCHEMA_VERSION}`),
    });
  });
});

test.each([
  { kind: 'handled' } as const,
  { kind: 'parked', error: 'arbitrary' } as const,
  { kind: 'failed', error: 'arbitrary', retryAfter: 0 } as const,
])('the result $kind can be stored again', async (result) => {
  const inbox = openInbox(makeFolder());
  await inbox.accept(arbitrary());
  const [delivery] = await claim(inbox);
  await inbox.settle(delivery!, result);
  const stats = await inbox.stats();

  await inbox.settle(delivery!, result);

  expect(await inbox.stats()).toEqual({ ...stats, bytes: expect.any(Number) as number });
});

describe('durability', () => {
  test('is WAL that SQLite flushes around its checkpoints', () => {
    const statements: string[] = [];
    const exec = Reflect.get(Database.prototype, 'exec');
    afterThisTest(() => (Database.prototype.exec = exec));
    Database.prototype.exec = function (sql: string) {
      statements.push(sql);
      return exec.call(this, sql);
    };
    const folder = makeFolder();
    openInbox(folder);

    expect(connect(folder).prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(statements.filter((sql) => sql.includes('synchronous'))).toEqual(['PRAGMA synchronous = NORMAL']);
  });

  test('keeps the log short while deliveries arrive, on a slow disk too', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    const large = { ...arbitrary(), content: Buffer.alloc(1_048_576, 'x') };
    for (let index = 0; index < 40; index += 1) await inbox.accept(large);

    const [database, log] = ['inbox.sqlite', 'inbox.sqlite-wal'].map(
      (file) => statSync(join(folder, file)).size,
    );
    expect(log).toBeLessThan(18 * 1_048_576);
    expect(database! + log!).toBeGreaterThan(40 * 1_048_576);
  });

  test('covers what was accepted and settled, if the process dies at once', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all(Array.from({ length: 5 }, (_, index) => inbox.accept(arbitrary(`content ${index}`))));
    const [one, two, three] = await claim(inbox, 3);
    await inbox.settle(one!, { kind: 'handled' });
    await inbox.settle(two!, { kind: 'parked', error: 'arbitrary' });
    await inbox.settle(three!, { kind: 'failed', error: 'arbitrary', retryAfter: 0 });

    const after = openAsAfterCrash(folder);

    expect(await after.stats()).toMatchObject({ waiting: 3, parked: 1 });
    expect((await claim(after)).map(({ id, failures, content }) => [id, failures, String(content)])).toEqual([
      [3, 1, 'content 2'],
      [4, 0, 'content 3'],
      [5, 0, 'content 4'],
    ]);
  });

  test('covers the first delivery of an event as soon as any of them is acknowledged', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    const accepted = ['first', 'second', 'third'].map((content) => inbox.accept(arbitrary(content, 'a')));
    expect(await Promise.race(accepted)).toBe(1);

    const after = openAsAfterCrash(folder);

    expect(await after.accept(arbitrary('fourth', 'a'))).toBe(1);
    expect((await claim(after)).map(({ id, content }) => [id, String(content)])).toEqual([[1, 'first']]);
  });

  test('covers the event of a delivery that was handled or parked', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all([inbox.accept(arbitrary('1', 'a')), inbox.accept(arbitrary('2', 'b'))]);
    const [one, two] = await claim(inbox);
    await inbox.settle(one!, { kind: 'handled' });
    await inbox.settle(two!, { kind: 'parked', error: 'arbitrary' });

    const after = openAsAfterCrash(folder);
    expect(await Promise.all(['b', 'c', 'a'].map((event) => after.accept(arbitrary('3', event))))).toEqual([
      2, 3, 1,
    ]);
    expect(await after.stats()).toMatchObject({ waiting: 1, parked: 1 });
    expect(await claimIds(after)).toEqual([3]);
  });

  test('repeats after a crash only what came after the first one under way', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all(Array.from({ length: 4 }, () => inbox.accept(arbitrary())));
    const claimed = await claim(inbox);
    await inbox.settle(claimed[0]!, { kind: 'handled' });
    await inbox.settle(claimed[2]!, { kind: 'handled' });

    expect(await claimIds(openAsAfterCrash(folder))).toEqual([2, 3, 4]);
  });

  test('repeats after a crash a straggler, but not the many that were handled after it', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all(Array.from({ length: 1_000 }, () => inbox.accept(arbitrary())));
    const [, ...others] = await claim(inbox);
    await Promise.all(others.map((delivery) => inbox.settle(delivery, { kind: 'handled' })));

    expect(await claimIds(openAsAfterCrash(folder))).toEqual([1]);
  });
});

/** Another program that writes for longer than the inbox waits. */
function lockFile(folder: string): () => void {
  const other = connect(folder);
  other.exec('BEGIN IMMEDIATE');
  return () => other.exec('ROLLBACK');
}

/** Faults that concern every write; each returns what undoes it. On a full disk SQLite rolls back by itself. */
const faults: readonly (readonly [name: string, make: (folder: string) => () => void])[] = [
  ['before it begins', lockFile],
  ...['FAIL', 'ABORT', 'ROLLBACK'].map(
    (resolution) =>
      [
        `when a part of it is written (${resolution})`,
        (folder: string) => {
          const other = connect(folder);
          other.exec(
            `CREATE TRIGGER fault_1 BEFORE INSERT ON parked BEGIN SELECT RAISE(${resolution}, 'no room'); END;
             CREATE TRIGGER fault_2 BEFORE INSERT ON delivery BEGIN SELECT RAISE(${resolution}, 'no room'); END;
             CREATE TRIGGER fault_3 BEFORE INSERT ON backlog BEGIN SELECT RAISE(${resolution}, 'no room'); END;
             CREATE TRIGGER fault_4 BEFORE UPDATE ON progress BEGIN SELECT RAISE(${resolution}, 'no room'); END`,
          );
          return () => [1, 2, 3, 4].forEach((number) => other.exec(`DROP TRIGGER fault_${number}`));
        },
      ] as const,
  ),
];

test('tells an observer of each commit that stored deliveries', async () => {
  const seen: number[] = [];
  const inbox = openSqliteInbox(makeFolder(), {
    committed: (deliveries, milliseconds, flush = NaN) =>
      void seen.push(milliseconds >= flush && flush >= 0 ? deliveries : NaN),
  });
  afterThisTest(() => inbox.close());

  await Promise.all(['1', '2', '3', '4'].map((content) => inbox.accept(arbitrary(content))));
  await inbox.accept(arbitrary('5', 'an event'));
  await inbox.accept(arbitrary('6', 'an event'));
  for (const delivery of await claim(inbox)) await inbox.settle(delivery, { kind: 'handled' });

  expect(seen).toEqual([4, 1]);
});

describe('a copy', () => {
  /** Copies the main file alone into a new folder. */
  const copyOf = (folder: string): string => {
    const copy = makeFolder();
    cpSync(join(folder, 'inbox.sqlite'), join(copy, 'inbox.sqlite'));
    return copy;
  };

  test.each([
    { name: 'nobody looks', looks: false },
    { name: 'somebody has looked and is still connected', looks: true },
  ])('of the main file is whole after closing while $name', async ({ looks }) => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all(Array.from({ length: 50 }, () => inbox.accept(arbitrary())));
    if (looks) connect(folder).prepare('SELECT count(*) FROM overview').get([]);
    const [one, two] = await claim(inbox, 2);
    await inbox.settle(one!, { kind: 'parked', error: 'arbitrary' });
    await inbox.settle(two!, { kind: 'handled' });
    await inbox.close();

    const copy = openInbox(copyOf(folder));

    expect(await copy.stats()).toMatchObject({ waiting: 48, parked: 1 });
    expect(await claim(copy)).toHaveLength(48);
  });
});

describe('a write that fails', () => {
  test.each(faults)(
    '%s rejects everything that was to be written with it, stores nothing of it, and the next succeeds',
    async (_name, makeFault) => {
      const folder = makeFolder();
      const inbox = openInbox(folder);
      await Promise.all([1, 2, 3].map((id) => inbox.accept(arbitrary(`content ${id}`))));
      const [one, two, three] = await claim(inbox);
      const settleAll = (): Promise<unknown>[] => [
        inbox.settle(one!, { kind: 'handled' }),
        inbox.settle(two!, { kind: 'failed', error: 'arbitrary', retryAfter: 0 }),
        inbox.settle(three!, { kind: 'parked', error: 'arbitrary' }),
      ];
      const undo = makeFault(folder);

      const errors = await Promise.all(
        [...settleAll(), inbox.accept(arbitrary('never stored'))].map(rejection),
      );

      for (const error of errors) {
        expect(error).toBeInstanceOf(ReceiverError);
        expect(error).toMatchObject({ code: 'INBOX_WRITE_FAILED', cause: { name: 'SqliteError' } });
      }
      expect(await inbox.stats()).toMatchObject({ waiting: 3, parked: 0 });
      expect(await claimIds(inbox)).toEqual([]);

      undo();
      expect(await inbox.accept(arbitrary('content 4'))).toBe(4);
      await Promise.all(settleAll());
      expect((await claim(inbox)).map(({ id, content }) => [id, String(content)])).toEqual([
        [2, 'content 2'],
        [4, 'content 4'],
      ]);
      expect(await inbox.stats()).toMatchObject({ waiting: 2, parked: 1 });
    },
  );

  test.each(faults)(
    '%s refuses all deliveries of an event, of which the next that comes is the first',
    async (_name, makeFault) => {
      const folder = makeFolder();
      const inbox = openInbox(folder);
      await inbox.accept(arbitrary('kept', 'a'));
      const [kept] = await claim(inbox);
      const undo = makeFault(folder);

      // It needs no write, but may wait for one.
      const duplicate = inbox.accept(arbitrary('a duplicate', 'a')).catch(() => 1);
      const errors = await Promise.all(
        [
          inbox.accept(arbitrary('refused', 'b')),
          inbox.accept(arbitrary('refused too', 'b')),
          inbox.settle(kept!, { kind: 'parked', error: 'arbitrary' }),
        ].map(rejection),
      );
      undo();

      expect(errors).toMatchObject(errors.map(() => ({ code: 'INBOX_WRITE_FAILED' })));
      expect(await duplicate).toBe(1);
      expect(await inbox.accept(arbitrary('another', 'c'))).toBe(2);
      expect(await inbox.accept(arbitrary('accepted', 'b'))).toBe(3);
      expect(await inbox.accept(arbitrary('a duplicate', 'a'))).toBe(1);
      expect((await claim(inbox)).map(({ content }) => String(content))).toEqual(['another', 'accepted']);
    },
  );

  test.each(['FAIL', 'ABORT', 'ROLLBACK'])(
    'for one result alone (%s) rejects that one: what is written with it is stored and acknowledged',
    async (resolution) => {
      const folder = makeFolder();
      const inbox = openInbox(folder);
      await Promise.all([1, 2, 3, 4].map((id) => inbox.accept(arbitrary(`content ${id}`))));
      const [one, two, three] = await claim(inbox, 3);
      connect(folder).exec(
        `CREATE TRIGGER fault BEFORE INSERT ON parked BEGIN SELECT RAISE(${resolution}, 'damaged'); END`,
      );

      const results = await Promise.allSettled([
        inbox.settle(one!, { kind: 'handled' }),
        inbox.settle(two!, { kind: 'parked', error: 'arbitrary' }),
        inbox.settle(three!, { kind: 'failed', error: 'arbitrary', retryAfter: 3_600_000 }),
        inbox.accept(arbitrary('content 5')),
        inbox.accept(arbitrary('content 6')),
      ]);

      expect(results).toMatchObject([
        { value: undefined },
        { reason: { code: 'INBOX_WRITE_FAILED' } },
        { value: undefined },
        { value: 5 },
        { value: 6 },
      ]);
      const after = openAsAfterCrash(folder);
      expect((await claim(after)).map(({ content }) => String(content))).toEqual(
        expect.arrayContaining(['content 2', 'content 4', 'content 5', 'content 6']),
      );
      expect(await after.stats()).toMatchObject({ parked: 0 });
    },
  );

  test('forgets no attempt that was cut off and could not be counted', async () => {
    const folder = makeFolder();
    const before = openInbox(folder);
    await before.accept(arbitrary());
    await claim(before);
    const crashed = copyInbox(folder);
    const inbox = openInbox(crashed);
    const [cutOff] = await inbox.recover(0);
    const release = lockFile(crashed);

    const settled = inbox.settle(cutOff!, { kind: 'failed', error: 'cut off', retryAfter: 0 });
    expect(await rejection(settled)).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    release();
    await inbox.close();

    expect(await openInbox(crashed).recover(0)).toEqual([{ id: 1, failures: 0 }]);
  });

  test('while closing does not prevent closing', async () => {
    const folder = makeFolder();
    const inbox = openSqliteInbox(folder);
    await inbox.accept(arbitrary());
    await claim(inbox);
    const release = lockFile(folder);
    await inbox.close();
    release();

    expect(await claimIds(openInbox(folder))).toEqual([1]);
  });
});

describe('the file of what is under way', () => {
  const interruptedIn = async (folder: string): Promise<unknown> => {
    const inbox = openInbox(folder);
    const interrupted = await inbox.recover(3_600_000);
    await inbox.close();
    return interrupted;
  };

  test('of a power cut may be older than the inbox: what has ended since is not counted', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all([1, 2, 3, 4].map(() => inbox.accept(arbitrary())));
    const [one, two, three] = await claim(inbox, 4);
    const before = copyInbox(folder);
    await inbox.settle(one!, { kind: 'handled' });
    await inbox.settle(two!, { kind: 'failed', error: 'arbitrary', retryAfter: 0 });
    await inbox.settle(three!, { kind: 'parked', error: 'arbitrary' });

    const after = copyInbox(folder);
    cpSync(join(before, 'under-way'), join(after, 'under-way'));

    const opened = openInbox(after);
    const interrupted = await opened.recover(3_600_000);
    expect(interrupted).toEqual([{ id: 4, failures: 0 }]);
    const cutOff = { kind: 'failed', error: 'cut off', retryAfter: 0, suspect: true } as const;
    await opened.settle(interrupted[0]!, cutOff);
    await opened.settle((await claim(opened))[0]!, { kind: 'handled' });
    // A suspect comes once the handler has nothing else.
    expect(await claim(opened)).toMatchObject([{ id: 4, failures: 1, suspect: true }]);
  });

  test('of a power cut may be older than the inbox: what was discarded since does not come back', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all([1, 2].map(() => inbox.accept(arbitrary())));
    const [, two] = await claim(inbox);
    const before = copyInbox(folder);
    await inbox.settle(two!, { kind: 'parked', error: 'arbitrary' });
    await inbox.discard({ filter: {}, after: 0, limit: 10 }, 'arbitrary');

    const after = copyInbox(folder);
    cpSync(join(before, 'under-way'), join(after, 'under-way'));

    expect(await interruptedIn(after)).toEqual([{ id: 1, failures: 0 }]);
  });

  test.each<[string, Uint8Array]>([
    ['is empty', Buffer.alloc(0)],
    ['is cut', Buffer.alloc(7)],
    ['has anything', Buffer.alloc(16_384, 'anything ')],
    [
      'has ids that nothing has',
      new Uint8Array(new Float64Array([99, 0, -1, 0, 0.5, 0, NaN, 0, Infinity, 0]).buffer),
    ],
  ])('may be damaged: one that %s counts nothing, and loses nothing', async (_name, bytes) => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await inbox.accept(arbitrary());
    const damaged = copyInbox(folder);
    writeFileSync(join(damaged, 'under-way'), bytes);

    expect(await interruptedIn(damaged)).toEqual([]);
    expect(await claimIds(openInbox(damaged))).toEqual([1]);
  });

  test('that cannot be written: nothing is claimed, and nothing is hidden', async () => {
    const folder = makeFolder();
    const before = openSqliteInbox(folder);
    await before.accept(arbitrary());
    const [one] = await claim(before);
    await before.settle(one!, { kind: 'failed', error: 'arbitrary', retryAfter: 0 });
    await before.close();
    rmSync(join(folder, 'under-way'));
    symlinkSync('/dev/full', join(folder, 'under-way'));
    const inbox = openInbox(folder);

    for (let time = 0; time < 2; time += 1)
      expect(await rejection(inbox.claim(10))).toMatchObject({ code: 'ENOSPC' });

    await inbox.close();
    rmSync(join(folder, 'under-way'));
    expect(await claimIds(openInbox(folder))).toEqual([1]);
  });

  test('grows with the number of attempts', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all(Array.from({ length: 3_000 }, () => inbox.accept(arbitrary())));
    await claim(inbox, 3_000);

    expect(await interruptedIn(copyInbox(folder))).toHaveLength(3_000);
  });
});

describe('a read that fails', () => {
  test('hides no delivery from the next claim', async () => {
    const folder = makeFolder();
    const before = openSqliteInbox(folder);
    for (let count = 0; count < 3; count += 1) await before.accept(arbitrary());
    const { deliveries } = await before.claim(1);
    await before.settle(deliveries[0]!, { kind: 'failed', error: 'arbitrary', retryAfter: 0 });
    await before.close();
    const inbox = openInbox(folder);
    const other = connect(folder);
    // The delivery in the backlog can be read, those after it can't.
    other.exec(`
      ALTER TABLE delivery RENAME TO elsewhere;
      CREATE VIEW delivery AS SELECT id, received_at, method, media_type, content_encoding, event_id, fields,
        CASE WHEN id = 1 THEN content ELSE abs(-9223372036854775807 - 1) END AS content FROM elsewhere`);

    await expect(inbox.claim(10)).rejects.toThrow('integer overflow');
    other.exec('DROP VIEW delivery; ALTER TABLE elsewhere RENAME TO delivery');

    expect(await claimIds(inbox)).toEqual([1, 2, 3]);
  });
});

describe('somebody who opens the file while the receiver runs', () => {
  const overviewOf = (folder: string, columns: string): unknown[] =>
    connect(folder).prepare(`SELECT ${columns} FROM overview ORDER BY id`).raw().all([]);

  test('sees which deliveries are handled, waiting and parked, and why', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all(Array.from({ length: 4 }, (_, index) => inbox.accept(arbitrary(`content ${index}`))));
    const [one, two, three] = await claim(inbox, 3);
    await Promise.all([
      inbox.settle(one!, { kind: 'handled' }),
      inbox.settle(two!, { kind: 'failed', error: 'not yet', retryAfter: 3_600_000 }),
      inbox.settle(three!, { kind: 'parked', error: 'no more' }),
    ]);

    expect(overviewOf(folder, 'id, state, failures, error, method, bytes, content')).toEqual([
      [1, 'handled', 0, null, 'POST', 9, 'content 0'],
      [2, 'waiting', 1, 'not yet', 'POST', 9, 'content 1'],
      [3, 'parked', 1, 'no more', 'POST', 9, 'content 2'],
      [4, 'waiting', 0, null, 'POST', 9, 'content 3'],
    ]);
  });

  test.each(['failed', 'parked'] as const)(
    'reads the beginning of any error of what has %s',
    async (kind) => {
      const folder = makeFolder();
      const inbox = openInbox(folder);
      const errors = ['\ud800 \0 \udc00', '\u{1f33f}', 'a'.repeat(2_000), `${'a'.repeat(999)}\u{1f33f}`];
      for (const content of errors) await inbox.accept(arbitrary(content));
      for (const [index, delivery] of (await claim(inbox)).entries()) {
        await inbox.settle(delivery, { kind, error: errors[index] as string, retryAfter: 0 });
      }

      expect(overviewOf(folder, 'error')).toEqual([
        ['\ufffd \ufffd \ufffd'],
        ['\u{1f33f}'],
        ['a'.repeat(1_000)],
        [`${'a'.repeat(999)}\ufffd`],
      ]);
    },
  );

  test('sees the event of a delivery that has one', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await Promise.all([inbox.accept(arbitrary('1', 'evt_1')), inbox.accept(arbitrary('2'))]);

    expect(overviewOf(folder, 'id, event_id')).toEqual([
      [1, 'evt_1'],
      [2, null],
    ]);
  });

  test('reads the time of day', async () => {
    const folder = makeFolder();
    const inbox = openInbox(folder);
    await inbox.accept(arbitrary());
    const [delivery] = await claim(inbox);

    expect(overviewOf(folder, 'received_at')).toEqual([[new Date(delivery!.receivedAt).toISOString()]]);
  });

  test('may delete handled deliveries: no id is reused, and new deliveries are still claimed', async () => {
    const folder = makeFolder();
    const inbox = openSqliteInbox(folder);
    await Promise.all([inbox.accept(arbitrary()), inbox.accept(arbitrary('arbitrary', 'a'))]);
    for (const delivery of await claim(inbox)) await inbox.settle(delivery, { kind: 'handled' });
    connect(folder).exec('DELETE FROM delivery');
    await inbox.close();

    const again = openInbox(folder);
    expect(await again.stats()).toMatchObject({ waiting: 0, parked: 0 });
    expect(await again.accept(arbitrary())).toBe(3);
    expect(await again.accept(arbitrary('of an event that is gone', 'a'))).toBe(4);
    expect(await claimIds(again)).toEqual([3, 4]);
  });
});
