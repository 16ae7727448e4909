import type { Logger } from 'pino';
import type { Attempt, Delivery, DeliveryHandler, TransactionWork } from '@plant-store/handler';

import type { Claimed } from '../inbox/delivery.js';
import type { PostgresTransactions } from '../inbox/postgres/postgres-transactions.js';
import { DescribedError } from '../logging/describe-error.js';
import { endingOf } from './ending.js';

/** Runs an attempt for a delivery. */
export type AttemptRunner = (delivery: Delivery, attempt: RunningAttempt) => Promise<void> | void;

/** An attempt as its runner sees it. */
export class RunningAttempt implements Attempt {
  #controller: AbortController | undefined;
  #run: ((work: TransactionWork) => Promise<void>) | undefined;
  #transaction: Promise<void> | undefined;
  #hasCommitted = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

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
    this.#run = (work) =>
      transactions.run(
        claimed,
        (client) => endingOf(work(client), 'the work of the transaction'),
        this.signal,
      );
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
  handle: AttemptRunner,
  delivery: Delivery,
  attempt: RunningAttempt,
): Promise<void> | void {
  const running = handle(delivery, attempt);
  return running === undefined ? undefined : Promise.race([running, aborted(attempt)]);
}

function aborted(attempt: RunningAttempt): Promise<void> {
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
): AttemptRunner {
  return (delivery, attempt) => {
    // The handler may change what it gets.
    const { id, startedAt } = delivery;
    attempt.useTransactions(transactions, { id, startedAt });
    const running = callAtOnce(handle, delivery, attempt);
    if (running === undefined && attempt.transactionEnded === undefined) return undefined;
    return endWithTransaction(running, attempt).catch((thrown: unknown) => {
      if (!attempt.hasCommitted) throw thrown;
      const err = new DescribedError(thrown, true);
      logger.warn({ err, delivery: id }, 'the handler failed after its transaction; the delivery is handled');
    });
  };
}

/** A handler that throws after it has begun a transaction has failed no sooner than that has ended. */
function callAtOnce(
  handle: DeliveryHandler,
  delivery: Delivery,
  attempt: RunningAttempt,
): Promise<void> | void {
  try {
    return handle(delivery, attempt);
  } catch (thrown) {
    if (attempt.transactionEnded === undefined) throw thrown;
    return attempt.transactionEnded.finally(() => {
      throw thrown;
    });
  }
}

/** Waits for the transaction, too, which the handler may have left alone. A failed one has failed the attempt. */
async function endWithTransaction(running: Promise<void> | void, attempt: RunningAttempt): Promise<void> {
  try {
    await running;
  } catch (error) {
    await attempt.transactionEnded?.catch(() => undefined);
    throw error;
  }
  await attempt.transactionEnded;
}
