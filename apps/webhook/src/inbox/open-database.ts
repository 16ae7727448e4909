import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'libsql';

import { ReceiverError } from '../errors.js';
import { damaged, isDamage, requireDatabase } from './damage.js';
import { LastAccepted, readLastAccepted } from './last-accepted.js';
import { OpenFiles } from './open-files.js';
import { SCHEMA_VERSION, schemaSince } from './sqlite-schema.js';
import {
  type InboxStatements,
  type Position,
  prepareStatements,
  prepareTransaction,
} from './sqlite-statements.js';
import { UnderWay } from './under-way.js';

/** How long to wait for a lock of another program, in milliseconds: somebody may be looking at the file. */
const BUSY_TIMEOUT = 250;

/** The files of an embedded inbox, in its folder. SQLite keeps two more beside the database, `-wal` and `-shm`. */
export const INBOX_FILES = {
  database: 'inbox.sqlite',
  lock: 'receiver.lock',
  underWay: 'under-way',
  lastAccepted: 'last-accepted',
} as const;

/** The open files of an embedded inbox. */
export interface InboxDatabase {
  readonly folder: string;
  /** The database's file. */
  readonly file: string;
  /** Where the inbox was when it was opened. */
  readonly position: Position;
  readonly statements: InboxStatements;
  readonly underWay: UnderWay;
  readonly lastAccepted: LastAccepted;
  /** The first file that somebody has removed or replaced. */
  lost(): string | undefined;
  /** Moves everything from the write-ahead log to the database's file. Throws if that has no room. */
  checkpoint(): void;
  close(): void;
}

/**
 * Opens the inbox in a folder, and creates both if they are missing. Only one process has it open at a time: the
 * operating system holds the lock and releases it when the process ends, however that happens.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`, `INBOX_DAMAGED`; nothing is then left open
 */
export function openDatabase(folder: string): InboxDatabase {
  const opened: { close(): void }[] = [];
  const keep = <Resource extends { close(): void }>(resource: Resource): Resource => {
    opened.unshift(resource);
    return resource;
  };
  const close = (): void => opened.splice(0).forEach((resource) => resource.close());
  const pathOf = (name: keyof typeof INBOX_FILES): string => join(folder, INBOX_FILES[name]);
  const file = pathOf('database');
  try {
    mkdirSync(folder, { recursive: true });
    takeLock(keep(new Database(pathOf('lock'))), folder);
    const last = readLastAccepted(pathOf('lastAccepted'));
    requireDatabase(folder, file, last);
    const database = keep(new Database(file));
    const statements = prepareFile(database, folder, file, last);
    const position = requirePosition(statements, folder, file, last);
    statements.requireWritable();
    const underWay = keep(new UnderWay(pathOf('underWay')));
    const lastAccepted = keep(new LastAccepted(pathOf('lastAccepted')));
    lastAccepted.write(position.lastId);
    syncFolder(folder);
    const files = new OpenFiles([file, `${file}-wal`, pathOf('lock')]);
    return {
      folder,
      file,
      position,
      statements,
      underWay,
      lastAccepted,
      lost: () => files.lost(),
      checkpoint: () => void database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
      close,
    };
  } catch (cause) {
    close();
    throw openingError(folder, cause);
  }
}

/** What an opening that failed throws. */
export function openingError(folder: string, cause: unknown): ReceiverError {
  if (cause instanceof ReceiverError) return cause;
  if (!isDamage(cause)) return unusable(folder, cause);
  return damaged(folder, `${join(folder, INBOX_FILES.database)}: ${(cause as Error).message}`, cause);
}

/**
 * The error of an inbox that can't be used.
 *
 * @param cause what the system reported
 */
function unusable(folder: string, cause: unknown): ReceiverError {
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
    if ((cause as { code?: string }).code !== 'SQLITE_BUSY') throw unusable(folder, cause);
    throw new ReceiverError(
      'INBOX_IN_USE',
      `Another receiver uses the inbox in ${folder}. Stop it, or set INBOX_URL to another folder.`,
      { cause },
    );
  }
  // If the file can't be written, SQLite takes no lock and reports it only to a statement that would write.
  lock.exec('PRAGMA incremental_vacuum');
}

/** @param lastAccepted the last id that the database must have */
function prepareFile(
  database: Database.Database,
  folder: string,
  file: string,
  lastAccepted: number,
): InboxStatements {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  // Several contents fit into a page, which halves the writes. Only a new file takes this size.
  database.exec('PRAGMA page_size = 8192');
  database.exec('PRAGMA journal_mode = WAL');
  // A commit is flushed. With NORMAL, a power cut could still lose acknowledged deliveries.
  database.exec('PRAGMA synchronous = FULL');
  // libsql checks foreign keys: it would read a delivery that is to be parked because it can't be read.
  database.exec('PRAGMA foreign_keys = OFF');
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version < 0 || version > SCHEMA_VERSION)
    throw new Error(
      `${file} has tables of version ${version}; this receiver knows version ${SCHEMA_VERSION}`,
    );
  if (version === 0 && lastAccepted > 0) throw damaged(folder, `${file} has lost its tables`);
  if (version < SCHEMA_VERSION) prepareTransaction(database)(() => database.exec(schemaSince(version)));
  try {
    return prepareStatements(database);
  } catch (cause) {
    throw isDamage(cause) ? cause : damaged(folder, `${file}: ${(cause as Error).message}`, cause);
  }
}

/**
 * Reads the position of an inbox from which nothing is missing.
 *
 * @param lastAccepted the last id that the database must have
 */
function requirePosition(
  statements: InboxStatements,
  folder: string,
  file: string,
  lastAccepted: number,
): Position {
  const position = statements.position();
  if (position === undefined) throw damaged(folder, `the table "progress" of ${file} doesn't have one row`);
  const { lastId } = position;
  if (lastId >= lastAccepted) return position;
  throw damaged(folder, `${file} ends with delivery ${lastId}, but ${lastAccepted} were acknowledged`);
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
