import type { Logger } from 'pino';

import type { Claimed, Delivery } from '../inbox/delivery.js';
import type { PostgresTransactions, TransactionWork } from '../inbox/postgres/postgres-transactions.js';

/** What is done with a delivery. It may be called again for the same one. */
export type DeliveryHandler = (delivery: Delivery, attempt: Attempt) => Promise<void> | void;

/** One call of the handler for one delivery. */
export class Attempt {
  #controller: AbortController | undefined;
  #run: ((work: TransactionWork) => Promise<void>) | undefined;
  #transaction: Promise<void> | undefined;
  #hasCommitted = false;

  /** Aborts when the attempt has taken too long, or when the receiver stops. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * Runs `work` in a transaction of the shared inbox's database, and commits it together with the fact that the delivery
   * is handled. What `work` writes with its client is written exactly once, whatever ends the process or the connection.
   *
   * - If `work` rejects, or the attempt is aborted, everything is rolled back and the attempt has failed.
   * - `work` may run again in the next attempt. It doesn't run if an earlier attempt has committed.
   * - Once it is committed, the delivery is handled, even if the handler throws afterwards.
   * - An attempt has one transaction. `work` must not end it.
   *
   * @throws Error on the embedded inbox, which has no database for the handler; and if it is called again
   */
  transaction(work: TransactionWork): Promise<void> {
    if (this.#transaction !== undefined)
      throw new Error('An attempt has one transaction. Put everything into it.');
    if (this.#run === undefined)
      throw new Error(
        'attempt.transaction needs the shared inbox. Set INBOX_URL to a database of PostgreSQL.',
      );
    this.#transaction = this.#run(work).then(() => void (this.#hasCommitted = true));
    // Whoever runs the handler waits for it, too: see `transactionEnded`.
    this.#transaction.catch(() => undefined);
    return this.#transaction;
  }

  /** Makes it possible to begin a transaction. */
  useTransactions(transactions: Pick<PostgresTransactions, 'run'>, claimed: Claimed): void {
    this.#run = (work) => transactions.run(claimed, work, this.signal);
  }

  /** Settles with the transaction; undefined if there is none. */
  get transactionEnded(): Promise<void> | undefined {
    return this.#transaction;
  }

  /** Whether the transaction is committed, and with it the delivery handled. */
  get hasCommitted(): boolean {
    return this.#hasCommitted;
  }

  /** Aborts the handler's signal. The attempt doesn't wait for a handler that ignores it. */
  abort(reason: string): void {
    this.#controller?.abort(new Error(reason));
  }
}

/**
 * Runs one attempt, and returns nothing if the handler has ended by then. Rejects with what the handler threw, or with the
 * reason as soon as the attempt is aborted.
 */
export function callHandler(
  handle: DeliveryHandler,
  delivery: Delivery,
  attempt: Attempt,
): Promise<void> | void {
  const running = handle(delivery, attempt);
  return running === undefined ? undefined : Promise.race([running, aborted(attempt)]);
}

function aborted(attempt: Attempt): Promise<void> {
  const { signal } = attempt;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => (attempt.hasCommitted ? resolve() : reject(signal.reason as Error));
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** The same handler, whose attempts can begin a transaction. The transaction decides about its attempt. */
export function withTransactions(
  handle: DeliveryHandler,
  transactions: PostgresTransactions,
  logger: Logger,
): DeliveryHandler {
  return (delivery, attempt) => {
    // The handler may change what it gets.
    const { id, startedAt } = delivery;
    attempt.useTransactions(transactions, { id, startedAt });
    const running = handle(delivery, attempt);
    if (running === undefined && attempt.transactionEnded === undefined) return undefined;
    return endWithTransaction(running, attempt).catch((err: unknown) => {
      if (!attempt.hasCommitted) throw err;
      logger.warn({ err, delivery: id }, 'the handler failed after its transaction; the delivery is handled');
    });
  };
}

/** Waits for the transaction, too, which the handler may have left alone. A failed one has failed the attempt. */
async function endWithTransaction(running: Promise<void> | void, attempt: Attempt): Promise<void> {
  try {
    await running;
  } catch (error) {
    await attempt.transactionEnded?.catch(() => undefined);
    throw error;
  }
  await attempt.transactionEnded;
}
