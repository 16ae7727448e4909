import type { Delivery } from '../inbox/delivery.js';
import type { TransactionWork } from '../inbox/postgres/postgres-transactions.js';

/** Everything that a handler imports of the receiver, as `@plant-store/webhook/handler`. Nothing here needs Nest. */
export type { Delivery, HeaderField } from '../inbox/delivery.js';
export type { TransactionClient, TransactionWork } from '../inbox/postgres/postgres-transactions.js';
export { LOGGER } from '../logging/logger.js';
export type { Logger } from 'pino';

/**
 * What is done with a delivery. It may be called again for the same one, which has the same `key`. It returns nothing, or a
 * promise of nothing: with anything else, such as an Observable or a Response, the attempt has failed.
 */
export type DeliveryHandler = (delivery: Delivery, attempt: Attempt) => Promise<void> | void;

/** A class whose instances handle deliveries. With `implements Handler`, the compiler says what `handle` may return. */
export interface Handler {
  readonly handle: DeliveryHandler;
}

/** One call of the handler for one delivery. */
export interface Attempt {
  /** Aborts when the attempt has taken too long, or when the receiver stops. */
  readonly signal: AbortSignal;

  /**
   * Runs `work` in a transaction of the shared inbox's database, and commits it together with the fact that the delivery
   * is handled. What `work` writes with its client is written exactly once, whatever ends the process or the connection.
   *
   * - If `work` rejects or returns something, or the attempt is aborted, everything is rolled back and the attempt has
   *   failed.
   * - `work` may run again in the next attempt. It doesn't run if an earlier attempt has committed.
   * - Once it is committed, the delivery is handled, even if the handler throws afterwards.
   * - An attempt has one transaction. `work` must not end it.
   *
   * @throws Error on the embedded inbox, which has no database for the handler; and if it is called again
   */
  transaction(work: TransactionWork): Promise<void>;
}
