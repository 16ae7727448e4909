import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import Database from 'libsql';

import { damaged } from './damage.js';
import { prepareOperationStatements } from './operation-statements.js';
import { SCHEMA_VERSION } from './sqlite-schema.js';
import { type Position, preparePosition, prepareStatements } from './sqlite-statements.js';

/** How long to wait for a lock of another program, in milliseconds: somebody may be looking at the file. */
export const BUSY_TIMEOUT = 250;

/**
 * Refuses a database that is damaged, or from which deliveries are missing. It is opened for reading only: when the
 * process ends, SQLite would move what it can read of the write-ahead log to the database, and delete the log.
 *
 * @param lastAccepted the last id that the database must have
 */
export function checkDatabase(folder: string, file: string, lastAccepted: number): void {
  requireContent(folder, file, lastAccepted);
  // Anything else can't be opened for writing, which is reported then.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  try {
    readDatabase(folder, file, lastAccepted);
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'SQLITE_READONLY_ROLLBACK') throw cause;
    rollBack(file);
    readDatabase(folder, file, lastAccepted);
  }
}

/** With a database file that is missing or empty, SQLite would delete the write-ahead log. */
function requireContent(folder: string, file: string, lastAccepted: number): void {
  const size = sizeOf(file);
  if (size !== undefined && size > 0) return;
  if (lastAccepted > 0 || (sizeOf(`${file}-wal`) ?? 0) > 0)
    throw damaged(folder, `${file} is ${size === undefined ? 'missing' : 'empty'}`);
}

/** Undefined if there is no such file. */
function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** Undoes the transaction with which a new file begins. The start that made the file ended before its commit. */
function rollBack(file: string): void {
  const database = new Database(file);
  try {
    database.prepare('PRAGMA user_version').get();
  } finally {
    database.close();
  }
}

/** @param lastAccepted the last id that the database must have */
function readDatabase(folder: string, file: string, lastAccepted: number): void {
  const database = openForReading(file);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    const version = versionOf(database, file);
    if (version === 0) {
      if (lastAccepted > 0) throw damaged(folder, `${file} has lost its tables`);
      return;
    }
    requirePosition(readTables(folder, file, database, version), folder, file, lastAccepted);
  } finally {
    database.close();
  }
}

/**
 * Tables that say what became of deliveries. A row that is missing, or too many, would make a delivery count as handled
 * or discarded.
 */
const OUTCOME_TABLES = ['progress', 'backlog', 'parked', 'discarded'];

/** Checks the pages and the indexes of a table: about 0.6 µs for each row. */
function requireSound(folder: string, file: string, database: Database.Database, table: string): void {
  const [first] = database.prepare(`PRAGMA integrity_check(${table})`).all([]) as {
    integrity_check: string;
  }[];
  const lines = first?.integrity_check.split('\n').filter((line) => !line.startsWith('***')) ?? [];
  if (lines[0] !== 'ok') throw damaged(folder, `the table "${table}" of ${file} has this fault: ${lines[0]}`);
}

/** Reads what every start reads. */
function readTables(
  folder: string,
  file: string,
  database: Database.Database,
  version: number,
): Position | undefined {
  try {
    // A file of an earlier version lacks some of them.
    if (version < SCHEMA_VERSION) return preparePosition(database)();
    for (const table of OUTCOME_TABLES) requireSound(folder, file, database, table);
    const statements = prepareStatements(database);
    const position = statements.position();
    if (position !== undefined) prepareOperationStatements(database).count(position.lastId);
    statements.nextDueAt(-1);
    return position;
  } catch (cause) {
    // A table or a column is missing.
    if ((cause as { code?: string }).code !== 'SQLITE_ERROR') throw cause;
    throw damaged(folder, `${file}: ${(cause as Error).message}`, cause);
  }
}

/** @param lastAccepted the last id that the database must have */
function requirePosition(
  position: Position | undefined,
  folder: string,
  file: string,
  lastAccepted: number,
): void {
  if (position === undefined) throw damaged(folder, `the table "progress" of ${file} doesn't have one row`);
  const { lastId } = position;
  if (lastId < lastAccepted)
    throw damaged(folder, `${file} ends with delivery ${lastId}, but ${lastAccepted} was acknowledged`);
}

/** libsql ignores its option `readonly`. */
export function openForReading(file: string): Database.Database {
  return new Database(`${pathToFileURL(file).href}?mode=ro`);
}

/** The version of a file's tables, if this receiver knows it. */
export function versionOf(database: Database.Database, file: string): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version >= 0 && version <= SCHEMA_VERSION) return version;
  throw new Error(`${file} has tables of version ${version}; this receiver knows version ${SCHEMA_VERSION}`);
}
