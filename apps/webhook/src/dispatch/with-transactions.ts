import type { Logger } from 'pino';

import type { PostgresTransactions } from '../inbox/postgres/postgres-transactions.js';
import type { Attempt, DeliveryHandler } from './attempt.js';

/** The same handler, whose attempts can begin a transaction. The transaction decides about its attempt. */
export function withTransactions(
  handle: DeliveryHandler,
  transactions: PostgresTransactions,
  logger: Logger,
): DeliveryHandler {
  return (delivery, attempt) => {
    // The handler may change what it gets.
    const { id, attempts, claimedAt } = delivery;
    attempt.useTransactions(transactions, { id, attempts, claimedAt });
    const running = handle(delivery, attempt);
    if (running === undefined && attempt.transactionEnded === undefined) return undefined;
    return end(running, attempt).catch((err: unknown) => {
      if (!attempt.hasCommitted) throw err;
      logger.warn({ err, delivery: id }, 'the handler failed after its transaction; the delivery is handled');
    });
  };
}

/** Waits for the transaction, too, which the handler may have left alone. A failed one has failed the attempt. */
async function end(running: Promise<void> | void, attempt: Attempt): Promise<void> {
  try {
    await running;
  } catch (error) {
    await attempt.transactionEnded?.catch(() => undefined);
    throw error;
  }
  await attempt.transactionEnded;
}
