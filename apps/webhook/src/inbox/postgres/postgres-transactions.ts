import type { TransactionClient, TransactionWork } from '@plant-store/handler';
import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import type { Claimed } from '../delivery.js';
import { transition } from '../transitions.js';
import { Connections } from './connect.js';
import { BEGIN, DURABLE_SETTINGS, NOW, withoutWarning } from './durable.js';

/** As many as HANDLER_CONCURRENCY may be. */
const MAX_CONNECTIONS = 1_000;

/** How long a connection that nobody needs stays open, in milliseconds. */
const IDLE_TIME = 60_000;

/** SQLSTATE of a statement that comes after one that failed (in_failed_sql_transaction). */
const HAS_FAILED = '25P02';

/**
 * Transactions of the handler, on connections of their own. Each begins with the delivery's change to `handled`, which
 * locks its row: a second transaction for the same delivery, at whichever receiver, waits for the first one, and then
 * knows what became of it.
 */
export class PostgresTransactions {
  readonly #connections: Connections;

  /** @param receiver the name of this process in the inbox */
  constructor(
    servers: PostgresServers,
    private readonly receiver: string,
  ) {
    this.#connections = new Connections(servers, {
      application_name: 'plant-store-webhook handler',
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_TIME,
    });
  }

  /**
   * Runs `work` in a transaction and commits it together with the fact that the delivery is handled. If that was
   * committed before, it doesn't run `work`. If it rejects, nothing is written, or the next call finds what was.
   *
   * @param signal rolls back what isn't committed
   */
  async run(claimed: Claimed, work: TransactionWork, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const client = await this.#connections.connect();
    let isReleased = false;
    const release = (destroy: boolean): void => {
      if (!isReleased) client.release(destroy);
      isReleased = true;
    };
    // Without the connection, the server rolls the transaction back.
    const abort = (): void => release(true);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      await transact(client, claimed, this.receiver, work);
      release(false);
    } catch (error) {
      release(true);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Closes the connections. Call it when no transaction runs. */
  close(): Promise<void> {
    return this.#connections.close();
  }
}

/** @throws Error if it isn't certain that the transaction is committed, here and on the standbys */
async function transact(
  client: pg.ClientBase,
  { id, startedAt }: Claimed,
  receiver: string,
  work: TransactionWork,
): Promise<void> {
  await client.query(`${BEGIN}; SELECT ${DURABLE_SETTINGS}`);
  const { rowCount } = await client.query(
    `UPDATE plant_store.delivery SET ${transition('complete', { now: NOW })}
     WHERE id = $1 AND claimed_at = $2 AND receiver = $3 AND state = 'running'`,
    [id, startedAt, receiver],
  );
  if (rowCount === 0) {
    const { rows } = await client.query<{ state: string }>(
      'SELECT state FROM plant_store.delivery WHERE id = $1',
      [id],
    );
    await client.query('ROLLBACK');
    if (rows[0]?.state === 'handled') return;
    throw new Error(`This attempt has lost delivery ${id}, to another receiver or an operator.`);
  }
  await callWith(client, work);
  try {
    // The work may have set others.
    await client.query(`SELECT ${DURABLE_SETTINGS}`);
    await withoutWarning(client, () => client.query('COMMIT'));
  } catch (cause) {
    if ((cause as { code?: string }).code !== HAS_FAILED) throw cause;
    throw new Error('The transaction was rolled back, because one of its statements had failed.', { cause });
  }
}

/** Lends the client to the work, until that has ended. */
async function callWith(client: pg.ClientBase, work: TransactionWork): Promise<void> {
  let isOver = false;
  const query = (...args: Parameters<pg.ClientBase['query']>): unknown => {
    if (isOver) throw new Error('The transaction is over. Wait for each query before the function returns.');
    return client.query(...args);
  };
  try {
    await work({ query } as TransactionClient);
  } finally {
    isOver = true;
  }
}
