import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { inboxClosed, inboxOpening, ReceiverError } from '../../errors.js';
import type { KeyedDelivery } from '../delivery.js';
import type { OnUpgrade } from '../migrations.js';
import { raw, type Sql, sql } from '../sql.js';
import {
  type CycleInput,
  type CycleOutcome,
  type Dialect,
  nameReceiver,
  Room,
  type Row,
  type Store,
} from '../store.js';
import { INBOX_FILES } from './inbox-files.js';
import { UpgradeNeeded } from './migrate.js';
import { openGuard, openingError } from './open-database.js';
import { cycleCall, type GroupOutcome, outcomesOf } from './sqlite-cycle.js';
import { isDamage, isFull, isLoss, MAKE_ROOM, type SqliteFault } from './sqlite-errors.js';
import type { ThreadOptions, ThreadRequest, ThreadResponse } from './sqlite-thread.js';
import { startThread } from './start-thread.js';
import { upgrade } from './upgrade.js';

/** Whoever has the lock is alone: whatever another receiver was running is abandoned. */
export const DIALECT: Dialect = {
  schema: sql``,
  now: () => raw(String(Date.now())),
  lock: sql``,
  lockFree: sql``,
  isAbandoned: sql`true`,
  isAmong: (selection) => sql`IN (${selection})`,
  takeTurn: sql`SELECT 1`,
  hasTurn: sql`true`,
  withPart: (selection, ...changes) => [
    sql`CREATE TEMP TABLE IF NOT EXISTS part (id INTEGER PRIMARY KEY, act INTEGER, state TEXT)`,
    sql`DELETE FROM part`,
    sql`INSERT INTO part ${selection}`,
    ...changes,
  ],
  position: (column, value) => sql`instr(${column}, ${value})`,
};

/** The database of an embedded inbox, in a thread of its own: the event loop never waits for the disk. */
export class SqliteStore implements Store {
  readonly location: string;
  readonly receiver = nameReceiver();
  readonly room = new Room();
  readonly dialect = DIALECT;
  readonly pollInterval = undefined;
  /** The thread takes what was called meanwhile into one transaction. */
  readonly maxCycles = Infinity;
  readonly #closing = new AbortController();
  #opening: Promise<void> | undefined;
  #writer: SqliteThread | undefined;
  #reader: Promise<SqliteThread> | undefined;
  #guard: DatabaseSyncInstance | undefined;

  /**
   * @param onLost called when the files can't be trusted any more, perhaps several times: end the process
   */
  constructor(
    private readonly folder: string,
    private readonly onLost: (error: ReceiverError) => void,
    private readonly onUpgrade: OnUpgrade,
  ) {
    this.location = join(folder, INBOX_FILES.database);
  }

  open(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    const writer = await this.#openWriter();
    try {
      if (this.#closing.signal.aborted) throw inboxClosed(this.location);
      this.#guard = openGuard(this.folder);
    } catch (cause) {
      await writer.close();
      throw openingError(this.folder, cause);
    }
    this.#writer = writer;
  }

  async #openWriter(): Promise<SqliteThread> {
    try {
      return await this.#openThread('write');
    } catch (error) {
      if (!(error instanceof UpgradeNeeded)) throw error;
      if (this.#closing.signal.aborted) throw inboxClosed(this.location);
      const onUpgraded = this.onUpgrade(error.upgrade);
      await upgrade(this.folder, this.#closing.signal);
      onUpgraded();
      return this.#openThread('write');
    }
  }

  #openThread(mode: 'write' | 'read'): Promise<SqliteThread> {
    const options = { folder: this.folder, receiver: this.receiver, room: this.room.shared, mode };
    return SqliteThread.open(options, (reason, cause) => this.#lose(reason, cause));
  }

  #lose(reason: string, cause?: unknown): void {
    const message = `The inbox in ${this.folder} can't be trusted: ${reason}.`;
    this.onLost(
      isDamage(cause)
        ? openingError(this.folder, cause)
        : new ReceiverError('INBOX_LOST', message, { cause }),
    );
  }

  async cycle(input: CycleInput): Promise<CycleOutcome> {
    const call = cycleCall(input);
    const transfer = [call.contents.buffer];
    return (await this.#request(this.#requireOpen(), { kind: 'cycle', call }, transfer)) as CycleOutcome;
  }

  async run(...statements: readonly Sql[]): Promise<readonly Row[]> {
    return (await this.#request(this.#requireOpen(), { kind: 'run', statements })) as Row[];
  }

  async check(): Promise<void> {
    await this.#request(this.#requireOpen(), { kind: 'check' });
  }

  async probeWrite(arrival: KeyedDelivery): Promise<void> {
    const call = cycleCall({ arrivals: [arrival], results: [], polls: false });
    await this.#request(this.#requireOpen(), { kind: 'probe', call });
  }

  async read(statement: Sql): Promise<readonly Row[]> {
    this.#requireOpen();
    this.#reader ??= this.#openThread('read');
    return (await this.#request(await this.#reader, { kind: 'run', statements: [statement] })) as Row[];
  }

  async size(): Promise<{ onDisk: number; inUse: number; free: number }> {
    const [row] = (await this.read(sql`
      SELECT page_size * (page_count - freelist_count) AS "inUse", page_size * freelist_count AS free
      FROM pragma_page_size, pragma_page_count, pragma_freelist_count`)) as readonly {
      readonly inUse: number;
      readonly free: number;
    }[];
    const onDisk = [this.location, `${this.location}-wal`].map((file) => statSync(file).size);
    return { onDisk: onDisk.reduce((sum, bytes) => sum + bytes), ...row! };
  }

  async emptyLog(): Promise<boolean> {
    return (await this.#request(this.#requireOpen(), { kind: 'empty log' })) as boolean;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening?.catch(() => undefined);
    const reader = await this.#reader?.catch(() => undefined);
    await reader?.close();
    try {
      await this.#writer?.request({ kind: 'wait' });
    } catch {
      return this.#writer?.terminate();
    }
    this.#guard?.close();
    await this.#writer?.close();
  }

  async #request(
    thread: SqliteThread,
    request: ThreadRequest,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<unknown> {
    try {
      return await thread.request(request, transfer);
    } catch (cause) {
      const { message } = cause as Error;
      if (thread !== this.#writer)
        throw new ReceiverError(
          'INBOX_UNUSABLE',
          `The inbox at ${this.location} cannot be read: ${message}.`,
          {
            cause,
          },
        );
      throw new ReceiverError(
        'INBOX_WRITE_FAILED',
        `The inbox in ${this.location} could not write: ${message}.${isFull(cause) ? ` ${MAKE_ROOM}` : ''}`,
        { cause },
      );
    }
  }

  /** @throws ReceiverError `INBOX_OPENING`, `INBOX_CLOSED` */
  #requireOpen(): SqliteThread {
    if (this.#closing.signal.aborted) throw inboxClosed(this.location);
    if (this.#writer === undefined) throw inboxOpening(this.location);
    return this.#writer;
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

  /**
   * @throws UpgradeNeeded
   * @throws ReceiverError of the opening
   */
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
  request(request: ThreadRequest, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    this.#worker.postMessage(request, transfer);
    return this.#response();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.request({ kind: 'close' });
    await this.#worker.terminate();
  }

  /** Ends it as it is. */
  async terminate(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
  }

  #response(): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #settle(response: ThreadResponse): void {
    if ('needs' in response) {
      this.#isClosed = true;
      this.#waiting.shift()!.reject(new UpgradeNeeded(response.needs));
      return;
    }
    if ('refused' in response) {
      this.#isClosed = true;
      const { code, message } = response.refused;
      this.#waiting.shift()!.reject(new ReceiverError(code, message, { cause: errorOf(response.fault) }));
      return;
    }
    if ('lost' in response) {
      this.lose(response.lost.message, errorOf(response.lost));
      return;
    }
    const waiting = this.#waiting.splice(0, response.requests);
    if ('fault' in response) {
      const cause = errorOf(response.fault);
      if (isLoss(cause)) this.lose(cause.message, cause);
      for (const { reject } of waiting) reject(cause);
      return;
    }
    const results = response.isCycle ? outcomesOf(response.result as GroupOutcome) : [response.result];
    for (const [index, { resolve }] of waiting.entries()) resolve(results[index]);
  }
}

const errorOf = (fault: SqliteFault): Error => Object.assign(new Error(fault.message), fault);
