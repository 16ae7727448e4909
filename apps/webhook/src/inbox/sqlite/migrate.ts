import { renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

import { ReceiverError } from '../../errors.js';
import { lackingOf, Migrations, type Upgrade } from '../migrations.js';
import { makeFile, removePartial } from './inbox-files.js';

const MIGRATIONS = new Migrations('sqlite');

/** What the disk must have left beside the copy of an inbox, in bytes. */
const MARGIN = 67_108_864;

/** The tables are of an earlier version, and whoever opens the inbox may not change that. */
export class UpgradeNeeded extends Error {
  constructor(readonly upgrade: Upgrade) {
    super(`The inbox has tables of version ${upgrade.from}.`);
  }
}

/**
 * Brings the tables of an embedded inbox to the version of this receiver, in one transaction. A copy of an inbox with tables
 * of an earlier version is kept beside it, as `….version-11`.
 *
 * @param file of the database, which nobody else has open
 * @param mayUpgrade whether tables of an earlier version are changed
 * @throws UpgradeNeeded
 * @throws ReceiverError `INBOX_UNUSABLE`
 */
export function migrate(
  database: DatabaseSyncInstance,
  file: string,
  mayUpgrade = true,
  migrations = MIGRATIONS,
): void {
  const version = versionOf(database, file, migrations);
  if (version === migrations.version) return;
  if (version > 0) {
    if (!mayUpgrade) throw new UpgradeNeeded({ from: version, to: migrations.version });
    keepCopy(database, file, version);
  }
  // Off, so that a step can replace a table: to drop one deletes what refers to its rows.
  database.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
  try {
    for (const step of migrations.from(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${migrations.version}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  database.exec('PRAGMA foreign_keys = ON');
}

/** What a database has that statements need, a line for each. */
const OBJECTS = `
  SELECT type || ' ' || name AS object FROM sqlite_master WHERE type <> 'view' AND name NOT LIKE 'sqlite%'
  UNION ALL SELECT 'column ' || t.name || '.' || c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c
  WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'`;

const objectsOf = (database: DatabaseSyncInstance): string[] =>
  (database.prepare(OBJECTS).all() as { object: string }[]).map(({ object }) => object);

/** What the migrations make. */
let needed: readonly string[] | undefined;

function findNeeded(): readonly string[] {
  const database = new DatabaseSync(':memory:');
  try {
    for (const step of MIGRATIONS.from(0)) database.exec(step);
    return objectsOf(database);
  } finally {
    database.close();
  }
}

/**
 * Makes sure that a database has all that the migrations have made.
 *
 * @throws Error with what it {@link LACKS}
 */
export function requireObjects(database: DatabaseSyncInstance): void {
  needed ??= findNeeded();
  const lacking = lackingOf(needed, objectsOf(database));
  if (lacking.length === 0 && database.prepare('SELECT 1 FROM inbox_state').all().length !== 1)
    lacking.push('the one row of inbox_state');
  if (lacking.length > 0) throw new Error(`${LACKS} ${lacking.join(', ')}`);
}

/** How a message begins that says what is missing. */
export const LACKS = 'it lacks';

/** For whoever only reads: makes sure that the tables are of this version. */
export function requireVersion(database: DatabaseSyncInstance, file: string): void {
  const version = versionOf(database, file, MIGRATIONS);
  if (version === 0) throw new Error(`${file} has no tables`);
  MIGRATIONS.requireNewest(version, `in ${dirname(file)}`);
}

/** The version of a file's tables; 0 for a file without tables. */
function versionOf(database: DatabaseSyncInstance, file: string, migrations: Migrations): number {
  const [row] = database.prepare('PRAGMA user_version').all() as { user_version: number }[];
  const version = row!.user_version;
  migrations.requireKnown(version, `in ${dirname(file)}`);
  return version;
}

/** Has its name only when it is whole. Not a copy of the file: what others keep in the log would not be in it. */
function keepCopy(database: DatabaseSyncInstance, file: string, version: number): void {
  const copy = `${file}.version-${version}`;
  const partial = `${copy}.partial`;
  // Of a start that was killed, before its copy was whole or after. Both would take the room that this one needs.
  removePartial(partial);
  rmSync(copy, { force: true });
  requireRoom(database, file, version);
  try {
    makeFile(partial);
    database.prepare('VACUUM INTO ?').run(partial);
    renameSync(partial, copy);
  } catch (error) {
    // The disk may be full.
    removePartial(partial);
    throw error;
  }
}

/** The copy of a full disk would fail after minutes. */
function requireRoom(database: DatabaseSyncInstance, file: string, version: number): void {
  const [row] = database
    .prepare(
      `SELECT page_size * (page_count - freelist_count) AS bytes
      FROM pragma_page_size, pragma_page_count, pragma_freelist_count`,
    )
    .all() as { bytes: number }[];
  const { bytes } = row!;
  const needed = bytes + MARGIN;
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize >= needed) return;
  throw new ReceiverError(
    'INBOX_UNUSABLE',
    `The disk of ${dirname(file)} has ${bavail * bsize} bytes left, and ${needed} are needed: before the inbox is brought from version ${version} to another one, it is copied to ${file}.version-${version}. Make room, or start the earlier receiver again: the inbox is as it was.`,
  );
}
