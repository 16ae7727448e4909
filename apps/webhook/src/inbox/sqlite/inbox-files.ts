import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { describeDenied } from '../../file-owner.js';

/** The files of an embedded inbox, in its folder. SQLite keeps two more beside the database, `-wal` and `-shm`. */
export const INBOX_FILES = {
  database: 'inbox.sqlite',
  lock: 'receiver.lock',
  identity: 'inbox.identity',
} as const;

/**
 * Makes a folder and those above it that are missing. Node's own recursion never ends where none can be made, as in
 * /proc.
 *
 * @returns the topmost folder that was made; undefined if the folder existed
 */
export function makeFolders(folder: string): string | undefined {
  const made = existsSync(dirname(folder)) ? undefined : makeFolders(dirname(folder));
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(folder).isDirectory()) return made;
    throw error;
  }
  return made ?? folder;
}

/**
 * Makes an empty file, unless it exists: for its owner alone, or in a folder with the set-group-ID bit, for the group of
 * the folder too, with the same rights. Whatever SQLite makes beside a database has the mode of the database. What root makes
 * belongs to the owner of the folder, as SQLite has it: the receiver of another user couldn't use it.
 */
export function makeFile(file: string): void {
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    fchmodSync(descriptor, modeOfFilesIn(dirname(file)));
    if (process.geteuid?.() === 0) giveTo(descriptor, statSync(dirname(file)));
    closeSync(descriptor);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function giveTo(descriptor: number, { uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // The root of a container may have no right to it, and keeps the file.
  }
}

/** Removes a file that is not whole yet, with the journal of SQLite beside it. A process that was killed may have left both. */
export function removePartial(file: string): void {
  for (const name of [file, `${file}-journal`]) rmSync(name, { force: true });
}

/** The mode of each file that is made in the folder of an inbox. */
export function modeOfFilesIn(folder: string): number {
  const { mode } = statSync(folder);
  return 0o600 | ((mode & 0o2000) === 0 ? 0 : mode & 0o060);
}

/** The files of an inbox that this user can't read or write, with their owners: a sentence, or nothing. */
export function unusableFiles(folder: string): string {
  const { database, lock, identity } = INBOX_FILES;
  const names = ['', database, `${database}-wal`, `${database}-shm`, lock, identity];
  return describeDenied(
    names.map((name) => join(folder, name)),
    'read and write',
  );
}

/**
 * A new file or folder survives a power cut only once the folder that it is in has been flushed too.
 *
 * @param made the topmost folder that was made, or the inbox's own: that one may have been made by a start that failed
 */
export function syncFolders(folder: string, made: string): void {
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
