import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'libsql';

import { ReceiverError } from '../errors.js';
import { SCHEMA_VERSION, schemaSince } from './sqlite-schema.js';
import { type InboxStatements, prepareStatements, prepareTransaction } from './sqlite-statements.js';
import { UnderWay } from './under-way.js';

/** How long to wait for a lock of another program, in milliseconds: somebody may be looking at the file. */
const BUSY_TIMEOUT = 250;

/** The open files of an embedded inbox. */
export interface InboxDatabase {
  readonly file: string;
  readonly statements: InboxStatements;
  readonly underWay: UnderWay;
  /** Moves everything from the write-ahead log to the database's file. Throws if that has no room. */
  checkpoint(): void;
  close(): void;
}

/**
 * Opens the inbox in a folder, and creates both if they are missing. Only one process has it open at a time: the
 * operating system holds the lock and releases it when the process ends, however that happens.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`; nothing is then left open
 */
export function openDatabase(folder: string): InboxDatabase {
  const opened: { close(): void }[] = [];
  const open = (file: string): Database.Database => {
    const database = new Database(file);
    opened.unshift(database);
    return database;
  };
  const close = (): void => opened.splice(0).forEach((resource) => resource.close());
  try {
    mkdirSync(folder, { recursive: true });
    takeLock(open(join(folder, 'receiver.lock')), folder);
    const file = join(folder, 'inbox.sqlite');
    const database = open(file);
    const statements = prepareFile(database, file);
    const underWay = new UnderWay(join(folder, 'under-way'));
    opened.unshift(underWay);
    syncFolder(folder);
    const checkpoint = (): void => void database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { file, statements, underWay, checkpoint, close };
  } catch (cause) {
    close();
    throw cause instanceof ReceiverError ? cause : unusable(folder, cause);
  }
}

/**
 * The error of an inbox that can't be used.
 *
 * @param cause what the system reported
 */
export function unusable(folder: string, cause: unknown): ReceiverError {
  return new ReceiverError(
    'INBOX_UNUSABLE',
    `The inbox in ${folder} cannot be used: ${(cause as Error).message}. Check that the folder exists and that this user may write it and its files, or set INBOX_URL to another folder.`,
    { cause },
  );
}

function takeLock(lock: Database.Database, folder: string): void {
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'SQLITE_BUSY') throw cause;
    throw new ReceiverError(
      'INBOX_IN_USE',
      `Another receiver uses the inbox in ${folder}. Stop it, or set INBOX_URL to another folder.`,
      { cause },
    );
  }
  // If the file can't be written, SQLite takes no lock and reports it only to a statement that would write.
  lock.exec('PRAGMA incremental_vacuum');
}

function prepareFile(database: Database.Database, file: string): InboxStatements {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  // Several contents fit into a page, which halves the writes. Only a new file takes this size.
  database.exec('PRAGMA page_size = 8192');
  database.exec('PRAGMA journal_mode = WAL');
  // A commit is flushed. With NORMAL, a power cut could still lose acknowledged deliveries.
  database.exec('PRAGMA synchronous = FULL');
  migrate(database, file);
  return prepareStatements(database);
}

function migrate(database: Database.Database, file: string): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version === SCHEMA_VERSION) return;
  if (version < 0 || version > SCHEMA_VERSION)
    throw new Error(
      `${file} has tables of version ${version}; this receiver knows version ${SCHEMA_VERSION}`,
    );
  prepareTransaction(database)(() => database.exec(schemaSince(version)));
}

/** A new file survives a power cut only once its folder has been flushed too. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
