import { closeSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { requireOwnLog } from './identity.js';
import { INBOX_FILES, syncFolder } from './inbox-files.js';
import { openForReading, openingError } from './open-database.js';
import { isDamage } from './sqlite-errors.js';

/**
 * Copies the database of an embedded inbox into one whole file, with everything that was acknowledged before. A receiver
 * that has the inbox open goes on meanwhile: its write-ahead log grows until the copy is made.
 *
 * The file has its name only when it is whole and on the disk.
 *
 * @param copy the file, which must not exist
 * @returns its size, in bytes
 * @throws ReceiverError `INBOX_DAMAGED`, `INBOX_UNUSABLE`
 * @throws what the system or SQLite reports, if the file can't be written
 */
export function backUp(folder: string, copy: string): number {
  const file = resolve(copy);
  const partial = `${file}.partial`;
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    readInbox(folder, (database) => database.prepare('VACUUM INTO ?').run(partial));
    syncFile(partial);
    // Unlike a rename, it never replaces a file.
    linkSync(partial, file);
  } finally {
    rmSync(partial);
  }
  syncFolder(dirname(file));
  return statSync(file).size;
}

/**
 * Reads every page of an embedded inbox once, and throws if one is damaged. Contents have no checksums, so other bytes in
 * them aren't noticed.
 *
 * @throws ReceiverError `INBOX_DAMAGED`, `INBOX_UNUSABLE`
 */
export function requireUndamaged(folder: string): void {
  const [row] = readInbox(folder, (database): unknown[] =>
    database.prepare('PRAGMA quick_check(1)').all(),
  ) as {
    quick_check: string;
  }[];
  const fault = row!.quick_check.split('\n').find((line) => !line.startsWith('***'));
  if (fault !== 'ok')
    throw openingError(folder, {
      errcode: 11,
      message: `${join(folder, INBOX_FILES.database)} has this fault: ${fault}`,
    });
}

/** Reads the database through a connection that only reads. */
function readInbox<Result>(folder: string, read: (database: DatabaseSyncInstance) => Result): Result {
  requireOwn(folder);
  const { database, close } = openForReading(folder);
  try {
    return read(database);
  } catch (cause) {
    throw isDamage(cause) ? openingError(folder, cause) : cause;
  } finally {
    close();
  }
}

/** Before SQLite applies a log that a crash has left. */
function requireOwn(folder: string): void {
  try {
    // The end of the process closes it: to close it would take away the locks of a connection that this process has.
    requireOwnLog(folder, openSync(join(folder, INBOX_FILES.database), 'r'));
  } catch (cause) {
    throw openingError(folder, cause);
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
