import { closeSync, fstatSync, fsyncSync, linkSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { ReceiverError } from '../../errors.js';
import { requireOwnLog } from './identity.js';
import { INBOX_FILES, removePartial, syncFolder } from './inbox-files.js';
import { openForReading, openingError } from './open-database.js';
import { isDamage } from './sqlite-errors.js';

/**
 * Copies the database of an embedded inbox into one whole file, with everything that was acknowledged before. A receiver
 * that has the inbox open goes on meanwhile: its write-ahead log grows until the copy is made.
 *
 * The file has its name only when it is whole and on the disk. What a copy that was killed has left is removed.
 *
 * @param copy the file, which must not exist
 * @returns its size, in bytes
 * @throws ReceiverError `INBOX_DAMAGED`, `INBOX_UNUSABLE`
 * @throws what the system or SQLite reports, if the file can't be written
 */
export function backUp(folder: string, copy: string): number {
  const file = resolve(copy);
  const partial = `${file}.partial`;
  removePartial(partial);
  const descriptor = openSync(partial, 'wx', 0o600);
  try {
    readInbox(folder, (database) => database.prepare('VACUUM INTO ?').run(partial));
    fsyncSync(descriptor);
    if (statSync(partial).ino !== fstatSync(descriptor).ino)
      throw new Error(`${partial} was replaced: another backup writes the same file`);
    // Unlike a rename, it never replaces a file.
    linkSync(partial, file);
  } finally {
    closeSync(descriptor);
    removePartial(partial);
  }
  syncFolder(dirname(file));
  return statSync(file).size;
}

/** What SQLite says of an index that lacks a row of its table, and of one that has another number of rows. */
const LACKS_ROW = /^row \d+ missing from index /;
const OF_INDEX = /^(?:row \d+ missing from|wrong # of entries in) index /;

/** Most faults that are looked for. */
const MAX_FAULTS = 100;

/**
 * Reads every page of an embedded inbox, and each row with its entries in the indexes, and throws if something is damaged.
 * Contents have no checksums, so other bytes in them aren't noticed.
 *
 * @throws ReceiverError `INBOX_DAMAGED`, `INBOX_UNUSABLE`
 */
export function requireUndamaged(folder: string): void {
  const rows = readInbox(folder, (database): unknown[] =>
    database.prepare(`PRAGMA integrity_check(${MAX_FAULTS})`).all(),
  ) as { integrity_check: string }[];
  const faults = rows
    .flatMap(({ integrity_check: text }) => text.split('\n'))
    .filter((line) => line !== 'ok' && !line.startsWith('***'));
  if (faults.length === 0) return;
  const file = join(folder, INBOX_FILES.database);
  // An index that has more than its table says that rows are lost.
  if (faults.some((fault) => LACKS_ROW.test(fault)) && faults.every((fault) => OF_INDEX.test(fault)))
    throw new ReceiverError(
      'INBOX_DAMAGED',
      `An index of ${file} is damaged, and no delivery: ${faults[0]}. Stop the receiver, run: sqlite3 '${file}' REINDEX, and check again. Or restore a backup.`,
    );
  throw openingError(folder, { errcode: 11, message: `${file} has this fault: ${faults[0]}` });
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
