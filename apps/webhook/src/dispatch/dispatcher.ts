import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import { LONGEST_TIMER } from '../config/config.js';
import { ReceiverError } from '../errors.js';
import type { AttemptResult, Delivery, Inbox, Interrupted } from '../inbox/inbox.js';
import { errorText } from '../logging/describe-error.js';
import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { NO_OBSERVER, type Observer } from '../observer.js';
import { Attempt, type DeliveryHandler } from './attempt.js';
import { backoff } from './backoff.js';

/** Limits of the dispatcher. Times in milliseconds. */
export interface DispatcherLimits {
  /** Attempts that run at a time. */
  readonly concurrency: number;
  /** Longest time of one attempt. */
  readonly timeout: number;
  /** After this many failures a delivery is parked. */
  readonly maxAttempts: number;
  /** Longest wait after the first failure. It doubles with each further one. */
  readonly backoff: number;
  readonly maxBackoff: number;
}

/** Most attempts that run or whose result waits to be stored. While there are as many, no further attempt starts. */
const MAX_UNSETTLED = 1_024;

const HANDLED: AttemptResult = { kind: 'handled' };

/** How long to wait before the inbox is tried again after it failed, in milliseconds. */
const INBOX_RETRY = 1_000;

/** The process in which the handler ran has ended. The attempt may be the cause. */
class ProcessEnded extends Error {}

/**
 * Hands deliveries from the inbox to a handler, each at least once. A failed one comes again with backoff. After the
 * last attempt it is parked and stays stored.
 */
export class Dispatcher {
  readonly #attempts = new Set<Attempt>();
  /** Deliveries whose attempt has ended and whose result isn't stored yet. */
  #unsettled = 0;
  #onIdle: (() => void) | undefined;
  readonly #stopping = new AbortController();
  readonly #logUnread: WriteLine;
  readonly #logUnstored: WriteLine;
  #hasRecovered = false;
  #isWaking = false;
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #deadline: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly inbox: Inbox,
    private readonly handler: DeliveryHandler,
    private readonly limits: DispatcherLimits,
    private readonly logger: Logger,
    private readonly observer: Pick<Observer, 'attempted'> = NO_OBSERVER,
  ) {
    this.#logUnread = throttledLog((fields) => logger.error(fields, 'failed to read the inbox'));
    this.#logUnstored = throttledLog((fields) =>
      logger.error(fields, 'failed to store the result of a delivery'),
    );
    // While the inbox can't write, every result that waits for it listens; Node would warn of a leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  /**
   * Looks for deliveries that are due, in the next turn of the loop. Call it at the start and whenever a delivery was
   * accepted. A handler may block, so the responses to what was stored must go out before it starts.
   */
  wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#look();
    });
  }

  #look(): void {
    if (this.#stopping.signal.aborted || this.#freeSlots() === 0) return;
    this.#claimAgain = this.#claiming !== undefined;
    this.#claiming ??= this.#claim();
  }

  /**
   * Starts no further attempt. Resolves when the attempts under way have ended and their results are stored. Attempts
   * that still run when the deadline aborts are aborted; their deliveries come again after a restart.
   */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#deadline = deadline;
    this.#stopping.abort();
    clearTimeout(this.#timer);
    const abort = (): void => this.#attempts.forEach((attempt) => attempt.abort('the receiver is stopping'));
    if (deadline.aborted) abort();
    else deadline.addEventListener('abort', abort, { once: true });
    await this.#claiming;
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    deadline.removeEventListener('abort', abort);
  }

  #freeSlots(): number {
    if (this.#attempts.size + this.#unsettled >= MAX_UNSETTLED) return 0;
    return this.limits.concurrency - this.#attempts.size;
  }

  async #claim(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      // It also waits a moment, so that attempts that end together make one claim, and one write of the inbox.
      await (this.#hasRecovered ? undefined : this.#recover());
      await this.#claimDue();
    } catch (err) {
      this.#logUnread({ err });
      this.#wakeIn(INBOX_RETRY);
    }
    this.#claiming = undefined;
    if (this.#claimAgain) this.#look();
  }

  async #claimDue(): Promise<void> {
    const { deliveries, nextDueIn, interrupted = [] } = await this.inbox.claim(this.#freeSlots());
    if (this.#stopping.signal.aborted) return;
    for (const delivery of deliveries) this.#attempt(delivery);
    for (const delivery of interrupted)
      void this.#settleCutOff(delivery, 'another receiver ended during the attempt');
    if (nextDueIn !== undefined) this.#wakeIn(nextDueIn);
  }

  /** Counts attempts that the end of the process cut off as failed, before anything is handled. */
  async #recover(): Promise<void> {
    const interrupted = await this.inbox.recover(this.limits.maxBackoff);
    await Promise.all(
      interrupted.map((delivery) => this.#settleCutOff(delivery, 'the process ended during the attempt')),
    );
    this.#hasRecovered = true;
  }

  #settleCutOff(delivery: Interrupted, message: string): Promise<void> {
    return this.#settle(delivery, this.#failure(delivery, new ProcessEnded(message)));
  }

  #wakeIn(milliseconds: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(milliseconds, LONGEST_TIMER));
  }

  /** Most handlers return at once. To wait for each of them would cost more than all else here. */
  #attempt(delivery: Delivery): void {
    // The handler may change what it gets.
    const counted: Interrupted = { id: delivery.id, failures: delivery.failures };
    const attempt = new Attempt();
    this.#attempts.add(attempt);
    const start = performance.now();
    const handled = (): void => this.#end(attempt, start, counted, HANDLED);
    const failed = (error: unknown): void => this.#fail(attempt, start, counted, error);
    let running: Promise<void> | void;
    try {
      running = this.#run(attempt, delivery);
    } catch (error) {
      return failed(error);
    }
    if (running === undefined) handled();
    else running.then(handled, failed);
  }

  /** An attempt that was aborted because the receiver stops has no result, and is no failure. */
  #fail(attempt: Attempt, start: number, delivery: Interrupted, error: unknown): void {
    const isStopping = this.#deadline?.aborted === true;
    this.#end(attempt, start, delivery, isStopping ? undefined : this.#failure(delivery, error));
  }

  #end(attempt: Attempt, start: number, delivery: Interrupted, result: AttemptResult | undefined): void {
    this.#attempts.delete(attempt);
    if (result !== undefined) {
      this.observer.attempted(result.kind, performance.now() - start);
      // Not awaited: whatever waits keeps the content in memory.
      void this.#settle(delivery, result);
    }
    if (this.#isIdle()) this.#onIdle?.();
    this.#look();
  }

  #isIdle(): boolean {
    return this.#attempts.size === 0 && this.#unsettled === 0;
  }

  #run(attempt: Attempt, delivery: Delivery): Promise<void> | void {
    const running = this.handler(delivery, attempt);
    return running && this.#limit(running, attempt);
  }

  async #limit(running: Promise<void>, attempt: Attempt): Promise<void> {
    const { timeout } = this.limits;
    const timer = setTimeout(() => attempt.abort(`the handler took longer than ${timeout} ms`), timeout);
    try {
      await running;
    } finally {
      clearTimeout(timer);
    }
  }

  #failure(delivery: Interrupted, error: unknown): AttemptResult {
    const failures = delivery.failures + 1;
    const fields = { err: error, delivery: delivery.id, failures };
    if (failures >= this.limits.maxAttempts) {
      this.logger.error(fields, 'the handler failed for the last time; the delivery is parked');
      return { kind: 'parked', error: errorText(error) };
    }
    const retryAfter = backoff(failures, this.limits.backoff, this.limits.maxBackoff);
    this.logger.warn({ ...fields, retryAfter }, 'the handler failed; the delivery comes again');
    return { kind: 'failed', error: errorText(error), retryAfter, suspect: error instanceof ProcessEnded };
  }

  /**
   * Retries until the result is written: a full disk must not cause a delivery to be handled again. Until then it counts
   * as unsettled.
   */
  async #settle(delivery: Interrupted, result: AttemptResult): Promise<void> {
    const { signal } = this.#stopping;
    this.#unsettled += 1;
    for (;;) {
      try {
        await this.inbox.settle(delivery, result);
        break;
      } catch (err) {
        this.#logUnstored({ err, delivery: delivery.id });
        // What is written already must not be written again: the next attempt may run.
        if (signal.aborted || (err instanceof ReceiverError && err.code === 'INBOX_LOST')) break;
        await delay(INBOX_RETRY, undefined, { signal }).catch(() => undefined);
      }
    }
    this.#unsettled -= 1;
    if (this.#isIdle()) this.#onIdle?.();
    this.wake();
  }
}
