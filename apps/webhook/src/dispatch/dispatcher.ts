import type { Logger } from 'pino';
import type { Delivery } from '@plant-store/handler';

import { CLOCK, type Clock } from '../clock.js';
import type { Counters } from '../counters.js';
import type { AttemptResult, RetryPolicy } from '../inbox/delivery.js';
import type { Consumer, Inbox } from '../inbox/inbox.js';
import { DescribedError } from '../logging/describe-error.js';
import { type AttemptHandler, RunningAttempt } from './attempt.js';
import { backoff } from './backoff.js';
import { TargetResponse } from './forward.js';

/** Limits of the dispatcher. Times in milliseconds. */
export interface DispatcherLimits extends RetryPolicy {
  /** Attempts that run at a time. With 0, there are none: others that share the inbox make them. */
  readonly concurrency: number;
  /** Longest time of one attempt. */
  readonly timeout: number;
}

/** Most deliveries that are claimed ahead of the attempts. */
const MAX_AHEAD = 512;

/** Most content of them, in bytes. */
const MAX_AHEAD_BYTES = 32 * 1_048_576;

/** What waits longer for an attempt is released, in milliseconds. */
const MAX_WAIT = 200;

/** How long handlers that block may follow each other until requests get their turn, in milliseconds. */
const MAX_TURN = 10;

/** An attempt and its number. */
type Numbered = Pick<Delivery, 'id' | 'attempts'>;

/** Claimed, for the next free place. */
interface Queued {
  readonly delivery: Delivery;
  /** By the monotonic clock. */
  readonly since: number;
}

/**
 * Hands deliveries from the inbox to a handler, each at least once. A failed one comes again with backoff. After the
 * last attempt it is parked and stays stored.
 *
 * It claims as many as it can begin at once. Only while more is due and attempts are free, it claims ahead of them, twice
 * as many each time: without that, each delivery of a backlog would cost a cycle of its own. What waits behind slow
 * attempts goes back, so that another receiver can have it.
 */
export class Dispatcher implements Consumer {
  readonly #attempts = new Set<RunningAttempt>();
  readonly #queue: Queued[] = [];
  #queuedBytes = 0;
  /** How many may be claimed beside those whose attempt can begin. */
  #ahead = 0;
  #releasing: unknown;
  #deadline: AbortSignal | undefined;
  #onIdle: (() => void) | undefined;

  constructor(
    private readonly inbox: Pick<Inbox, 'begin' | 'grant' | 'mayBegin' | 'settle' | 'drain'>,
    private readonly handler: AttemptHandler,
    private readonly limits: DispatcherLimits,
    private readonly logger: Pick<Logger, 'warn' | 'error'>,
    private readonly counters: Pick<Counters, 'attempted'>,
    private readonly clock: Clock = CLOCK,
  ) {}

  /** How many attempts run. */
  get running(): number {
    return this.#attempts.size;
  }

  /** Begins to hand on deliveries. */
  start(): void {
    this.inbox.begin(this, this.limits);
    this.inbox.grant(this.limits.concurrency);
  }

  /** The inbox calls it with what was claimed. */
  take(deliveries: readonly Delivery[], isStarved: boolean): void {
    const since = this.clock.now();
    for (const delivery of deliveries) {
      this.#queue.push({ delivery, since });
      this.#queuedBytes += delivery.content.length;
    }
    this.#startQueued();
    if (this.#queuedBytes > MAX_AHEAD_BYTES || this.#isStopping) this.#release(Infinity);
    else if (isStarved && this.#hasPlace && this.#queue.length === 0) this.#claimAhead();
    this.#releaseLater();
  }

  /** The inbox calls it after a pause. */
  release(): void {
    this.#release(Infinity);
  }

  /**
   * Starts no further attempt. Resolves when the attempts under way have ended and their results are stored. Attempts
   * that still run when the deadline aborts are aborted; their deliveries come again after a restart.
   */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#deadline = deadline;
    const drained = this.inbox.drain();
    this.#release(Infinity);
    const abort = (): void => this.#attempts.forEach((attempt) => attempt.abort('the receiver is stopping'));
    if (deadline.aborted) abort();
    else deadline.addEventListener('abort', abort, { once: true });
    if (this.running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    deadline.removeEventListener('abort', abort);
    await drained;
    await this.inbox.drain();
  }

  get #isStopping(): boolean {
    return this.#deadline !== undefined;
  }

  get #hasPlace(): boolean {
    return this.running < this.limits.concurrency && !this.#isStopping;
  }

  #startQueued(): void {
    const end = this.clock.now() + MAX_TURN;
    while (this.#queue.length > 0 && this.#hasPlace) {
      if (this.clock.now() > end) return this.clock.setImmediate(() => this.#startQueued());
      const { delivery } = this.#queue.shift()!;
      this.#queuedBytes -= delivery.content.length;
      if (this.inbox.mayBegin(delivery)) this.#attempt(delivery);
      else this.#giveBack(delivery);
    }
  }

  /** Another receiver may have it: this process stood still for longer than its lease. */
  #giveBack(delivery: Delivery): void {
    this.inbox.settle(delivery, RELEASED);
    this.inbox.grant(1);
  }

  /** One attempt that is the last one is not claimed ahead: a crash would use it up. */
  #claimAhead(): void {
    if (this.limits.maxAttempts === 1) return;
    const ahead = Math.min(Math.max(2 * this.#ahead, this.limits.concurrency), MAX_AHEAD);
    const more = ahead - this.#ahead;
    this.#ahead = ahead;
    if (more > 0) this.inbox.grant(more);
  }

  /** Releases what has waited until a time, by the monotonic clock. Nothing is claimed ahead from then on. */
  #release(until: number): void {
    let count = 0;
    while (this.#queue.length > 0 && this.#queue[0]!.since <= until) {
      const { delivery } = this.#queue.shift()!;
      this.#queuedBytes -= delivery.content.length;
      this.inbox.settle(delivery, { kind: 'released' });
      count += 1;
    }
    if (count === 0) return;
    this.inbox.grant(count - this.#ahead);
    this.#ahead = 0;
  }

  #releaseLater(): void {
    const next = this.#queue[0];
    if (next === undefined || this.#releasing !== undefined) return;
    const wait = next.since + MAX_WAIT - this.clock.now();
    this.#releasing = this.clock.setTimeout(
      () => {
        this.#releasing = undefined;
        this.#release(this.clock.now() - MAX_WAIT);
        this.#releaseLater();
      },
      Math.max(1, wait),
    );
  }

  /** Most handlers return at once. To wait for each of them would cost more than all else here. */
  #attempt(delivery: Delivery): void {
    // The handler may change what it gets.
    const { id, attempts, startedAt } = delivery;
    const claimed = { id, attempts, startedAt };
    const attempt = new RunningAttempt(delivery, this.handler);
    this.#attempts.add(attempt);
    const start = this.clock.now();
    const end = (result: AttemptResult): void => {
      this.#attempts.delete(attempt);
      if (result.kind !== 'released') this.counters.attempted(result.kind, this.clock.now() - start);
      this.inbox.settle(claimed, result);
      this.inbox.grant(1);
      if (this.running === 0) this.#onIdle?.();
    };
    const endLater = (result: AttemptResult): void => {
      end(result);
      this.#startQueued();
    };
    let running: Promise<void> | void;
    try {
      running = attempt.run();
    } catch (error) {
      return end(this.#failure(claimed, error, start));
    }
    if (running === undefined) end(HANDLED);
    else
      this.#limit(running, attempt).then(
        () => endLater(HANDLED),
        (error: unknown) => endLater(this.#failure(claimed, error, start)),
      );
  }

  async #limit(running: Promise<void>, attempt: RunningAttempt): Promise<void> {
    const { timeout } = this.limits;
    const abort = (): void => {
      if (this.#attempts.has(attempt)) attempt.abort(`the handler took longer than ${timeout} ms`);
    };
    // What arrived while the process stood still is read first.
    const timer = this.clock.setTimeout(() => this.clock.setImmediate(abort), timeout);
    try {
      await running;
    } finally {
      this.clock.clearTimeout(timer);
    }
  }

  #failure(claimed: Numbered, err: unknown, start: number): AttemptResult {
    // An attempt that was aborted because the receiver stops has no result, and is no failure.
    if (this.#deadline?.aborted === true) return RELEASED;
    const { maxAttempts, backoff: first, maxBackoff } = this.limits;
    const duration = this.clock.now() - start;
    const described = new DescribedError(err);
    const failure = { error: described.text, stack: described.stack, duration };
    const isLast = claimed.attempts >= maxAttempts;
    const wait = backoff(claimed.attempts, first, maxBackoff, this.clock.random);
    const asked = Math.min(TargetResponse.retryAfter(err), maxBackoff);
    const retryAfter = isLast ? undefined : Math.max(wait, asked);
    this.#logFailure(claimed, described, duration, retryAfter);
    return retryAfter === undefined
      ? { kind: 'parked', ...failure }
      : { kind: 'failed', ...failure, retryAfter };
  }

  /** @param retryAfter undefined after the last attempt */
  #logFailure({ id, attempts }: Numbered, err: DescribedError, duration: number, retryAfter?: number): void {
    const { maxAttempts } = this.limits;
    const fields = { delivery: id, attempt: attempts, maxAttempts, durationMs: Math.round(duration), err };
    const failed = `attempt ${attempts} of ${maxAttempts} failed`;
    if (retryAfter === undefined) this.logger.error(fields, `${failed}; the delivery is parked`);
    else this.logger.warn({ ...fields, retryAfterMs: retryAfter }, `${failed}; the delivery comes again`);
  }
}

const HANDLED = { kind: 'handled' } as const;
const RELEASED = { kind: 'released' } as const;
