import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import type { HandlerTransactions, TransactionClient, TransactionWork } from '../handler-transactions.js';
import { connectToPrimary, FOR_THE_HANDLER } from './connect.js';
import { destroy, queryAll } from './session.js';

/**
 * Transactions of the handler, on connections of their own: as many as run at a time. A row of `effect` tells that the
 * delivery is handled. It comes first in the transaction, so that of two attempts at the same delivery, by whichever
 * receiver, the second waits for the first and then knows whether it has committed.
 */
export class PostgresTransactions implements HandlerTransactions {
  readonly #idle: pg.Client[] = [];

  constructor(private readonly servers: PostgresServers) {}

  async run(deliveryId: number, work: TransactionWork, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const client = this.#idle.pop() ?? (await this.#connect());
    const abort = (): void => destroy(client);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      await transact(client, deliveryId, work);
      this.#idle.push(client);
    } catch (error) {
      // It is rolled back. If it was about to be committed, the next attempt finds what became of it.
      destroy(client);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((client) => client.end()));
  }

  async #connect(): Promise<pg.Client> {
    const { client } = await connectToPrimary(this.servers, FOR_THE_HANDLER);
    client.once('end', () => {
      const index = this.#idle.indexOf(client);
      if (index !== -1) this.#idle.splice(index, 1);
    });
    return client;
  }
}

/** @throws Error if it isn't certain that the transaction is committed, here and on the standbys */
async function transact(client: pg.Client, deliveryId: number, work: TransactionWork): Promise<void> {
  const [, inserted] = await queryAll(
    client,
    `BEGIN ISOLATION LEVEL READ COMMITTED;
     INSERT INTO plant_store.effect (delivery_id) VALUES (${deliveryId}) ON CONFLICT DO NOTHING`,
  );
  if (inserted!.rowCount === 0) {
    await client.query('ROLLBACK');
    return;
  }
  await callWith(client, work);
  let warning: string | undefined;
  const onNotice = ({ message }: { message?: string | undefined }): void =>
    void (warning ??= message ?? 'a warning');
  client.on('notice', onNotice);
  try {
    await queryAll(
      client,
      `DELETE FROM plant_store.backlog WHERE delivery_id IN
         (SELECT delivery_id FROM plant_store.effect WHERE delivery_id = ${deliveryId});
       SET LOCAL client_min_messages = warning;
       COMMIT`,
    );
  } catch (cause) {
    if ((cause as { code?: string }).code !== HAS_FAILED) throw cause;
    throw new Error('The transaction was rolled back, because one of its statements had failed.', { cause });
  }
  client.off('notice', onNotice);
  // With a warning, a commit may be on this server only, because its wait for a standby was cancelled.
  if (warning !== undefined)
    throw new Error(`It is not certain that the transaction is committed: ${warning}.`);
}

/** SQLSTATE of a statement that comes after one that failed (in_failed_sql_transaction). */
const HAS_FAILED = '25P02';

/** Lends the client to the work, until that has ended. */
async function callWith(client: pg.Client, work: TransactionWork): Promise<void> {
  let isOver = false;
  const query = (...args: Parameters<pg.Client['query']>): unknown => {
    if (isOver) throw new Error('The transaction is over. Wait for each query before the function returns.');
    return client.query(...args);
  };
  try {
    await work({ query } as TransactionClient);
  } finally {
    isOver = true;
  }
}
