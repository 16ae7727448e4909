import { renameSync } from 'node:fs';
import { dirname } from 'node:path';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { Migrations } from '../migrations.js';
import { makeFile, removePartial } from './inbox-files.js';

const migrations = new Migrations('sqlite');

/**
 * Brings the tables of an embedded inbox to the version of this receiver, in one transaction. A copy of an inbox with tables
 * of an earlier version is kept beside it, as `….version-6`.
 *
 * @param file of the database, which nobody else has open
 */
export function migrate(database: DatabaseSyncInstance, file: string): void {
  const version = versionOf(database, file);
  if (version === migrations.version) return;
  if (version > 0) keepCopy(database, file, version);
  // Off while tables are replaced: to drop one deletes what refers to its rows.
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

/** For whoever only reads: makes sure that the tables are of this version. */
export function requireVersion(database: DatabaseSyncInstance, file: string): void {
  const version = versionOf(database, file);
  if (version === 0) throw new Error(`${file} has no tables`);
  migrations.requireNewest(version, `in ${dirname(file)}`);
}

/** The version of a file's tables; 0 for a file without tables. */
function versionOf(database: DatabaseSyncInstance, file: string): number {
  const [row] = database.prepare('PRAGMA user_version').all() as { user_version: number }[];
  const version = row!.user_version;
  migrations.requireKnown(version, `in ${dirname(file)}`);
  return version;
}

/** Has its name only when it is whole. Not a copy of the file: what others keep in the log would not be in it. */
function keepCopy(database: DatabaseSyncInstance, file: string, version: number): void {
  const copy = `${file}.version-${version}`;
  const partial = `${copy}.partial`;
  removePartial(partial);
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
