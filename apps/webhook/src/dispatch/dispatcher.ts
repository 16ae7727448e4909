import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

import type { Logger } from 'pino';

import type { Delivery, Inbox, Outcome } from '../inbox/inbox.js';
import { type LogOccasion, limitRate } from '../logging/limit-rate.js';
import { Attempt, type DeliveryHandler } from './attempt.js';
import { backoff } from './backoff.js';

/** Guards of the dispatcher. Times in milliseconds. */
export interface DispatcherGuards {
  /** Attempts that run at a time. */
  readonly concurrency: number;
  /** One attempt may take this long. */
  readonly timeout: number;
  /** After this many failures a delivery is parked. */
  readonly maxAttempts: number;
  /** Wait after the first failure; it doubles with each. */
  readonly backoff: number;
  readonly maxBackoff: number;
}

/** Most attempts whose outcome waits to be written; beyond it no further one starts. */
const MAX_UNSETTLED = 1_024;

/** How long to wait before the inbox is asked again after it failed, in milliseconds. */
const INBOX_RETRY = 1_000;

/** Longest time that a Node timer takes. */
const MAX_TIMER = 2_147_483_647;

/**
 * Hands deliveries from the inbox to a handler, each at least once. A failed one comes again with backoff; after
 * the last attempt it is parked and kept.
 */
export class Dispatcher {
  readonly #attempts = new Set<Attempt>();
  readonly #unsettled = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #logUnwritten: LogOccasion;
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #deadline: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly inbox: Inbox,
    private readonly handler: DeliveryHandler,
    private readonly guards: DispatcherGuards,
    private readonly logger: Logger,
  ) {
    this.#logUnwritten = limitRate((fields) =>
      logger.error(fields, 'what became of a delivery could not be written'),
    );
    // While the inbox cannot write, every outcome that waits for it listens; Node would warn of a leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Looks for deliveries that are due. To be called at the start and whenever one was accepted. */
  wake(): void {
    if (this.#stopping.signal.aborted || this.#freeSlots() === 0) return;
    this.#claimAgain = this.#claiming !== undefined;
    this.#claiming ??= this.#claim();
  }

  /**
   * Starts no further attempt and resolves when those under way have ended and what became of them is
   * written. Attempts that are under way when the deadline aborts are cut short: their deliveries come again after
   * a restart.
   */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#deadline = deadline;
    this.#stopping.abort();
    clearTimeout(this.#timer);
    const cutShort = (): void =>
      this.#attempts.forEach((attempt) => attempt.cutShort('the receiver is stopping'));
    if (deadline.aborted) cutShort();
    else deadline.addEventListener('abort', cutShort, { once: true });
    await this.#claiming;
    await Promise.all(this.#unsettled);
    deadline.removeEventListener('abort', cutShort);
  }

  #freeSlots(): number {
    if (this.#unsettled.size >= MAX_UNSETTLED) return 0;
    return this.guards.concurrency - this.#attempts.size;
  }

  async #claim(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const { deliveries, nextDueIn } = await this.inbox.claim(this.#freeSlots());
      if (this.#stopping.signal.aborted) return;
      for (const delivery of deliveries) this.#start(delivery);
      if (nextDueIn !== undefined) this.#wakeIn(nextDueIn);
    } catch (err) {
      this.logger.error({ err }, 'the inbox could not be read');
      this.#wakeIn(INBOX_RETRY);
    }
    this.#claiming = undefined;
    if (this.#claimAgain) this.wake();
  }

  #wakeIn(milliseconds: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(milliseconds, MAX_TIMER));
  }

  #start(delivery: Delivery): void {
    const settled = this.#attempt(delivery).finally(() => {
      this.#unsettled.delete(settled);
      this.wake();
    });
    this.#unsettled.add(settled);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const attempt = new Attempt();
    this.#attempts.add(attempt);
    const outcome = await this.#outcome(attempt, delivery);
    this.#attempts.delete(attempt);
    this.wake();
    if (outcome !== undefined) await this.#settle(delivery, outcome);
  }

  /** What became of an attempt; undefined if it was cut short because the receiver stops, which is no failure. */
  async #outcome(attempt: Attempt, delivery: Delivery): Promise<Outcome | undefined> {
    try {
      await attempt.run(this.handler, delivery, this.guards.timeout);
      return { kind: 'handled' };
    } catch (error) {
      return this.#deadline?.aborted === true ? undefined : this.#failure(delivery, error);
    }
  }

  #failure(delivery: Delivery, error: unknown): Outcome {
    const failures = delivery.failures + 1;
    const fields = { err: error, delivery: delivery.id, failures };
    if (failures >= this.guards.maxAttempts) {
      this.logger.error(fields, 'the handler failed for the last time; the delivery is parked');
      return { kind: 'parked', error: describe(error) };
    }
    const retryAfter = backoff(failures, this.guards.backoff, this.guards.maxBackoff);
    this.logger.warn({ ...fields, retryAfter }, 'the handler failed; the delivery comes again');
    return { kind: 'failed', error: describe(error), retryAfter };
  }

  /** Until the outcome is written it is kept here: a full disk must not make a delivery be handled again. */
  async #settle(delivery: Delivery, outcome: Outcome): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      try {
        await this.inbox.settle(delivery, outcome);
        return;
      } catch (err) {
        this.#logUnwritten({ err, delivery: delivery.id });
        if (signal.aborted) return;
        await delay(INBOX_RETRY, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
