import type { Response } from '../errors/not-acknowledged-error.js';
import {
  combineOutcomes,
  type ErrorCode,
  type Outcome,
  PlantStoreError,
  recordAttempts,
} from '../errors/plant-store-error.js';
import type { Attempt } from './attempt.js';
import { type Clock, Countdown } from './clocks.js';
import type { DeliveryObserver } from './diagnostics.js';
import type { DeliveryContent } from './headers.js';
import type { InFlight } from './in-flight.js';
import type { RateLimiter } from './rate-limiter.js';
import { type Retry, waitBeforeRetry } from './retry.js';

/** What the deliveries of one sender share. */
export interface DeliveryContext {
  /** Where they are sent, for messages. */
  readonly url: string;
  /** A delivery is in it until it has succeeded or failed. */
  readonly inFlight: InFlight;
  /** The clock of the whole delivery. */
  readonly total: Clock;
  readonly retry: Retry | undefined;
  /** `undefined` if there is no rate limit. */
  readonly limiter: RateLimiter | undefined;
}

type Resolve = (acknowledgement: Response) => void;
type Reject = (error: Error) => void;

/** One call of `send`, and how to make its attempts. */
export interface SendCall {
  readonly signal: AbortSignal | undefined;
  readonly resolve: Resolve;
  readonly reject: Reject;
  /** `undefined` if nobody subscribes to the diagnostics channels. */
  readonly observer: DeliveryObserver | undefined;
  /** Checks and encodes what all attempts send. */
  readonly prepare: () => DeliveryContent;
  readonly createAttempt: (resolve: Resolve, reject: Reject) => Attempt;
  /**
   * The number of an attempt counts from 1. `onTurn` is called once, when a connection is free for the attempt: at once
   * or later.
   */
  readonly beginAttempt: (
    attempt: Attempt,
    content: DeliveryContent,
    number: number,
    onTurn: () => void,
  ) => void;
}

/**
 * A delivery that may need several attempts or wait for a rate limit. It settles once: with an acknowledgement, with
 * the error of its last attempt, when the total clock runs out, or when the caller aborts it.
 */
export class Delivery {
  readonly #context: DeliveryContext;
  readonly #call: SendCall;
  #content: DeliveryContent | undefined;
  /** It stands still while an attempt waits for a connection. */
  readonly #total: Countdown;
  #delayTimer: NodeJS.Timeout | undefined;
  #attempt: Attempt | undefined;
  #attempts = 0;
  #outcome: Outcome = 'not-sent';
  #lastError: Error | undefined;
  #isOver = false;

  constructor(context: DeliveryContext, call: SendCall) {
    this.#context = context;
    this.#call = call;
    this.#total = new Countdown(context.total.milliseconds, () => this.#expire());
  }

  /** Starts the total clock, encodes the plant, and makes the first attempt as soon as the rate limit allows it. */
  begin(): void {
    this.#context.inFlight.add(this, this.#call.signal);
    if (this.#isOver) return;
    this.#total.run();
    this.#content = this.#prepare();
    this.#total.check();
    this.#waitForLimit();
  }

  /** Makes an attempt. */
  proceed(): void {
    this.#attempts += 1;
    const { createAttempt, beginAttempt } = this.#call;
    const attempt = createAttempt(
      (acknowledgement) => this.#succeed(acknowledgement),
      (error) => this.#endAttempt(error),
    );
    this.#attempt = attempt;
    beginAttempt(attempt, this.#content!, this.#attempts, () => this.#total.run());
    if (attempt.isWaiting) this.#total.stop();
  }

  /** Ends the delivery because the caller aborted it. */
  abort(cause: unknown): void {
    this.#isOver = true;
    if (this.#attempt !== undefined) return this.#attempt.abort(cause);
    this.#giveUp('PLANT_STORE_ABORTED', `The delivery to ${this.#context.url} was aborted.`, cause);
  }

  /** Returns `undefined` if that ended the delivery: the caller's `encode` may throw, abort the signal, or both. */
  #prepare(): DeliveryContent | undefined {
    try {
      return this.#call.prepare();
    } catch (error) {
      if (!this.#isOver) this.#fail(error as Error);
      return undefined;
    }
  }

  #expire(): void {
    this.#isOver = true;
    const { total, url } = this.#context;
    if (this.#attempt !== undefined) return this.#attempt.expire(total);
    const message = `No acknowledgement from ${url} within ${total.milliseconds} ms (${total.option}).`;
    this.#giveUp(total.code, message, this.#lastError);
  }

  #giveUp(code: ErrorCode, message: string, cause: unknown): void {
    this.#fail(new PlantStoreError(code, message, { outcome: this.#outcome, cause }));
  }

  #waitForLimit(): void {
    if (this.#isOver) return;
    const { limiter } = this.#context;
    if (limiter === undefined) this.proceed();
    else limiter.join(this);
  }

  #endAttempt(error: Error): void {
    this.#attempt = undefined;
    this.#lastError = error;
    if (error instanceof PlantStoreError) this.#outcome = combineOutcomes(this.#outcome, error.outcome);
    if (this.#isOver) return this.#fail(error);
    try {
      this.#retry(error);
    } catch (failure) {
      this.#fail(failure as Error);
    }
  }

  #retry(error: Error): void {
    const { retry } = this.#context;
    const delay = retry && waitBeforeRetry(retry, this.#attempts, error);
    // The caller's `delays` may have aborted the delivery.
    if (this.#isOver) return;
    if (delay === undefined) return this.#fail(error);
    this.#call.observer?.retry(error as PlantStoreError, delay);
    this.#delayTimer = setTimeout(() => this.#waitForLimit(), delay);
  }

  #succeed(acknowledgement: Response): void {
    this.#settle();
    this.#call.resolve(acknowledgement);
  }

  #fail(error: Error): void {
    this.#settle();
    if (error instanceof PlantStoreError) recordAttempts(error, this.#attempts, this.#outcome);
    this.#call.reject(error);
  }

  #settle(): void {
    const { inFlight, limiter } = this.#context;
    this.#isOver = true;
    this.#total.stop();
    clearTimeout(this.#delayTimer);
    limiter?.leave(this);
    inFlight.delete(this, this.#call.signal);
  }
}
