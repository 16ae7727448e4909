import type pg from 'pg';
import type { Logger } from 'pino';

import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { Connections, reasonOf } from './connect.js';
import { type Lease, takeLease } from './lease.js';
import { migrate } from './migrate.js';

/** Is told once that PostgreSQL can't be reached any more, and once that it can. */
export type WriterLog = Pick<Logger, 'warn' | 'info'>;

/**
 * The connection by which a receiver writes, one transaction after the other. If a write has failed, nobody knows whether
 * the server still does it. So the receiver takes a new lease before the next one, which waits for that to end.
 */
export class Writer {
  readonly #connections: Connections;
  #lease: Lease | undefined;
  #isLost = false;

  constructor(
    private readonly servers: PostgresServers,
    private readonly receiver: string,
    private readonly log: WriterLog,
    options: pg.PoolConfig,
  ) {
    this.#connections = new Connections(servers, { ...options, max: 1 }, (error) => this.#noteLoss(error));
  }

  /** Brings the tables to the version of this receiver, and takes its lease. */
  async open(): Promise<void> {
    const client = await this.#connections.connect();
    try {
      await migrate(client, this.servers.location);
      this.#lease = await takeLease(client, this.receiver);
    } finally {
      client.release();
    }
  }

  /**
   * Does a step after those that were called before.
   *
   * @param step returns undefined if the lease was lost and nothing written, as if the database is an older copy
   * @throws ReceiverError `INBOX_WRITE_FAILED`; nobody knows what was written
   */
  async write<Result>(
    step: (client: pg.ClientBase, lease: Lease) => Promise<Result | undefined>,
  ): Promise<Result> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#connections.connect();
      let result: Result | undefined;
      while (result === undefined) {
        this.#lease ??= await takeLease(client, this.receiver);
        result = await step(client, this.#lease);
        if (result === undefined) this.#lease = undefined;
      }
      client.release();
      if (this.#isLost) this.log.info('the inbox can be written to again');
      this.#isLost = false;
      return result;
    } catch (error) {
      this.#lease = undefined;
      client?.release(true);
      this.#noteLoss(error);
      throw this.failure(error);
    }
  }

  failure(cause: unknown): ReceiverError {
    const message = `The inbox at ${this.servers.location} could not write: ${reasonOf(cause)}.`;
    return new ReceiverError('INBOX_WRITE_FAILED', message, { cause });
  }

  /** Gives the lease back, so that others needn't wait for its end. */
  async close(): Promise<void> {
    if (this.#lease !== undefined) {
      const text = 'DELETE FROM plant_store.receiver WHERE name = $1';
      await this.write((client) => client.query(text, [this.receiver])).catch(() => undefined);
    }
    await this.#connections.close();
  }

  #noteLoss(err: unknown): void {
    if (!this.#isLost) this.log.warn({ err }, 'the inbox cannot be written to');
    this.#isLost = true;
  }
}
