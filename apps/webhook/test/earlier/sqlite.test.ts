import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

import { openInbox } from '../../src/inbox/open-inbox.js';
import { copyInbox } from '../copy-inbox.js';
import { rejection } from '../rejection.js';
import { ATTEMPT_COLUMNS, COLUMNS, earlierInboxSuite, type Stored } from './earlier-inbox.suite.js';

const SQL = readFileSync(new URL('sqlite-6.sql', import.meta.url), 'utf8');
const STEP = readFileSync(new URL('../../migrations/sqlite-7.sql', import.meta.url), 'utf8');

/** Does something with the database in a file. */
function use<Result>(file: string, work: (database: DatabaseSyncInstance) => Result): Result {
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const folderOf = (url: string): string => url.replace(/^file:/, '');
const fileOf = (url: string): string => join(folderOf(url), 'inbox.sqlite');

async function make(step = ''): Promise<string> {
  const folder = makeFolder();
  // Copied while it is open: a receiver that was killed leaves its write-ahead log behind.
  return use(fileOf(folder), (database) => {
    database.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; BEGIN; ${SQL} ${step} COMMIT`);
    return `file:${copyInbox(folder)}`;
  });
}

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
  writeFileSync(backup, 'a part of a backup');
  const reader = new DatabaseSync(fileOf(folder));
  afterThisTest(() => reader.close());
  reader.exec('PRAGMA journal_mode = WAL; BEGIN; SELECT * FROM sqlite_schema');
  // All of it is in the write-ahead log, and stays there.
  use(fileOf(folder), (database) => database.exec(SQL));
  const before = readFile(fileOf(folder));

  const inbox = await openInbox(`file:${folder}`);
  afterThisTest(() => inbox.close());

  expect(readFile(backup)).toEqual(before);
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
