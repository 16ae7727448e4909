import { statSync } from 'node:fs';

import { ReceiverError } from '../errors.js';

/** A row has values that nobody stored. SQLite has no checksums, so it doesn't notice. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';
}

/** Primary result codes of SQLite: a page, or the whole file, isn't what it should be. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** The file ends before a page that it should have. Other errors of the disk may pass. */
const SHORT_READ = 522;

/** Whether this was thrown because a file is damaged. */
export function isDamage(error: unknown): boolean {
  const { rawCode = 0 } = error as { rawCode?: number };
  const primary = rawCode & 0xff;
  const isCorrupt = primary === CORRUPT || primary === NOT_A_DATABASE || rawCode === SHORT_READ;
  return error instanceof DamagedRowError || isCorrupt;
}

/** Undefined if a damaged part of a file was read. */
export function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/**
 * The error of an inbox that is damaged.
 *
 * @param damage what was found, as a clause
 */
export function damaged(folder: string, damage: string, cause?: unknown): ReceiverError {
  return new ReceiverError(
    'INBOX_DAMAGED',
    `The inbox in ${folder} is damaged: ${damage}. Nothing was changed. Restore a backup, as docs/inbox.md says under "When the inbox is damaged".`,
    { cause },
  );
}

/**
 * Checks what SQLite would destroy: with a database file that is missing or empty, it deletes the write-ahead log.
 *
 * @param lastAccepted the last id that the database must have
 * @throws ReceiverError `INBOX_DAMAGED`
 */
export function requireContent(folder: string, file: string, lastAccepted: number): void {
  const size = sizeOf(file);
  if (size !== undefined && size > 0) return;
  if (lastAccepted > 0 || (sizeOf(`${file}-wal`) ?? 0) > 0)
    throw damaged(folder, `${file} is ${size === undefined ? 'missing' : 'empty'}`);
}

/** Undefined if there is no such file. */
function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
