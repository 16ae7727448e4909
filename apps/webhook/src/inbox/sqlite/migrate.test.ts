import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { Migrations } from '../migrations.js';
import { migrate } from './migrate.js';

/** Files of tables that a test needs: the second one changes those of the first. */
function makeMigrations(): Migrations {
  const folder = makeFolder();
  writeFileSync(join(folder, 'sqlite-1.sql'), 'CREATE TABLE plant (name TEXT)');
  writeFileSync(join(folder, 'sqlite-2.sql'), `INSERT INTO plant VALUES ('of version 2')`);
  return new Migrations('sqlite', pathToFileURL(`${folder}/`));
}

const rowsIn = (database: DatabaseSyncInstance): unknown[] =>
  database.prepare('SELECT name FROM plant', { returnArrays: true }).all();

/** A database of version 1 with a row that is only in its log. */
function makeEarlier(): { file: string; database: DatabaseSyncInstance } {
  const file = join(makeFolder(), 'inbox.sqlite');
  const database = new DatabaseSync(file);
  afterThisTest(() => database.close());
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE plant (name TEXT); INSERT INTO plant VALUES ('kept');
    PRAGMA user_version = 1`);
  return { file, database };
}

const filesBeside = (file: string): string => readdirSync(join(file, '..')).join();

test('an inbox of an earlier version is copied first, whole, though an earlier start was interrupted', () => {
  const { file, database } = makeEarlier();
  const copy = `${file}.version-1`;
  for (const name of [copy, `${copy}.partial`, `${copy}.partial-journal`])
    writeFileSync(name, 'a part of a copy');

  migrate(database, file, true, makeMigrations());

  expect(rowsIn(database)).toEqual([['kept'], ['of version 2']]);
  expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 2 });
  expect(filesBeside(file)).not.toContain('partial');
  const copied = new DatabaseSync(copy);
  afterThisTest(() => copied.close());
  expect(rowsIn(copied)).toEqual([['kept']]);
  expect(copied.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 1 });
});

test('a copy that fails leaves nothing behind, and the inbox as it is', () => {
  const { file, database } = makeEarlier();
  mkdirSync(`${file}.version-1`);

  expect(() => migrate(database, file, true, makeMigrations())).toThrow();

  expect(filesBeside(file)).not.toContain('partial');
  expect(rowsIn(database)).toEqual([['kept']]);
  expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 1 });
});
