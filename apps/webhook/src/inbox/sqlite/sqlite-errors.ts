/** An error of SQLite as it passes between threads. */
export interface SqliteFault {
  readonly message: string;
  /** The extended result code; 0 if SQLite reported none. */
  readonly errcode: number;
}

/** Primary result codes of SQLite: somebody else has the lock. */
const BUSY = 5;

/** A page, or the whole file, isn't what it should be. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** The disk has no room, or the file may not grow. */
const FULL = 13;

/** What to do then. */
export const MAKE_ROOM =
  'Make room on its disk, as docs/how-to/it-fails.md says under "The disk is nearly full".';

/** The file ends before a page that it should have. */
const SHORT_READ = 522;

/** A flush failed, of a file or of its folder: nobody knows what is on the disk. */
const FLUSH_FAILED = [1034, 1290];

/** The file of the database was moved or replaced. */
export const MOVED = 1032;

/** What SQLite says: the library has no code for an error that comes while rows are read. */
const CODES: readonly (readonly [message: RegExp, errcode: number])[] = [
  [/^database disk image is malformed/, CORRUPT],
  [/^file is not a database/, NOT_A_DATABASE],
  [/^database or disk is full/, FULL],
  [/^database is locked/, BUSY],
];

/** What of an error of SQLite is told. */
export function faultIn(error: unknown): SqliteFault {
  const { message = '', errcode } = (error ?? {}) as Partial<SqliteFault & Error>;
  const [, meant = 0] = CODES.find(([pattern]) => pattern.test(message)) ?? [];
  return { message, errcode: errcode ?? meant };
}

function primaryCode(error: unknown): number {
  return faultIn(error).errcode & 0xff;
}

/** Whether this was thrown because somebody else has the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** Whether this was thrown because the disk is full. */
export function isFull(error: unknown): boolean {
  return primaryCode(error) === FULL || (error as NodeJS.ErrnoException).code === 'ENOSPC';
}

/** Whether this was thrown because a file is damaged. */
export function isDamage(error: unknown): boolean {
  const primary = primaryCode(error);
  return primary === CORRUPT || primary === NOT_A_DATABASE || faultIn(error).errcode === SHORT_READ;
}

/** Whether SQLite or the disk can't be trusted after this error. */
export function isLoss(error: unknown): boolean {
  const { errcode } = faultIn(error);
  return isDamage(error) || FLUSH_FAILED.includes(errcode) || errcode === MOVED;
}
