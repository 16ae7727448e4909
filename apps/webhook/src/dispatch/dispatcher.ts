import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import { LONGEST_TIMER } from '../config/config.js';
import type { AttemptResult, Claimed, Delivery, Inbox } from '../inbox/inbox.js';
import { errorStack, errorText } from '../logging/describe-error.js';
import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { NO_OBSERVER, type Observer } from '../observer.js';
import { Attempt, type DeliveryHandler } from './attempt.js';
import { backoff } from './backoff.js';

/** Limits of the dispatcher. Times in milliseconds. */
export interface DispatcherLimits {
  /** Attempts that run at a time. With 0, there are none: others that share the inbox make them. */
  readonly concurrency: number;
  /** Longest time of one attempt. */
  readonly timeout: number;
  /** After this many attempts that failed a delivery is parked. */
  readonly maxAttempts: number;
  /** Longest wait after the first failure. It doubles with each further one. */
  readonly backoff: number;
  readonly maxBackoff: number;
}

/** Most deliveries that are claimed at a time: attempts, those that wait for one, and results that wait to be stored. */
const MAX_CLAIMED = 1_024;

/** What the handler does in this time is claimed ahead, in milliseconds. The next claim comes earlier. */
const AHEAD = 50;

const HANDLED = { kind: 'handled' } as const;
const RELEASED = { kind: 'released' } as const;

/** What is stored of an attempt during which a process ended. */
const CUT_OFF = { error: 'the process ended during the attempt', stack: null };

/** What becomes of an attempt that this process makes. */
type Ended = Exclude<AttemptResult, { readonly kind: 'interrupted' }>;

/** How long to wait before the inbox is tried again after it failed, in milliseconds. */
const INBOX_RETRY = 1_000;

/**
 * Hands deliveries from the inbox to a handler, each at least once. A failed one comes again with backoff. After the
 * last attempt it is parked and stays stored.
 *
 * It claims what it can begin at once, and for a handler that is quick, what it does in 50 ms: so one write of the inbox
 * claims many, and under load, arrivals are claimed as they are stored.
 */
export class Dispatcher {
  readonly #attempts = new Set<Attempt>();
  /** Claimed, for the next free places. */
  readonly #queue: Delivery[] = [];
  /** Deliveries whose attempt has ended and whose result isn't stored yet. */
  #unsettled = 0;
  /** How many attempts have ended since a time. */
  #ended = 0;
  #countedFrom = performance.now();
  /** How many deliveries the handler does in the time for which it has them ahead. */
  #pace = 0;
  #onIdle: (() => void) | undefined;
  readonly #stopping = new AbortController();
  readonly #logUnread: WriteLine;
  readonly #logUnstored: WriteLine;
  #isWaking = false;
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #deadline: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly inbox: Pick<Inbox, 'claim' | 'settle'>,
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
    for (const delivery of this.#queue.splice(0)) void this.#settle(delivery, RELEASED, delivery.claimedAt);
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    deadline.removeEventListener('abort', abort);
  }

  #look(): void {
    if (this.#stopping.signal.aborted) return;
    this.#startQueued();
    if (this.#room() === 0) return;
    this.#claimAgain = this.#claiming !== undefined;
    this.#claiming ??= this.#claim();
  }

  #startQueued(): void {
    while (this.#attempts.size < this.limits.concurrency && this.#queue.length > 0)
      this.#attempt(this.#queue.shift()!);
  }

  #keepPace(): void {
    const elapsed = performance.now() - this.#countedFrom;
    if (elapsed < AHEAD) {
      this.#pace = Math.max(this.#pace, this.#ended);
      return;
    }
    this.#pace = Math.floor((this.#ended * AHEAD) / elapsed);
    this.#ended = 0;
    this.#countedFrom += elapsed;
  }

  /** How many deliveries to claim. */
  #room(): number {
    const { concurrency } = this.limits;
    if (concurrency === 0) return 0;
    const wanted = Math.max(concurrency - this.#attempts.size, this.#pace) - this.#queue.length;
    const most = MAX_CLAIMED - this.#attempts.size - this.#queue.length - this.#unsettled;
    return Math.max(0, Math.min(wanted, most));
  }

  async #claim(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#claimDue();
    } catch (err) {
      this.#logUnread({ err });
      this.#wakeIn(INBOX_RETRY);
    }
    this.#claiming = undefined;
    if (this.#claimAgain) this.#look();
  }

  async #claimDue(): Promise<void> {
    this.#keepPace();
    const { deliveries, interrupted, nextIn } = await this.inbox.claim(this.#room());
    this.#queue.push(...deliveries);
    if (interrupted !== undefined) await this.#resume(interrupted);
    if (nextIn !== undefined) this.#wakeIn(nextIn);
    if (!this.#stopping.signal.aborted) this.#startQueued();
  }

  /** Stores that the last attempt was interrupted, before the next one begins. */
  async #resume(delivery: Delivery): Promise<void> {
    const { attempts, claimedAt } = delivery;
    const isLast = attempts >= this.limits.maxAttempts;
    this.#logFailure(delivery, new Error(CUT_OFF.error), isLast ? undefined : 0);
    await this.#settle(delivery, { kind: isLast ? 'parked' : 'interrupted', ...CUT_OFF }, claimedAt);
    if (!isLast) this.#queue.push({ ...delivery, attempts: attempts + 1 });
  }

  #wakeIn(milliseconds: number): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(milliseconds, LONGEST_TIMER));
  }

  /** Most handlers return at once. To wait for each of them would cost more than all else here. */
  #attempt(delivery: Delivery): void {
    // The handler may change what it gets.
    const { id, attempts, claimedAt } = delivery;
    const claimed: Claimed = { id, attempts, claimedAt };
    const attempt = new Attempt();
    this.#attempts.add(attempt);
    const startedAt = Date.now();
    const start = performance.now();
    const end = (result: Ended): void => {
      this.#attempts.delete(attempt);
      this.#ended += 1;
      if (result.kind !== 'released') this.observer.attempted(result.kind, performance.now() - start);
      // Not awaited: whatever waits keeps the content in memory.
      void this.#settle(claimed, result, startedAt);
      this.wake();
    };
    // An attempt that was aborted because the receiver stops has no result, and is no failure.
    const fail = (error: unknown): void =>
      end(this.#deadline?.aborted === true ? RELEASED : this.#failure(claimed, error, start));
    let running: Promise<void> | void;
    try {
      running = this.#run(attempt, delivery);
    } catch (error) {
      return fail(error);
    }
    if (running === undefined) end(HANDLED);
    else running.then(() => end(HANDLED), fail);
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

  #failure(claimed: Claimed, err: unknown, start: number): Ended {
    const { maxAttempts, backoff: first, maxBackoff } = this.limits;
    const stored = { error: errorText(err), stack: errorStack(err) ?? null };
    const isLast = claimed.attempts >= maxAttempts;
    const retryAfter = isLast ? undefined : backoff(claimed.attempts, first, maxBackoff);
    this.#logFailure(claimed, err, retryAfter, performance.now() - start);
    return retryAfter === undefined
      ? { kind: 'parked', ...stored }
      : { kind: 'failed', ...stored, retryAfter };
  }

  /** @param retryAfter undefined after the last attempt */
  #logFailure({ id, attempts }: Claimed, err: unknown, retryAfter?: number, duration?: number): void {
    const of = this.limits.maxAttempts;
    const fields = {
      delivery: id,
      attempt: attempts,
      maxAttempts: of,
      ...(duration !== undefined && { durationMs: Math.round(duration) }),
      err,
    };
    if (retryAfter === undefined)
      this.logger.error(fields, `attempt ${attempts} of ${of} failed; the delivery is parked`);
    else
      this.logger.warn(
        { ...fields, retryAfterMs: retryAfter },
        `attempt ${attempts} of ${of} failed; the delivery comes again`,
      );
  }

  /**
   * Retries until the result is written: a full disk must not cause a delivery to be handled again. Until then it counts
   * as unsettled.
   */
  async #settle(claimed: Claimed, result: AttemptResult, startedAt: number): Promise<void> {
    const { signal } = this.#stopping;
    this.#unsettled += 1;
    for (;;) {
      try {
        await this.inbox.settle(claimed, result, startedAt);
        break;
      } catch (err) {
        this.#logUnstored({ err, delivery: claimed.id });
        if (signal.aborted) break;
        await delay(INBOX_RETRY, undefined, { signal }).catch(() => undefined);
      }
    }
    this.#unsettled -= 1;
    if (this.#isIdle()) this.#onIdle?.();
    this.wake();
  }
}
