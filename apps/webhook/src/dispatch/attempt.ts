import type { Logger } from 'pino';
import type { Attempt, Delivery, DeliveryHandler, TransactionWork } from '@plant-store/handler';

import type { Claimed } from '../inbox/delivery.js';
import type { PostgresTransactions } from '../inbox/postgres/postgres-transactions.js';
import { DescribedError } from '../logging/describe-error.js';
import { endingOf } from './ending.js';
import type { Tracing } from './tracing.js';
import { beat } from './watchdog.js';

/** The team's handler, and what its attempts use. */
export interface AttemptHandler {
  readonly handle: DeliveryHandler;
  /** Each attempt is logged at level debug. */
  readonly logger: Pick<Logger, 'debug' | 'warn'>;
  /** Undefined if nothing traces. */
  readonly tracing?: Tracing | undefined;
  /** Undefined on the embedded inbox. */
  readonly transactions?: Pick<PostgresTransactions, 'run'> | undefined;
}

/** One call of the handler for a delivery. */
export class RunningAttempt implements Attempt {
  readonly #delivery: Delivery;
  readonly #handler: AttemptHandler;
  /** Beside the delivery, which the handler may change. */
  readonly #claimed: Claimed;
  #controller: AbortController | undefined;
  #transaction: Promise<void> | undefined;
  #hasCommitted = false;

  constructor(delivery: Delivery, handler: AttemptHandler) {
    this.#delivery = delivery;
    this.#handler = handler;
    this.#claimed = { id: delivery.id, startedAt: delivery.startedAt };
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  transaction(work: TransactionWork): Promise<void> {
    const { transactions } = this.#handler;
    if (this.#transaction !== undefined)
      throw new Error('An attempt has one transaction. Put everything into it.');
    if (transactions === undefined)
      throw new Error(
        'attempt.transaction needs the shared inbox. Set INBOX_URL to a database of PostgreSQL.',
      );
    this.#transaction = transactions
      .run(this.#claimed, (client) => endingOf(work(client), 'the work of the transaction'), this.signal)
      .then(() => void (this.#hasCommitted = true));
    // The attempt waits for it, too: see `#settle`.
    this.#transaction.catch(() => undefined);
    return this.#transaction;
  }

  /**
   * Calls the handler, in a span if something traces. Returns nothing if the handler has ended by then. Fails with what the
   * handler threw, or with the reason as soon as the attempt is aborted.
   */
  run(): Promise<void> | void {
    const { tracing } = this.#handler;
    return tracing === undefined ? this.#run() : tracing.run(this.#delivery, () => this.#run());
  }

  /** Aborts the handler's signal. The attempt doesn't wait for a handler that ignores it. */
  abort(reason: string): void {
    this.#controller?.abort(new Error(reason));
  }

  #run(): Promise<void> | void {
    const running = this.#call();
    if (running === undefined && this.#transaction === undefined) return undefined;
    return Promise.race([this.#settle(running), this.#aborted()]);
  }

  /** A handler that throws after it has begun a transaction has failed no sooner than that has ended. */
  #call(): Promise<void> | undefined {
    beat();
    const { handle, logger } = this.#handler;
    const { id, method, mediaType, content } = this.#delivery;
    logger.debug({ delivery: id, method, mediaType, bytes: content.length }, 'the handler gets a delivery');
    try {
      return endingOf(handle(this.#delivery, this), 'the handler');
    } catch (thrown) {
      if (this.#transaction === undefined) throw thrown;
      return this.#transaction.finally(() => {
        throw thrown;
      });
    }
  }

  /**
   * Waits for the transaction, too, which the handler may have left alone. It decides about the attempt: one that has failed
   * has failed the attempt, and with one that is committed the delivery is handled.
   */
  async #settle(running: Promise<void> | undefined): Promise<void> {
    try {
      await running;
      await this.#transaction;
    } catch (thrown) {
      await this.#transaction?.catch(() => undefined);
      if (!this.#hasCommitted) throw thrown;
      const fields = { err: new DescribedError(thrown), delivery: this.#claimed.id };
      this.#handler.logger.warn(fields, 'the handler failed after its transaction; the delivery is handled');
    }
  }

  #aborted(): Promise<void> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => (this.#hasCommitted ? resolve() : reject(signal.reason as Error));
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
