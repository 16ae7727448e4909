import { randomInt } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { ReceiverError } from '../../errors.js';
import { INBOX_FILES, makeFile, syncFolder } from './inbox-files.js';

/** What the first bytes of a database say of it, see https://sqlite.org/fileformat.html. */
export interface Header {
  /** Drawn at each start of a receiver: a copy of the file from before a start has another one. */
  readonly id: number;
  /** Grows with each change of the tables. A copy that SQLite makes into a new file begins again, or is no `wal`. */
  readonly schema: number;
  /** Whether it is in the mode of an inbox. A copy by `VACUUM INTO` isn't. */
  readonly isWal: boolean;
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** @returns undefined if this is no database */
export function readHeader(descriptor: number): Header | undefined {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES);
  const count = readSync(descriptor, bytes, 0, HEADER_BYTES, 0);
  if (count < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  return {
    schema: bytes.readUInt32BE(40),
    id: bytes.readInt32BE(68),
    isWal: bytes.readUInt16BE(18) === 0x0202,
  };
}

/**
 * Which database the log of an inbox belongs to. SQLite would apply the log to whatever has the name of the database: to
 * a copy that somebody has restored, which destroys it.
 */
interface Identity {
  /** The database has one of these. It has two while a new one is being written. */
  readonly ids: readonly number[];
  readonly schema: number;
  /** Which file the database is, and this one itself: both are others if the whole folder was copied. */
  readonly database: string;
  readonly self: string;
}

/** Names a file, whatever it is called. The numbers of deleted files are given again, so the time is in it too. */
function nameFile({ ino, birthtimeMs }: { ino: number; birthtimeMs: number }): string {
  return `${ino}/${birthtimeMs}`;
}

function readText(folder: string): string {
  try {
    return readFileSync(join(folder, INBOX_FILES.identity), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** @returns undefined if there is none, as after the first start of an earlier version, or it can't be understood */
function readIdentity(text: string): Identity | undefined {
  try {
    return JSON.parse(text) as Identity;
  } catch {
    return undefined;
  }
}

/** Durable on return, and whole at each moment. */
function writeIdentity(folder: string, { ids, schema }: Pick<Identity, 'ids' | 'schema'>): void {
  const file = join(folder, INBOX_FILES.identity);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  makeFile(partial);
  const descriptor = openSync(partial, 'r+');
  try {
    const database = nameFile(statSync(join(folder, INBOX_FILES.database)));
    const identity: Identity = { ids, schema, database, self: nameFile(fstatSync(descriptor)) };
    writeFileSync(descriptor, `${JSON.stringify(identity)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(partial, file);
  syncFolder(folder);
}

/**
 * Makes sure that the log beside a database, if there is one, belongs to it. Call it before SQLite opens the database.
 *
 * @param descriptor of the database; undefined if it is missing
 * @throws ReceiverError `INBOX_UNUSABLE`; nothing was changed
 */
export function requireOwnLog(folder: string, descriptor: number | undefined): void {
  if (!hasLog(folder)) return;
  const database = join(folder, INBOX_FILES.database);
  let text = readText(folder);
  for (;;) {
    if (descriptor !== undefined && isOwnLog(folder, descriptor, readIdentity(text))) return;
    // A receiver that starts meanwhile writes it before it changes the database.
    const later = readText(folder);
    if (later === text) break;
    text = later;
  }
  throw new ReceiverError(
    'INBOX_UNUSABLE',
    `${database} was removed or replaced: ${database}-wal belongs to the file that was there before. If you restore a copy, stop the receiver, put the copy there again, and delete ${database}-wal and ${database}-shm. If an earlier version of the receiver has used these files since, delete ${join(folder, INBOX_FILES.identity)} instead. If not, put back the file that was there. See docs/how-to/back-up.md, "Restore".`,
  );
}

function hasLog(folder: string): boolean {
  const log = statSync(join(folder, `${INBOX_FILES.database}-wal`), { throwIfNoEntry: false });
  return log !== undefined && log.size > 0;
}

/**
 * Lets the log that begins next belong to a database without one, which may be new or restored. Otherwise a crash before
 * {@link drawIdentity} would leave a log that {@link requireOwnLog} refuses.
 *
 * @param descriptor of the database
 */
export function ownNextLog(folder: string, descriptor: number): void {
  if (hasLog(folder) || isOwnLog(folder, descriptor, readIdentity(readText(folder)))) return;
  const { id = 0, schema = 0 } = readHeader(descriptor) ?? {};
  writeIdentity(folder, { ids: [id], schema });
}

function isOwnLog(folder: string, descriptor: number, identity: Identity | undefined): boolean {
  const header = readHeader(descriptor);
  if (header?.isWal !== true) return false;
  if (identity === undefined) return true;
  if (!identity.ids.includes(header.id) || header.schema < identity.schema) return false;
  const self = statSync(join(folder, INBOX_FILES.identity), { throwIfNoEntry: false });
  const isCopiedFolder = self === undefined || nameFile(self) !== identity.self;
  return isCopiedFolder || nameFile(fstatSync(descriptor)) === identity.database;
}

/**
 * Gives a database a new identity. A crash in between leaves one that {@link requireOwnLog} knows.
 *
 * @param descriptor of the database
 * @returns what its header says from now on
 */
export function drawIdentity(
  database: DatabaseSyncInstance,
  folder: string,
  descriptor: number,
): Pick<Identity, 'ids' | 'schema'> {
  // Whoever reads the database keeps it from being moved out of the log, and so the header from being changed.
  const checkpoint = 'PRAGMA wal_checkpoint(TRUNCATE)';
  database.exec(checkpoint);
  const { id: last, schema } = readHeader(descriptor)!;
  const { application_id: current } = database.prepare('PRAGMA application_id').get() as {
    application_id: number;
  };
  const id = randomInt(1, 2 ** 31);
  writeIdentity(folder, { ids: [last, current, id], schema });
  database.exec(`PRAGMA application_id = ${id}; ${checkpoint}`);
  const header = readHeader(descriptor)!;
  if (header.id !== id) return { ids: [last, current, id], schema };
  writeIdentity(folder, { ids: [id], schema: header.schema });
  return { ids: [id], schema: header.schema };
}
