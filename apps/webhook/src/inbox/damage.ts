import { ReceiverError } from '../errors.js';

/** A row is missing, or has values that nobody stored. SQLite has no checksums, so it doesn't notice. */
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

/**
 * The error of an inbox that is damaged.
 *
 * @param damage what was found, as a clause
 */
export function damaged(folder: string, damage: string, cause?: unknown): ReceiverError {
  return new ReceiverError(
    'INBOX_DAMAGED',
    `The inbox in ${folder} is damaged: ${damage}. Restore a backup, as docs/inbox.md says under "When the inbox is damaged".`,
    { cause },
  );
}
