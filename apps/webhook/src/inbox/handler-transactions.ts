import type { ClientBase } from 'pg';

import type { Claimed } from './inbox.js';

/** Runs the statements of one transaction. Libraries that take a client of `pg` take it. */
export type TransactionClient = Pick<ClientBase, 'query'>;

/** What a handler does in a transaction. */
export type TransactionWork = (client: TransactionClient) => Promise<unknown>;

/** Transactions of the handler, in the database of the inbox. */
export interface HandlerTransactions {
  /**
   * Runs `work` in a transaction and commits it together with the fact that the delivery is handled. If that was
   * committed before, it doesn't run `work`. If it rejects, nothing is written, or the next call finds what was.
   *
   * @param signal rolls back what isn't committed
   */
  run(claimed: Claimed, work: TransactionWork, signal: AbortSignal): Promise<void>;

  /** Closes the connections. Call it when no transaction runs. */
  close(): Promise<void>;
}
