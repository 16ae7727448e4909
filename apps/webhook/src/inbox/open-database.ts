import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import Database from 'libsql';

import { ReceiverError } from '../errors.js';
import { BUSY_TIMEOUT, checkDatabase, versionOf } from './check-database.js';
import { Checkpoints } from './checkpoints.js';
import { damaged, isDamage } from './damage.js';
import { LastAccepted, readLastAccepted } from './last-accepted.js';
import { LogFlush } from './log-flush.js';
import { LogIndex } from './log-index.js';
import { type OperationStatements, prepareOperationStatements } from './operation-statements.js';
import { OpenFiles } from './open-files.js';
import { SCHEMA_VERSION, schemaSince } from './sqlite-schema.js';
import {
  type InboxStatements,
  type Position,
  prepareStatements,
  prepareTransaction,
} from './sqlite-statements.js';
import { UnderWay } from './under-way.js';

/** The files of an embedded inbox, in its folder. SQLite keeps two more beside the database, `-wal` and `-shm`. */
export const INBOX_FILES = {
  database: 'inbox.sqlite',
  lock: 'receiver.lock',
  underWay: 'under-way',
  lastAccepted: 'last-accepted',
} as const;

/** The open files of an embedded inbox. */
export interface InboxDatabase {
  /** The database's file. */
  readonly file: string;
  /** Where the inbox was when it was opened. */
  readonly position: Position;
  readonly statements: InboxStatements;
  readonly operations: OperationStatements;
  readonly underWay: UnderWay;
  readonly lastAccepted: LastAccepted;
  readonly checkpoints: Pick<Checkpoints, 'begin' | 'between'>;
  /** Makes what was committed durable; see {@link LogFlush.flush}. */
  flush(): Promise<void>;
  /** Whether a flush takes so long that it doesn't block the event loop. */
  isSlow(): boolean;
  /** The first file that somebody has removed, replaced or cut. Look before a transaction, which may fill the gap. */
  lost(): string | undefined;
  /** What the database and its write-ahead log take on the disk. */
  size(): number;
  /** The part of the database that is in use, in bytes. */
  used(): number;
  /** Moves everything from the write-ahead log to the database's file, and waits for it. Throws if that has no room. */
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
    const made = makeFolders(folder);
    takeLock(keep(new Database(pathOf('lock'))), folder);
    checkDatabase(folder, file, readLastAccepted(pathOf('lastAccepted')));
    const database = keep(new Database(file));
    const statements = prepareFile(database, file);
    const operations = prepareOperationStatements(database);
    const pages = preparePages(database);
    statements.requireWritable();
    const position = statements.position()!;
    // Closed after the database, which deletes the log and its index.
    const log = new LogFlush(`${file}-wal`);
    opened.push(log);
    const logIndex = new LogIndex(file);
    opened.push(logIndex);
    const underWay = keep(new UnderWay(pathOf('underWay')));
    const lastAccepted = keep(new LastAccepted(pathOf('lastAccepted')));
    lastAccepted.write(position.lastId);
    syncFolders(folder, made ?? folder);
    const logSize = (): number => logIndex.leastSize();
    const checkpoints = keep(new Checkpoints(file, { size: logSize, isSlow: () => log.isSlow }));
    const files = new OpenFiles([
      { path: file, leastSize: () => 1 },
      { path: `${file}-wal`, leastSize: logSize },
      { path: pathOf('lock'), leastSize: () => 0 },
    ]);
    return {
      file,
      position,
      statements,
      operations,
      underWay,
      lastAccepted,
      checkpoints,
      flush: () => log.flush(),
      isSlow: () => log.isSlow,
      lost() {
        const path = files.lost();
        // Otherwise SQLite moves the log by itself some time, with the gap of one that was cut.
        if (path !== undefined) database.exec('PRAGMA wal_autocheckpoint = 0');
        return path;
      },
      size: () => sizeOf(file) + sizeOf(`${file}-wal`),
      used: pages,
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
    throw isBusy(cause) ? inUse(folder, cause) : unusable(folder, cause);
  }
  // If the file can't be written, SQLite takes no lock and reports it only to a statement that would write.
  lock.exec('PRAGMA incremental_vacuum');
}

const isBusy = (error: unknown): boolean => (error as { code?: string }).code === 'SQLITE_BUSY';

function inUse(folder: string, cause: unknown): ReceiverError {
  return new ReceiverError(
    'INBOX_IN_USE',
    `Another receiver uses the inbox in ${folder}. Stop it, or set INBOX_URL to another folder.`,
    { cause },
  );
}

function prepareFile(database: Database.Database, file: string): InboxStatements {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  // Several contents fit into a page, which halves the writes. Only a new file takes this size.
  database.exec('PRAGMA page_size = 8192');
  database.exec('PRAGMA journal_mode = WAL');
  // SQLite flushes around its checkpoints, and this inbox after a commit: see decision 010.
  database.exec('PRAGMA synchronous = NORMAL');
  // 32 MiB. SQLite then does a checkpoint by itself, if those beside the event loop don't suffice.
  database.exec('PRAGMA wal_autocheckpoint = 4000');
  // libsql checks foreign keys: each result would read its delivery.
  database.exec('PRAGMA foreign_keys = OFF');
  const version = versionOf(database, file);
  if (version < SCHEMA_VERSION) prepareTransaction(database)(() => database.exec(schemaSince(version)));
  return prepareStatements(database);
}

/** Counts the bytes of the pages that are in use. */
function preparePages(database: Database.Database): () => number {
  const pages = database.prepare(
    'SELECT (page_count - freelist_count) * page_size AS used FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  return () => (pages.get([]) as { used: number }).used;
}

/** 0 if there is no such file, or no longer its folder. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/**
 * Makes a folder and those above it that are missing. Node's own recursion never ends where none can be made, as in
 * /proc.
 *
 * @returns the topmost folder that was made; undefined if the folder existed
 */
function makeFolders(folder: string): string | undefined {
  const made = existsSync(dirname(folder)) ? undefined : makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(folder).isDirectory()) return made;
    throw error;
  }
  return made ?? folder;
}

/**
 * A new file or folder survives a power cut only once the folder that it is in has been flushed too.
 *
 * @param made the topmost folder that was made, or the inbox's own: that one may have been made by a start that failed
 */
function syncFolders(folder: string, made: string): void {
  syncFolder(folder);
  const topmost = dirname(resolve(made));
  for (let above = resolve(folder); above !== topmost;) {
    above = dirname(above);
    try {
      syncFolder(above);
    } catch {
      // This user may not read a folder that an administrator has made.
    }
  }
}

/** Makes durable which files a folder has. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
