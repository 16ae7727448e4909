import pg from 'pg';
import type { Logger } from 'pino';

import type { PostgresServers } from '../../config/postgres-url.js';
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
import { Connections, openingError, reasonOf, withoutWarning } from './connect.js';
import { isAbandoned, type Lease, renewal, RENEWAL_INTERVAL, takeLease } from './lease.js';
import { makeTables } from './schema.js';
import { writeBatch } from './write-batch.js';

/** How long to wait for a reply before a connection counts as lost, in milliseconds. */
const REPLY_TIMEOUT = 20_000;

/** How often to look for what other receivers have changed, in milliseconds. */
const LOOK_INTERVAL = 1_000;

/** Number of PostgreSQL's type (pg_type.oid). */
const INT8 = 20;

interface Parsers {
  getTypeParser(type: number, format?: string): (value: string) => unknown;
}
const others: Parsers = pg.types;

/** How values of PostgreSQL are read: 64-bit numbers as numbers, since ids, counts and times fit. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: string) =>
    type === INT8 ? Number : others.getTypeParser(type, format),
};

const OPTIONS: pg.PoolConfig = { query_timeout: REPLY_TIMEOUT, types };

/** Is told once that PostgreSQL can't be reached any more, and once that it can. */
export type StoreLog = Pick<Logger, 'warn' | 'info'>;

const SILENT: StoreLog = { warn: () => undefined, info: () => undefined };

/**
 * Opens the database of a shared inbox, on the first server that can be written to, and makes its tables.
 *
 * @param log silent by default
 * @throws ReceiverError `INBOX_UNUSABLE`; nothing is then left open
 */
export async function openPostgresStore(servers: PostgresServers, log: StoreLog = SILENT): Promise<Store> {
  const store = new PostgresStore(servers, log);
  try {
    await store.open();
    return store;
  } catch (error) {
    await store.close();
    throw openingError(servers.location, error);
  }
}

/**
 * One connection writes, one transaction after the other, and others read. If a write has failed, nobody knows whether
 * the server still does it. So the receiver takes a new lease before the next one, which waits for that to end.
 */
class PostgresStore implements Store {
  readonly location: string;
  readonly receiver = nameReceiver();
  readonly dialect: Dialect = {
    schema: 'plant_store.',
    lock: 'FOR UPDATE',
    lockFree: 'FOR UPDATE SKIP LOCKED',
    isAbandoned: isAbandoned(this.receiver),
    noBytes: "''::bytea",
    position: (column, value) => `position(${value} in ${column})`,
  };
  readonly lookInterval = LOOK_INTERVAL;
  readonly #writers: Connections;
  readonly #readers: Connections;
  #lease: Lease | undefined;
  #renewedAt = -Infinity;
  #isLost = false;
  #renewing: NodeJS.Timeout | undefined;

  constructor(
    servers: PostgresServers,
    private readonly log: StoreLog,
  ) {
    this.location = servers.location;
    const onLost = (error: Error): void => this.#noteLoss(error);
    this.#writers = new Connections(servers, { ...OPTIONS, max: 1 }, onLost);
    this.#readers = new Connections(servers, { ...OPTIONS, max: 2 }, onLost);
  }

  async open(): Promise<void> {
    const client = await this.#writers.connect();
    try {
      await makeTables(client, this.location);
      this.#lease = await takeLease(client, this.receiver);
    } finally {
      client.release();
    }
    this.#renewing = setInterval(() => {
      if (performance.now() - this.#renewedAt >= RENEWAL_INTERVAL)
        this.run({ text: 'SELECT', values: [] }).catch(() => undefined);
    }, RENEWAL_INTERVAL / 2).unref();
  }

  async write(batch: WriteBatch): Promise<WriteOutcome> {
    const { arrivals, results } = await this.#withLease((client, lease) => writeBatch(client, lease, batch));
    return {
      arrivals: arrivals.map((arrival) => (arrival instanceof Error ? this.#writeFailed(arrival) : arrival)),
      results: results.map((error) => error && this.#writeFailed(error)),
    };
  }

  run({ text, values }: Statement): Promise<readonly Row[]> {
    return this.#withLease(async (client, { receiver, epoch }) => {
      await client.query('BEGIN');
      const { rowCount } = await client.query(renewal('$1', '$2'), [receiver, epoch]);
      if (rowCount === 0) {
        await client.query('ROLLBACK');
        return undefined;
      }
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      await withoutWarning(client, () => client.query('COMMIT'));
      return rows;
    });
  }

  async read({ text, values }: Statement): Promise<readonly Row[]> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#readers.connect();
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      client.release();
      return rows;
    } catch (cause) {
      client?.release(true);
      const message = `The inbox at ${this.location} cannot be read: ${reasonOf(cause)}.`;
      throw new ReceiverError('INBOX_UNUSABLE', message, { cause });
    }
  }

  async size(): Promise<{ onDisk: number; inUse: number }> {
    const [row] = await this.read({
      text: `SELECT sum(pg_total_relation_size('plant_store.' || name))::bigint AS bytes
        FROM unnest(ARRAY['delivery', 'attempt', 'event']) AS t (name)`,
      values: [],
    });
    const bytes = row!['bytes'] as number;
    return { onDisk: bytes, inUse: bytes };
  }

  async close(): Promise<void> {
    clearInterval(this.#renewing);
    if (this.#lease !== undefined) {
      const text = 'DELETE FROM plant_store.receiver WHERE name = $1';
      await this.run({ text, values: [this.receiver] }).catch(() => undefined);
    }
    await Promise.all([this.#writers.close(), this.#readers.close()]);
  }

  /**
   * Does a step with the connection that writes, after those that were called before.
   *
   * @param step returns undefined if the lease was lost and nothing written, as if the database is an older copy
   */
  async #withLease<Result>(
    step: (client: pg.ClientBase, lease: Lease) => Promise<Result | undefined>,
  ): Promise<Result> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#writers.connect();
      let result: Result | undefined;
      while (result === undefined) {
        this.#lease ??= await takeLease(client, this.receiver);
        result = await step(client, this.#lease);
        if (result === undefined) this.#lease = undefined;
      }
      client.release();
      this.#noteSuccess();
      return result;
    } catch (error) {
      this.#lease = undefined;
      client?.release(true);
      this.#noteLoss(error);
      throw this.#writeFailed(error);
    }
  }

  #noteSuccess(): void {
    this.#renewedAt = performance.now();
    if (this.#isLost) this.log.info('the inbox can be written to again');
    this.#isLost = false;
  }

  #noteLoss(err: unknown): void {
    if (!this.#isLost) this.log.warn({ err }, 'the inbox cannot be written to');
    this.#isLost = true;
  }

  #writeFailed(cause: unknown): ReceiverError {
    const message = `The inbox at ${this.location} could not write: ${reasonOf(cause)}.`;
    return new ReceiverError('INBOX_WRITE_FAILED', message, { cause });
  }
}
