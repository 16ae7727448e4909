import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';

import { ReceiverError } from '../../errors.js';
import {
  type Dialect,
  nameReceiver,
  type Row,
  type Statement,
  type Store,
  type WriteBatch,
  type WriteOutcome,
} from '../store.js';
import { INBOX_FILES, openingError } from './open-database.js';
import { isDamage, isLoss, type SqliteFault } from './sqlite-errors.js';
import type { ThreadOptions, ThreadOutcome, ThreadRequest, ThreadResponse } from './sqlite-thread.js';
import { startThread } from './start-thread.js';

/** How often to look whether the files are still there, in milliseconds. */
const WATCH_INTERVAL = 1_000;

/** Whoever has the lock is alone: whatever another receiver was running is abandoned. */
export const DIALECT: Dialect = {
  schema: '',
  lock: '',
  lockFree: '',
  isAbandoned: 'true',
  noBytes: "x''",
  position: (column, value) => `instr(${column}, ${value})`,
};

/**
 * Opens the database of an embedded inbox, in a thread of its own: the event loop never waits for the disk.
 *
 * @param onLost called when the files can't be trusted any more, perhaps several times: end the process
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`, `INBOX_DAMAGED`; nothing is then left open
 */
export async function openSqliteStore(
  folder: string,
  onLost: (error: ReceiverError) => void,
): Promise<Store> {
  const receiver = nameReceiver();
  const lose = (reason: string, cause?: unknown): void => {
    const message = `The inbox in ${folder} can't be trusted: ${reason}.`;
    onLost(
      isDamage(cause) ? openingError(folder, cause) : new ReceiverError('INBOX_LOST', message, { cause }),
    );
  };
  const writer = await SqliteThread.open({ folder, receiver, mode: 'write' }, lose);
  return new SqliteStore(folder, receiver, writer, lose);
}

class SqliteStore implements Store {
  readonly location: string;
  readonly dialect = DIALECT;
  readonly lookInterval = undefined;
  #reader: Promise<SqliteThread> | undefined;
  readonly #watch: NodeJS.Timeout;

  constructor(
    private readonly folder: string,
    readonly receiver: string,
    private readonly writer: SqliteThread,
    private readonly lose: (reason: string) => void,
  ) {
    this.location = join(folder, INBOX_FILES.database);
    const files = [this.location, `${this.location}-wal`, join(folder, INBOX_FILES.lock)];
    const inodes = files.map(inodeOf);
    this.#watch = setInterval(() => {
      const lost = files.find((file, index) => inodeOf(file) !== inodes[index]);
      if (lost !== undefined) this.lose(`${lost} was removed or replaced`);
    }, WATCH_INTERVAL).unref();
  }

  async write(batch: WriteBatch): Promise<WriteOutcome> {
    // The clone of a small content would have the whole of its pool.
    const arrivals = batch.arrivals.map((arrival) => ({
      ...arrival,
      content: new Uint8Array(arrival.content),
    }));
    const request = { kind: 'write', batch: { ...batch, arrivals } } as const;
    const outcome = (await this.#request(this.writer, request)) as ThreadOutcome;
    const unpack = <Value>(value: Value | SqliteFault): Value | Error =>
      isFault(value) ? writeFailed(this.location, value) : value;
    return {
      arrivals: outcome.arrivals.map(unpack),
      results: outcome.results.map((fault) => fault && writeFailed(this.location, fault)),
    };
  }

  async run(statement: Statement): Promise<readonly Row[]> {
    return (await this.#request(this.writer, { kind: 'run', statement })) as Row[];
  }

  async read(statement: Statement): Promise<readonly Row[]> {
    this.#reader ??= SqliteThread.open(
      { folder: this.folder, receiver: this.receiver, mode: 'read' },
      this.lose,
    );
    return (await this.#request(await this.#reader, { kind: 'run', statement })) as Row[];
  }

  async size(): Promise<{ onDisk: number; inUse: number }> {
    const [row] = await this.read({
      text: `SELECT page_size * (page_count - freelist_count) AS bytes
        FROM pragma_page_size, pragma_page_count, pragma_freelist_count`,
      values: [],
    });
    const onDisk = [this.location, `${this.location}-wal`].map((file) => statSync(file).size);
    return { onDisk: onDisk.reduce((sum, bytes) => sum + bytes), inUse: row!['bytes'] as number };
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    const reader = await this.#reader?.catch(() => undefined);
    await reader?.close();
    await this.writer.close();
  }

  async #request(thread: SqliteThread, request: ThreadRequest): Promise<unknown> {
    try {
      return await thread.request(request);
    } catch (error) {
      throw thread === this.writer
        ? writeFailed(this.location, error as Error)
        : new ReceiverError(
            'INBOX_UNUSABLE',
            `The inbox at ${this.location} cannot be read: ${(error as Error).message}.`,
            { cause: error },
          );
    }
  }
}

/** A thread with a connection to the database. */
class SqliteThread {
  readonly #waiting: { resolve: (result: unknown) => void; reject: (error: Error) => void }[] = [];
  readonly #worker: Worker;
  #isClosed = false;

  private constructor(
    options: ThreadOptions,
    private readonly lose: (reason: string, cause?: unknown) => void,
  ) {
    this.#worker = startThread(options);
    this.#worker.on('message', (response: ThreadResponse) => this.#settle(response));
    this.#worker.on('error', (error) => this.lose(`a thread has failed: ${error.message}`, error));
    this.#worker.on('exit', () => {
      if (!this.#isClosed) this.lose('a thread has ended');
    });
  }

  /** @throws ReceiverError of the opening */
  static async open(
    options: ThreadOptions,
    lose: (reason: string, cause?: unknown) => void,
  ): Promise<SqliteThread> {
    const thread = new SqliteThread(options, lose);
    try {
      await thread.#response();
      return thread;
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
  }

  /** @throws Error of SQLite */
  request(request: ThreadRequest): Promise<unknown> {
    this.#worker.postMessage(request);
    return this.#response();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.request({ kind: 'close' });
    await this.#worker.terminate();
  }

  #response(): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #settle(response: ThreadResponse): void {
    const { resolve, reject } = this.#waiting.shift()!;
    if ('result' in response) return resolve(response.result);
    const cause = Object.assign(new Error(response.fault.message), response.fault);
    if ('refused' in response) {
      this.#isClosed = true;
      const { code, message } = response.refused;
      return reject(new ReceiverError(code, message, { cause }));
    }
    if (isLoss(cause)) this.lose(cause.message, cause);
    reject(cause);
  }
}

const isFault = (value: unknown): value is SqliteFault =>
  typeof value === 'object' && value !== null && 'rawCode' in value;

function writeFailed(location: string, fault: SqliteFault | Error): ReceiverError {
  const cause = fault instanceof Error ? fault : Object.assign(new Error(fault.message), fault);
  return new ReceiverError(
    'INBOX_WRITE_FAILED',
    `The inbox in ${location} could not write: ${fault.message}.`,
    {
      cause,
    },
  );
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
