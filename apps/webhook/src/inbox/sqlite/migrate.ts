import { copyFileSync, readFileSync, renameSync } from 'node:fs';

import type Database from 'libsql';

/** The first version that an inbox can be migrated from, and that of this receiver. */
const FIRST_VERSION = 6;
const VERSION = 7;

/**
 * Brings the tables of an embedded inbox to the version of this receiver: each step is a file of `migrations/`, and all of
 * them are one transaction. A copy of an inbox with tables of an earlier version is kept beside it, as `….version-6`.
 *
 * @param file of the database, which nobody else has open
 */
export function migrate(database: Database.Database, file: string): void {
  const version = versionOf(database, file);
  if (version === VERSION) return;
  if (version > 0) keepCopy(database, file, version);
  // Off while tables are replaced: to drop one deletes what refers to its rows.
  database.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
  try {
    for (let next = Math.max(version + 1, FIRST_VERSION); next <= VERSION; next += 1)
      database.exec(readFileSync(new URL(`../../../migrations/sqlite-${next}.sql`, import.meta.url), 'utf8'));
    database.exec(`PRAGMA user_version = ${VERSION}; COMMIT`);
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
  database.exec('PRAGMA foreign_keys = ON');
}

/** For whoever only reads: makes sure that the tables are of this version. */
export function requireVersion(database: Database.Database, file: string): void {
  const version = versionOf(database, file);
  if (version === VERSION) return;
  throw new Error(
    version === 0
      ? `${file} has no tables`
      : `${file} has tables of version ${version}. Start the receiver, which brings them to version ${VERSION}`,
  );
}

/** The version of a file's tables; 0 for a file without tables. */
function versionOf(database: Database.Database, file: string): number {
  const [row] = database.prepare('PRAGMA user_version').all([]) as { user_version: number }[];
  const version = row!.user_version;
  if (version === 0 || (version >= FIRST_VERSION && version <= VERSION)) return version;
  throw new Error(
    version > VERSION
      ? `${file} has tables of version ${version}, and this receiver knows version ${VERSION}. Start a receiver that is as new as the one that made them`
      : `${file} has tables of version ${version}, which is too old. Take it along with "plant-inbox export" of that receiver, and "plant-inbox import" of this one, into another folder`,
  );
}

/** Has its name only when it is whole. */
function keepCopy(database: Database.Database, file: string, version: number): void {
  const copy = `${file}.version-${version}`;
  // What is in the log only would not be in the copy.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  copyFileSync(file, `${copy}.partial`);
  renameSync(`${copy}.partial`, copy);
}
