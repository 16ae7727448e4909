import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'libsql';

import { ReceiverError } from '../errors.js';
import { prepareTransaction } from './prepare-transaction.js';
import { SCHEMA_VERSION, schemaSince } from './sqlite-schema.js';
import { type InboxStatements, prepareStatements } from './sqlite-statements.js';

/** How long a lock that another program holds is waited for, in milliseconds: someone may be looking at the file. */
const BUSY_TIMEOUT = 250;

/** The open files of an embedded inbox. */
export interface InboxDatabase {
  readonly file: string;
  readonly statements: InboxStatements;
  close(): void;
}

/**
 * Opens the inbox in a folder, and makes both if they are not there. Only one process has it at a time:
 * the lock is one of the operating system's and goes with the process, however that ends.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`
 */
export function openDatabase(folder: string): InboxDatabase {
  const lock = usable(folder, () => {
    mkdirSync(folder, { recursive: true });
    return new Database(join(folder, 'receiver.lock'));
  });
  try {
    takeLock(lock, folder);
    const file = join(folder, 'inbox.sqlite');
    const { database, statements } = usable(folder, () => openFile(file));
    syncFolder(folder);
    return {
      file,
      statements,
      close: () => {
        database.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

function takeLock(lock: Database.Database, folder: string): void {
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    if (!isBusy(cause)) throw unusable(folder, cause);
    throw new ReceiverError(
      'INBOX_IN_USE',
      `Another receiver works on the inbox in ${folder}. Stop it, or set INBOX_URL to a folder of its own.`,
      { cause },
    );
  }
}

function openFile(file: string): { database: Database.Database; statements: InboxStatements } {
  const database = new Database(file);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    // Several contents fit a page, which makes for half the writes; a new file alone takes it.
    database.exec('PRAGMA page_size = 8192');
    database.exec('PRAGMA journal_mode = WAL');
    // A commit is flushed. NORMAL would acknowledge deliveries that a power cut can still take.
    database.exec('PRAGMA synchronous = FULL');
    migrate(database, file);
    return { database, statements: prepareStatements(database) };
  } catch (error) {
    database.close();
    throw error;
  }
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
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function usable<T>(folder: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    throw unusable(folder, cause);
  }
}

function unusable(folder: string, cause: unknown): ReceiverError {
  return new ReceiverError(
    'INBOX_UNUSABLE',
    `The inbox in ${folder} cannot be opened: ${(cause as Error).message}. Check the folder, or set INBOX_URL to another one.`,
    { cause },
  );
}

const isBusy = (error: unknown): boolean => (error as { code?: string }).code === 'SQLITE_BUSY';
