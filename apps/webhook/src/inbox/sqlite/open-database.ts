import { accessSync, constants, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

import { systemReason } from '@plant-store/command/system-reason';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

import { ReceiverError } from '../../errors.js';
import type { Sql } from '../sql.js';
import type { Row } from '../store.js';
import { drawIdentity, ownNextLog, requireOwnLog } from './identity.js';
import { INBOX_FILES, makeFile, makeFolders, syncFolders, unusableFiles } from './inbox-files.js';
import { LACKS, migrate, requireObjects, requireVersion, UpgradeNeeded } from './migrate.js';
import { OpenFiles } from './open-files.js';
import { isBusy, isDamage, isFull, MAKE_ROOM } from './sqlite-errors.js';

/** How long to wait for a lock of another program, in milliseconds: somebody may be looking at the file. */
const BUSY_TIMEOUT = 250;

/** How large the write-ahead log stays after a checkpoint, in bytes. */
const MAX_LOG_BYTES = 16 * 1_048_576;

/** What SQLite says of a statement whose table or column is not there, and what we say. */
const LACKS_SCHEMA = new RegExp(`^(?:no such (?:table|column)|${LACKS} )`);

/** The open database of an embedded inbox. */
export interface OpenDatabase {
  readonly database: DatabaseSyncInstance;
  readonly close: () => void;
}

/** The open database of a receiver, and its files. */
export interface OwnedDatabase extends OpenDatabase {
  readonly files: OpenFiles;
}

/**
 * Opens the inbox in a folder, and creates both if they are missing. Only one process has it open at a time: the
 * operating system holds the lock and releases it when the process ends, however that happens.
 *
 * @param mayUpgrade whether tables of an earlier version are changed, which may take minutes
 * @throws UpgradeNeeded
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`, `INBOX_DAMAGED`; nothing is then left open
 */
export function openDatabase(folder: string, mayUpgrade = true): OwnedDatabase {
  const file = join(folder, INBOX_FILES.database);
  const opened: DatabaseSyncInstance[] = [];
  const open = (path: string): DatabaseSyncInstance => {
    const database = new DatabaseSync(path);
    opened.unshift(database);
    return database;
  };
  const close = (): void => opened.splice(0).forEach((database) => database.close());
  try {
    const made = makeFolders(folder);
    const lock = join(folder, INBOX_FILES.lock);
    makeFile(lock);
    takeLock(open(lock), folder);
    if (!existsSync(file)) requireOwnLog(folder, undefined);
    makeFile(file);
    // The end of the thread closes it. To close any descriptor of a database takes away the locks that SQLite has on it in
    // this process, and SQLite has them until its statements are gone.
    const descriptor = openSync(file, 'r');
    requireOwnLog(folder, descriptor);
    ownNextLog(folder, descriptor);
    const database = open(file);
    prepare(database, file, mayUpgrade);
    const files = new OpenFiles(folder, database, descriptor, drawIdentity(database, folder, descriptor));
    syncFolders(folder, made ?? folder);
    return { database, files, close };
  } catch (cause) {
    close();
    throw cause instanceof UpgradeNeeded ? cause : openingError(folder, cause);
  }
}

/**
 * Opens the database of an inbox for reading only, beside the receiver that may have it open.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_DAMAGED`
 */
export function openForReading(folder: string): OpenDatabase {
  const file = join(folder, INBOX_FILES.database);
  try {
    // SQLite would make a log of this user, which the receiver then can't write.
    if (!existsSync(`${file}-shm`)) accessSync(file, constants.W_OK);
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT });
    requireVersion(database, file);
    return { database, close: () => database.close() };
  } catch (cause) {
    throw openingError(folder, cause);
  }
}

/**
 * Opens the database for reading only, for the main thread. While it is open, SQLite doesn't move the log into the
 * database when the process ends. It does so with the last connection, also where a thread is ended because the database
 * was replaced, and would destroy what somebody has restored.
 */
export function openGuard(folder: string): DatabaseSyncInstance {
  const guard = new DatabaseSync(join(folder, INBOX_FILES.database), {
    readOnly: true,
    timeout: BUSY_TIMEOUT,
  });
  // Not prepared: SQLite keeps a database open as long as it has statements, and these go when memory is collected.
  guard.exec('SELECT 1 FROM inbox_state');
  return guard;
}

/** What an opening that failed throws. */
export function openingError(folder: string, cause: unknown): ReceiverError {
  if (cause instanceof ReceiverError) return cause;
  const message = systemReason(cause);
  if (isDamage(cause) || LACKS_SCHEMA.test(message))
    return new ReceiverError(
      'INBOX_DAMAGED',
      `The inbox in ${folder} is damaged: ${message}. Restore a backup, as docs/how-to/back-up.md says under "When the inbox is damaged".`,
      { cause },
    );
  if (isFull(cause))
    return new ReceiverError(
      'INBOX_UNUSABLE',
      `The inbox in ${folder} cannot be used: ${message}. ${MAKE_ROOM}`,
      { cause },
    );
  return new ReceiverError(
    'INBOX_UNUSABLE',
    `The inbox in ${folder} cannot be used: ${message}.${unusableFiles(folder)} Check that the folder exists and that this user may write it and its files, or set INBOX_URL to another folder.`,
    { cause },
  );
}

function takeLock(lock: DatabaseSyncInstance, folder: string): void {
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    if (isDamage(cause))
      throw new ReceiverError(
        'INBOX_UNUSABLE',
        `${join(folder, INBOX_FILES.lock)} is not the lock of an inbox: ${(cause as Error).message}. It has no data: delete it while no receiver runs.`,
        { cause },
      );
    if (!isBusy(cause)) throw cause;
    throw new ReceiverError(
      'INBOX_IN_USE',
      `Another receiver uses the inbox in ${folder}. Stop it, or set INBOX_URL to another folder.`,
      { cause },
    );
  }
  // If the file can't be written, SQLite takes no lock and reports it only to a statement that would write.
  lock.exec('PRAGMA incremental_vacuum');
}

function prepare(database: DatabaseSyncInstance, file: string, mayUpgrade: boolean): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  // Several contents fit into a page, which halves the writes. Only a new file takes this size.
  database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  // While somebody reads, the log grows. Without a limit it keeps its largest size until the next start.
  database.exec(`PRAGMA journal_size_limit = ${MAX_LOG_BYTES}`);
  // What was deleted can't be read in the file any more. Pages that become free are overwritten with zeros.
  database.exec('PRAGMA secure_delete = ON');
  // What a transaction keeps beside needs no other disk.
  database.exec('PRAGMA temp_store = MEMORY');
  migrate(database, file, mayUpgrade);
  requireObjects(database);
  // A file that can't be written is opened for reading, and a statement that would write reports it.
  database.exec('UPDATE inbox_state SET probed_at = NULL');
}

/** Runs writes in one transaction: durable on return, undone if they throw. */
export function inTransaction<Result>(database: DatabaseSyncInstance, write: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = write();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Moves the write-ahead log into the file, and empties it. Returns whether that was possible: others may read. */
export function emptyLog(database: DatabaseSyncInstance): boolean {
  const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
  return row.busy === 0;
}

/** Runs statements, and returns the rows of the last one. */
export function runAll(database: DatabaseSyncInstance, statements: readonly Sql[]): Row[] {
  let rows: Row[] = [];
  for (const { text, values } of statements) {
    const statement = database.prepare(text.replaceAll(/\$(?=\d)/g, '?'));
    rows = statement.all(...values) as Row[];
  }
  return rows;
}
