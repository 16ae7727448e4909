/** An error of SQLite as it passes between threads. */
export interface SqliteFault {
  readonly message: string;
  readonly code: string | undefined;
  readonly rawCode: number;
}

/** What of an error of SQLite is told. */
export function faultIn(error: unknown): SqliteFault {
  const { message, code, rawCode = 0 } = (error ?? {}) as Partial<SqliteFault> & Error;
  return { message, code, rawCode };
}

/** Primary result codes of SQLite: a page, or the whole file, isn't what it should be. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** The file ends before a page that it should have. */
const SHORT_READ = 522;

/** A flush failed, of a file or of its folder: nobody knows what is on the disk. */
const FLUSH_FAILED = [1034, 1290];

/** The file of the database was moved or replaced. */
const MOVED = 1032;

/** Whether this was thrown because a file is damaged. */
export function isDamage(error: unknown): boolean {
  const { rawCode } = faultIn(error);
  const primary = rawCode & 0xff;
  return primary === CORRUPT || primary === NOT_A_DATABASE || rawCode === SHORT_READ;
}

/** Whether SQLite or the disk can't be trusted after this error. */
export function isLoss(error: unknown): boolean {
  const { rawCode } = faultIn(error);
  return isDamage(error) || FLUSH_FAILED.includes(rawCode) || rawCode === MOVED;
}

/** Whether this was thrown because of a value, and others can be written. */
export function isOfOneRow(error: unknown): boolean {
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(faultIn(error).code ?? '') || error instanceof TypeError;
}
