import Database from 'libsql/promise';

/** The log from which a checkpoint begins, in bytes. A short one delays the commit that waits for it least. */
const BEGIN_AT = 1_048_576;

/** The same on a slow disk, where the flushes of a checkpoint take long, however short the log is. */
const BEGIN_AT_IF_SLOW = 16 * 1_048_576;

/** The write-ahead log of a database. */
interface Log {
  /** Its size, in bytes. */
  readonly size: () => number;
  /** Whether its disk flushes slowly. */
  readonly isSlow: () => boolean;
}

/**
 * Moves what is in the write-ahead log to the database's file. It writes and flushes both, which takes milliseconds, so
 * it happens on another thread.
 */
export class Checkpoints {
  readonly #database: Database;
  readonly #log: Log;
  #running: Promise<void> | undefined;

  /** @param file of the database */
  constructor(file: string, log: Log) {
    this.#database = new Database(file, {});
    this.#log = log;
    // SQLite opens the log at the first statement, by its name. Later that may be another file.
    this.#running = this.#execute('PRAGMA schema_version');
  }

  /**
   * Does each transaction while no checkpoint runs:
   *
   * - What is written after a checkpoint begins at the start of the log, unless somebody reads what is in it. The log
   *   would grow for as long as there is always another transaction.
   * - SQLite before 3.51.3 may lose pages if a transaction begins the log again while a checkpoint ends
   *   (sqlite.org/wal.html#walresetbug).
   */
  async between<Result>(transaction: () => Result): Promise<Result> {
    while (this.#running !== undefined) await this.#running;
    return transaction();
  }

  /** Begins a checkpoint if the log is long. */
  begin(): void {
    if (this.#running !== undefined) return;
    const beginAt = this.#log.isSlow() ? BEGIN_AT_IF_SLOW : BEGIN_AT;
    if (this.#log.size() >= beginAt) this.#running = this.#execute('PRAGMA wal_checkpoint(PASSIVE)');
  }

  close(): void {
    this.#database.close();
  }

  async #execute(sql: string): Promise<void> {
    try {
      await this.#database.exec(sql);
    } catch {
      // As with SQLite's own checkpoint, the log stays as it is, and the next one moves it.
    }
    this.#running = undefined;
  }
}
