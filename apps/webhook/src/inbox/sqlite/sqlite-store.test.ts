import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { asAnotherUser } from '../../../test/as-another-user.js';
import {
  act,
  all,
  Claims,
  failed,
  HANDLED,
  incoming,
  openEmbedded,
  PARKED,
} from '../../../test/open-inbox.js';
import { rejection } from '../../../test/rejection.js';
import type { ReceiverError } from '../../errors.js';
import type { AttemptResult } from '../delivery.js';
import type { Inbox } from '../inbox.js';
import { openInbox } from '../open-inbox.js';
import { openDatabase } from './open-database.js';

/** Opens an inbox, and resolves when its files can't be trusted any more. */
async function openUntilLost(folder: string): Promise<{ inbox: Inbox; lost: Promise<ReceiverError> }> {
  let onLost: (error: ReceiverError) => void;
  const lost = new Promise<ReceiverError>((resolve) => (onLost = resolve));
  const inbox = await openInbox(`file:${folder}`, { onLost: (error) => onLost(error) });
  afterThisTest(() => inbox.close());
  return { inbox, lost };
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
      'unable to open database file',
    ],
  ])('is refused if its folder %s', async (_name, make, says) => {
    const folder = join(makeFolder(), 'inbox');
    make(folder);

    const error = (await refusal(folder)) as ReceiverError;
    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(error.message).toContain(says);
  });

  test('is refused if a table is missing', async () => {
    const folder = await makeInbox(1);
    const database = new DatabaseSync(join(folder, 'inbox.sqlite'));
    database.exec('PRAGMA foreign_keys = OFF; DROP TABLE attempt');
    database.close();

    expect(await refusal(folder)).toMatchObject({
      code: 'INBOX_DAMAGED',
      message: expect.stringContaining(`The inbox in ${folder} is damaged: no such table: attempt.`),
    });
  });

  test('is refused if this user may not write the folder', async () => {
    const folder = await makeInbox(1);

    expect(() => asAnotherUser(() => openDatabase(folder))).toThrow(
      expect.objectContaining({ code: 'INBOX_UNUSABLE' }) as Error,
    );
  });

  test('is refused if the tables are too old, and says how to take them along', async () => {
    const folder = makeFolder();
    const database = new DatabaseSync(join(folder, 'inbox.sqlite'));
    database.exec('PRAGMA user_version = 5');
    database.close();

    const error = (await refusal(folder)) as ReceiverError;
    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(error.message).toMatch(/version 5, which is too old\. Take it along with "plant-inbox export"/);
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
        readFileSync(join(folder, name)).toString('latin1').split(SECRET).length - 1,
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

    await act(inbox, 'discard', all());

    expect(countIn(folder)).toEqual(NOWHERE);
  });

  test('by discarding while somebody reads the file is gone from its log when that has ended', async () => {
    const { folder, inbox } = await fill(PARKED);
    const reader = new DatabaseSync(join(folder, 'inbox.sqlite'));
    afterThisTest(() => reader.close());
    reader.exec('BEGIN; SELECT count(*) FROM delivery');

    await act(inbox, 'discard', all());
    expect(countIn(folder)).not.toEqual(NOWHERE);
    reader.exec('ROLLBACK');
    await inbox.forgetDeleted();

    expect(countIn(folder)).toEqual(NOWHERE);
  });

  test('by the retention is in no file of the inbox any more', async () => {
    const { folder, inbox } = await fill(HANDLED);
    await act(inbox, 'discard', all());
    const retention = { maxAge: 0, maxBytes: 0, maxEventAge: 0 };

    while ((await inbox.removeExpired(retention)) > 0);
    await inbox.forgetDeleted();

    expect(await inbox.list({}, { order: 'oldest first', limit: 1 })).toEqual([]);
    expect(countIn(folder)).toEqual(NOWHERE);
  });

  test('has left space in the file, which counts as free', async () => {
    const { inbox } = await fill(PARKED);
    const before = await inbox.size();

    await act(inbox, 'discard', all());

    const { inUse, free } = await inbox.size();
    expect(free - before.free).toBe(before.inUse - inUse);
    expect(free).toBeGreaterThan(2 * SECRET.length * 5_000);
  });
});

describe('the process is told', () => {
  const replace = (file: string): void => {
    cpSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  };

  const losses: Record<string, { lose: (folder: string) => void; says: string }> = {
    'the database was removed': {
      lose: (folder) => rmSync(join(folder, 'inbox.sqlite')),
      says: 'inbox.sqlite was removed',
    },
    'the database was replaced': {
      lose: (folder) => replace(join(folder, 'inbox.sqlite')),
      says: 'inbox.sqlite was removed',
    },
    'the log was removed': {
      lose: (folder) => rmSync(join(folder, 'inbox.sqlite-wal')),
      says: '-wal was removed',
    },
    'the lock was removed': {
      lose: (folder) => rmSync(join(folder, 'receiver.lock')),
      says: 'receiver.lock was removed',
    },
    'the folder was renamed': {
      lose: (folder) => renameSync(folder, `${folder}.renamed`),
      says: 'was removed or replaced',
    },
  };

  // All at once, because an inbox looks at its files once a second.
  test('when the database, its log, its lock or its folder is removed or replaced', async () => {
    const told = await Promise.all(
      Object.entries(losses).map(async ([name, { lose }]) => {
        const folder = join(makeFolder(), 'inbox');
        const { inbox, lost } = await openUntilLost(folder);
        await inbox.accept(incoming('arbitrary'));
        lose(folder);
        return [name, await lost] as const;
      }),
    );

    for (const [name, { code, message }] of told)
      expect([name, code, message]).toEqual([
        name,
        'INBOX_LOST',
        expect.stringContaining(losses[name]!.says),
      ]);
  });

  test('when a page is damaged', async () => {
    const folder = await makeInbox(50);
    const file = join(folder, 'inbox.sqlite');
    const { inbox, lost } = await openUntilLost(folder);
    writeFileSync(file, Buffer.alloc(statSync(file).size - 8_192, 0xff), { flag: 'r+', flush: true });
    Claims.begin(inbox);
    inbox.grant(50);

    expect(await lost).toMatchObject({ code: 'INBOX_DAMAGED' });
    expect(dirname(inbox.location)).toBe(folder);
  });
});
