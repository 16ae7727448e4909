import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { createInbox, openInbox } from '../../src/inbox/open-inbox.js';
import { copyInbox } from '../copy-inbox.js';
import { rejection } from '../rejection.js';
import { ATTEMPT_COLUMNS, COLUMNS, earlierInboxSuite, type Stored } from './earlier-inbox.suite.js';
import { fileOf, folderOf, make, SQL, STEP, use } from './make-sqlite.js';

const readFile = (file: string): Stored =>
  use(file, (database) => ({
    deliveries: database
      .prepare(`SELECT ${COLUMNS}, lower(hex(content)) AS content FROM delivery ORDER BY id`)
      .all(),
    attempts: database.prepare(`SELECT ${ATTEMPT_COLUMNS} FROM attempt ORDER BY id`).all(),
  }));

/** Reads a copy: to close a database moves its write-ahead log into its file. */
const read = async (url: string): Promise<Stored> => readFile(fileOf(copyInbox(folderOf(url))));

describe.each([
  [6, ''],
  [7, `${STEP} PRAGMA user_version = 7;`],
])('version %d', (version, step) =>
  earlierInboxSuite(`an embedded inbox of version ${version}`, {
    make: () => make(step),
    read,
    setVersion: async (url, version) =>
      use(fileOf(url), (database) => database.exec(`PRAGMA user_version = ${version}`)),
  }),
);

test('an embedded inbox of version 6 is backed up first: whole, though somebody reads and an earlier start was interrupted', async () => {
  const folder = makeFolder();
  const backup = `${fileOf(folder)}.version-6`;
  for (const name of [backup, `${backup}.partial`, `${backup}.partial-journal`])
    writeFileSync(name, 'a part of a backup');
  const reader = new DatabaseSync(fileOf(folder));
  afterThisTest(() => reader.close());
  reader.exec('PRAGMA journal_mode = WAL; BEGIN; SELECT * FROM sqlite_schema');
  // All of it is in the write-ahead log, and stays there.
  use(fileOf(folder), (database) => database.exec(SQL));
  const before = readFile(fileOf(folder));

  const inbox = await openInbox(`file:${folder}`);
  afterThisTest(() => inbox.close());

  expect(readFile(backup)).toEqual(before);
  expect(readdirSync(folder).join()).not.toContain('partial');
  expect(use(backup, (database): unknown => database.prepare('PRAGMA user_version').get())).toMatchObject({
    user_version: 6,
  });
});

test('a backup that fails leaves nothing behind, and the inbox as it is', async () => {
  const url = await make();
  mkdirSync(`${fileOf(folderOf(url))}.version-6`);

  expect(await rejection(openInbox(url))).toMatchObject({ code: 'INBOX_UNUSABLE' });
  expect(readdirSync(folderOf(url)).join()).not.toContain('partial');
  expect(
    use(fileOf(folderOf(url)), (database): unknown => database.prepare('PRAGMA user_version').get()),
  ).toMatchObject({
    user_version: 6,
  });
});

test('an upgrade that is killed at whatever moment leaves the inbox as it was, and the next start takes it along', async () => {
  const url = await make();
  const folder = folderOf(url);
  use(fileOf(folder), (database) =>
    database.exec(`WITH RECURSIVE number (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM number WHERE n < 4000)
      INSERT INTO delivery (id, state, received_at, due_at, attempts, receiver, method, fields, content)
      SELECT n, 'parked', 1, 1, 1, '', 'PUT', '[]', zeroblob(8000) FROM number;`),
  );
  const before = await read(url);
  const has = (end: string) => () => readdirSync(folder).some((name) => name.endsWith(end));

  const moments = ['.partial', '.partial-journal', '.version-6', '.partial'].map(has);
  for (const isReached of [() => true, ...moments]) {
    const inbox = await createInbox(url);
    const opening = inbox.open().then(
      () => undefined,
      (error: unknown) => error,
    );
    let isOver = false as boolean;
    void opening.then(() => (isOver = true));
    while (!isOver && !isReached()) await new Promise(setImmediate);
    await inbox.close();

    // On a busy machine it may have ended before.
    const error = await opening;
    if (error === undefined) break;
    expect(error).toMatchObject({ code: 'INBOX_CLOSED' });
    expect(await read(url)).toEqual(before);
    // Two copies would need twice the room.
    expect(has('.version-6')() && has('.partial')()).toBe(false);
  }

  const inbox = await openInbox(url);
  afterThisTest(() => inbox.close());
  expect(await inbox.stats()).toMatchObject({ parked: 3_902, discarded: 1 });
  expect(readdirSync(folder).join()).not.toContain('partial');
});
