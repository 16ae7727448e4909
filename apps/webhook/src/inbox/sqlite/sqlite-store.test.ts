import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { backup, DatabaseSync } from '@photostructure/sqlite';

import { asAnotherUser } from '../../../test/as-another-user.js';
import { copyInbox } from '../../../test/copy-inbox.js';
import { act, Claims, failed, HANDLED, incoming, openEmbedded, PARKED } from '../../../test/open-inbox.js';
import { rejection } from '../../../test/rejection.js';
import type { ReceiverError } from '../../errors.js';
import type { AttemptResult } from '../delivery.js';
import type { Inbox } from '../inbox.js';
import { openInbox } from '../open-inbox.js';
import { requireUndamaged } from './back-up.js';
import { openDatabase, openingError } from './open-database.js';

/** Opens an inbox, and resolves when its files can't be trusted any more. */
async function openUntilLost(folder: string): Promise<{ inbox: Inbox; lost: Promise<ReceiverError> }> {
  let onLost: (error: ReceiverError) => void;
  const lost = new Promise<ReceiverError>((resolve) => (onLost = resolve));
  const inbox = await openInbox(`file:${folder}`, { onLost: (error) => onLost(error) });
  afterThisTest(() => inbox.close());
  return { inbox, lost };
}

/** In another process: see `OpenFiles`. */
const run = (command: string, ...given: readonly string[]): Buffer =>
  execFileSync(command, given, { maxBuffer: Infinity });

/** Copies of the database of an open inbox, by what makes them. */
const copies: Record<string, (file: string, copy: string) => unknown> = {
  'by VACUUM INTO, as plant-inbox makes it': (file, copy) => {
    const database = new DatabaseSync(file);
    database.prepare('VACUUM INTO ?').run(copy);
    database.close();
  },
  'by the backup of SQLite': async (file, copy) => {
    const database = new DatabaseSync(file);
    await backup(database, copy);
    database.close();
  },
};

/** An open inbox with a delivery, and copies of its database: those above, and one from before it was opened. */
async function openWithCopies(): Promise<{
  inbox: Inbox;
  lost: Promise<ReceiverError>;
  folder: string;
  copied: Record<string, string>;
}> {
  const folder = await makeInbox(1);
  const file = join(folder, 'inbox.sqlite');
  const beside = makeFolder();
  const earlier = 'from before the start';
  run('cp', file, join(beside, earlier));
  const opened = await openUntilLost(folder);
  await opened.inbox.accept(incoming('arbitrary'));
  for (const [name, make] of Object.entries(copies)) await make(file, join(beside, name));
  const copied = [earlier, ...Object.keys(copies)].map((name) => [name, join(beside, name)] as const);
  return { ...opened, folder, copied: Object.fromEntries(copied) };
}

const refusal = (folder: string): Promise<unknown> => rejection(openEmbedded(folder));

/** A closed inbox with so many deliveries. */
async function makeInbox(count: number): Promise<string> {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  for (let each = 0; each < count; each += 1) await inbox.accept(incoming(Buffer.alloc(20_000, 'a')));
  await inbox.close();
  return folder;
}

describe('opening', () => {
  test('makes the folder and those above it', async () => {
    const folder = join(makeFolder(), 'a', 'b', 'inbox');

    expect((await openEmbedded(folder)).location).toBe(join(folder, 'inbox.sqlite'));
  });

  test('is refused while another receiver has the inbox open, and works after it has closed', async () => {
    const folder = makeFolder();
    const inbox = await openEmbedded(folder);

    expect(await refusal(folder)).toMatchObject({
      code: 'INBOX_IN_USE',
      message: `Another receiver uses the inbox in ${folder}. Stop it, or set INBOX_URL to another folder.`,
    });
    await inbox.close();
    await openEmbedded(folder);
  });

  test.each<[name: string, make: (folder: string) => void, says: string]>([
    ['is a file', (folder) => writeFileSync(folder, ''), 'file already exists'],
    [
      'has something else in place of the lock',
      (folder) => {
        mkdirSync(folder);
        writeFileSync(join(folder, 'receiver.lock'), 'arbitrary '.repeat(1_000));
      },
      'receiver.lock is not the lock of an inbox: file is not a database. It has no data: delete it',
    ],
    [
      'has a folder in place of the database',
      (folder) => mkdirSync(join(folder, 'inbox.sqlite'), { recursive: true }),
      'illegal operation on a directory',
    ],
  ])('is refused if its folder %s', async (_name, make, says) => {
    const folder = join(makeFolder(), 'inbox');
    make(folder);

    const error = (await refusal(folder)) as ReceiverError;
    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(error.message).toContain(says);
  });

  test('is refused if this user may not write the folder', async () => {
    const folder = await makeInbox(1);

    expect(() => asAnotherUser(() => openDatabase(folder))).toThrow(
      expect.objectContaining({ code: 'INBOX_UNUSABLE' }) as Error,
    );
  });

  test.each([{ errcode: 13 }, { code: 'ENOSPC' }])('that a full disk refuses says so: %p', (fault) => {
    expect(openingError('arbitrary', { message: 'arbitrary', ...fault })).toMatchObject({
      code: 'INBOX_UNUSABLE',
      message: expect.stringContaining('Make room on its disk') as string,
    });
  });

  test.each([
    [10, 'which is too old. Run "plant-inbox export" of the version that made them'],
    [99, 'and this receiver knows version 11. Start a receiver that is as new as the one that made them.'],
  ])('is refused if the tables are of version %d, and says what to do', async (version, says) => {
    const folder = makeFolder();
    const database = new DatabaseSync(join(folder, 'inbox.sqlite'));
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();

    const error = (await refusal(folder)) as ReceiverError;
    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(error.message).toContain(`has tables of version ${version}, ${says}`);
  });

  test.each<[name: string, damage: (file: string) => void]>([
    ['is not a database', (file) => writeFileSync(file, 'no database '.repeat(1_000))],
    ['has lost its end', (file) => truncateSync(file, 8_192)],
  ])('is refused if the file %s', async (_name, damage) => {
    const folder = await makeInbox(10);
    damage(join(folder, 'inbox.sqlite'));

    expect(await refusal(folder)).toMatchObject({ code: 'INBOX_DAMAGED' });
  });
});

test('what is accepted is flushed to the disk before', async () => {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  await inbox.accept(incoming('arbitrary'));
  const looking = new DatabaseSync(join(folder, 'inbox.sqlite'));
  afterThisTest(() => looking.close());

  expect(looking.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
  expect(looking.prepare('SELECT state, content FROM overview').get()).toMatchObject({
    ...{ state: 'waiting', content: 'arbitrary' },
  });
});

describe('what was deleted', () => {
  const SECRET = 'content of somebody who wants it forgotten ';

  /** How often the content is in the files of an inbox, however it got there. */
  const countIn = (folder: string): Record<string, number> =>
    Object.fromEntries(
      ['inbox.sqlite', 'inbox.sqlite-wal'].map((name) => [
        name,
        // Not read by this process: to close a file would take away the locks of SQLite.
        run('cat', join(folder, name)).toString('latin1').split(SECRET).length - 1,
      ]),
    );
  const NOWHERE = { 'inbox.sqlite': 0, 'inbox.sqlite-wal': 0 };

  /** An inbox with contents in one page and in many, each of which has had an attempt, in the file and in its log. */
  async function fill(result: AttemptResult): Promise<{ folder: string; inbox: Inbox }> {
    const folder = makeFolder();
    const inbox = await openEmbedded(folder);
    const claims = Claims.begin(inbox);
    for (const times of [1, 10, 5_000, 1, 10, 5_000]) {
      await inbox.accept(incoming(SECRET.repeat(times)));
      await claims.settle(failed(0));
      await claims.settle(result);
    }
    expect(countIn(folder)['inbox.sqlite-wal']).toBeGreaterThan(0);
    return { folder, inbox };
  }

  test('by discarding is in no file of the inbox any more', async () => {
    const { folder, inbox } = await fill(PARKED);

    await act(inbox, 'discard');

    expect(countIn(folder)).toEqual(NOWHERE);
  });

  test('by discarding while somebody reads the file is gone from its log when that has ended', async () => {
    const { folder, inbox } = await fill(PARKED);
    const reader = new DatabaseSync(join(folder, 'inbox.sqlite'));
    afterThisTest(() => reader.close());
    reader.exec('BEGIN; SELECT count(*) FROM delivery');

    await act(inbox, 'discard');
    expect(countIn(folder)).not.toEqual(NOWHERE);
    reader.exec('ROLLBACK');
    await inbox.operations.forgetDeleted();

    expect(countIn(folder)).toEqual(NOWHERE);
  });

  test('by the retention is in no file of the inbox any more', async () => {
    const { folder, inbox } = await fill(HANDLED);
    await act(inbox, 'discard');
    const retention = { maxAge: 0, maxBytes: 0, maxEventAge: 0 };

    while ((await inbox.operations.removeExpired(retention)) > 0);
    await inbox.operations.forgetDeleted();

    expect(await inbox.operations.list({}, { order: 'oldest first', limit: 1 })).toEqual([]);
    expect(countIn(folder)).toEqual(NOWHERE);
  });

  test('has left space in the file, which counts as free', async () => {
    const { inbox } = await fill(PARKED);
    const before = await inbox.operations.size();

    await act(inbox, 'discard');

    const { inUse, free } = await inbox.operations.size();
    expect(free - before.free).toBe(before.inUse - inUse);
    expect(free).toBeGreaterThan(2 * SECRET.length * 5_000);
  });
});

describe('a database that the log beside it does not belong to', () => {
  const bytesIn = (folder: string): Record<string, Buffer> =>
    Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name !== 'receiver.lock')
        .map((name) => [name, readFileSync(join(folder, name))]),
    );

  async function expectRefusal(crashed: string): Promise<void> {
    const before = bytesIn(crashed);
    const message = expect.stringMatching(
      /inbox\.sqlite was removed or replaced: .*-wal belongs to the file/,
    ) as string;
    expect(await refusal(crashed)).toMatchObject({ code: 'INBOX_UNUSABLE', message });
    expect(() => requireUndamaged(crashed)).toThrow(
      expect.objectContaining({ code: 'INBOX_UNUSABLE' }) as Error,
    );
    expect(bytesIn(crashed)).toEqual(before);
  }

  test('is refused, and nothing is changed, until the log and its index are deleted', async () => {
    const { folder, copied } = await openWithCopies();
    for (const copy of Object.values(copied)) {
      const crashed = copyInbox(folder);
      run('cp', copy, join(crashed, 'inbox.sqlite'));
      await expectRefusal(crashed);

      for (const name of ['inbox.sqlite-wal', 'inbox.sqlite-shm']) rmSync(join(crashed, name));
      await openEmbedded(crashed);
    }
  });

  test('is refused if it is a copy without a log, or empty', async () => {
    const { folder } = await openWithCopies();
    const crashed = copyInbox(folder);
    truncateSync(join(crashed, 'inbox.sqlite'));
    await expectRefusal(crashed);
    rmSync(join(crashed, 'inbox.sqlite'));
    await expect(refusal(crashed)).resolves.toMatchObject({ code: 'INBOX_UNUSABLE' });
  });

  test.each<[name: string, change: (folder: string) => void]>([
    ['the whole folder was copied', () => undefined],
    ['an earlier version has left it', (folder) => rmSync(join(folder, 'inbox.identity'))],
  ])('is another thing than one that a crash has left, also if %s', async (_name, change) => {
    const { folder } = await openWithCopies();
    const crashed = copyInbox(folder);
    change(crashed);

    expect(await (await openEmbedded(crashed)).operations.count({})).toMatchObject({ waiting: 2 });
  });

  test('is another thing than one that a crash in the first start with a restored copy has left', async () => {
    const { folder, copied } = await openWithCopies();
    const restored = copyInbox(folder);
    const file = join(restored, 'inbox.sqlite');
    for (const name of ['inbox.sqlite-wal', 'inbox.sqlite-shm']) rmSync(join(restored, name));
    run('cp', copied['from before the start']!, file);
    const reader = new DatabaseSync(file);
    afterThisTest(() => reader.close());
    // What was written before the failure stays in the log, because somebody still has the database open.
    reader.exec(`
      UPDATE inbox_state SET probed_at = 1;
      CREATE TRIGGER stop AFTER UPDATE ON inbox_state BEGIN SELECT RAISE(FAIL, 'stopped here'); END;
      PRAGMA wal_checkpoint(TRUNCATE)`);
    const stopped = { message: expect.stringContaining('stopped here') as string };
    await expect(refusal(restored)).resolves.toMatchObject(stopped);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);

    await expect(refusal(restored)).resolves.toMatchObject(stopped);
  });

  test('is another thing than one that a crash has left while somebody was reading at the start', async () => {
    const folder = await makeInbox(1);
    const reader = new DatabaseSync(join(folder, 'inbox.sqlite'));
    afterThisTest(() => reader.close());
    // What it reads stays in the log, and so does the new identity.
    reader.exec('UPDATE inbox_state SET probed_at = 1; BEGIN; SELECT * FROM delivery');
    const inbox = await openEmbedded(folder);
    await inbox.accept(incoming('arbitrary'));

    expect(await (await openEmbedded(copyInbox(folder))).operations.count({})).toMatchObject({ waiting: 2 });
  });
});

describe('nothing is acknowledged, and the process is told', () => {
  const database = (folder: string): string => join(folder, 'inbox.sqlite');
  const openAndClose = (file: string): void => closeSync(openSync(file, 'r'));

  const losses: Record<
    string,
    { lose: (folder: string, copied: Record<string, string>) => unknown; says: RegExp }
  > = {
    'the database was removed': {
      lose: (folder) => rmSync(database(folder)),
      says: /inbox\.sqlite was removed or replaced\. If you restore a copy/,
    },
    'the database was replaced': {
      lose: (folder) => run('sh', '-c', 'cp "$0" "$0.copy" && mv "$0.copy" "$0"', database(folder)),
      says: /inbox\.sqlite was removed or replaced/,
    },
    ...Object.fromEntries(
      ['from before the start', ...Object.keys(copies)].map((copy) => [
        `a copy was written over the database, ${copy}`,
        {
          lose: (folder: string, copied: Record<string, string>) =>
            run('cp', copied[copy]!, database(folder)),
          says: /inbox\.sqlite was removed or replaced/,
        },
      ]),
    ),
    'the database was cut': {
      lose: (folder) => run('truncate', '-s', '8192', database(folder)),
      says: /inbox\.sqlite was removed or replaced/,
    },
    'the log was removed': {
      lose: (folder) => rmSync(`${database(folder)}-wal`),
      says: /-wal was removed/,
    },
    'the log was cut': {
      lose: (folder) => run('truncate', '-s', '0', `${database(folder)}-wal`),
      says: /-wal was cut or overwritten/,
    },
    'the log was overwritten': {
      lose: (folder) =>
        run(
          'dd',
          'if=/dev/zero',
          `of=${database(folder)}-wal`,
          'bs=32',
          'count=1',
          'conv=notrunc',
          'status=none',
        ),
      says: /-wal was cut or overwritten/,
    },
    'the index was removed': {
      lose: (folder) => rmSync(`${database(folder)}-shm`),
      says: /-shm was removed/,
    },
    'the lock was removed': {
      lose: (folder) => rmSync(join(folder, 'receiver.lock')),
      says: /receiver\.lock was removed/,
    },
    'the folder was renamed': {
      lose: (folder) => renameSync(folder, `${folder}.renamed`),
      says: /was removed or replaced/,
    },
    ...(process.platform === 'linux' && {
      'the database was opened and closed in this process': {
        lose: (folder) => openAndClose(database(folder)),
        says: /something in this process has opened and closed .*inbox\.sqlite,/,
      },
      'the index was opened and closed in this process': {
        lose: (folder) => openAndClose(`${database(folder)}-shm`),
        says: /something in this process has opened and closed .*-shm,/,
      },
    }),
  };

  test.each(Object.entries(losses))('when %s', async (_name, { lose, says }) => {
    const { inbox, lost, folder, copied } = await openWithCopies();
    lose(folder, copied);

    expect(await rejection(inbox.accept(incoming('arbitrary')))).toMatchObject({
      code: 'INBOX_WRITE_FAILED',
    });
    expect(await lost).toMatchObject({ code: 'INBOX_LOST', message: expect.stringMatching(says) as string });
  });

  // All at once, because an inbox that has nothing to do looks at its files once a second.
  test('when nothing is written meanwhile', async () => {
    await Promise.all(
      Object.values(losses).map(async ({ lose, says }) => {
        const { lost, folder, copied } = await openWithCopies();
        lose(folder, copied);
        expect(await lost).toMatchObject({
          code: 'INBOX_LOST',
          message: expect.stringMatching(says) as string,
        });
      }),
    );
  });

  test('and what a removed log has is in the database', async () => {
    const { inbox, lost, folder } = await openWithCopies();
    rmSync(`${database(folder)}-wal`);
    await lost;
    const copy = join(makeFolder(), 'inbox.sqlite');
    run('cp', database(folder), copy);
    await inbox.close();

    expect(await (await openEmbedded(dirname(copy))).operations.count({})).toMatchObject({ waiting: 2 });
  });

  test('when a page is damaged', async () => {
    const folder = await makeInbox(50);
    const file = join(folder, 'inbox.sqlite');
    const { inbox, lost } = await openUntilLost(folder);
    run(
      'dd',
      'if=/dev/zero',
      `of=${file}`,
      'bs=8192',
      'seek=1',
      `count=${statSync(file).size / 8_192 - 1}`,
      'conv=notrunc,fsync',
      'status=none',
    );
    Claims.begin(inbox);
    inbox.grant(50);

    expect(await lost).toMatchObject({ code: 'INBOX_DAMAGED' });
    expect(dirname(inbox.location)).toBe(folder);
  });
});
