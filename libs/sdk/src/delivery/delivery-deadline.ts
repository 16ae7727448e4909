import { type ErrorCode, PlantStoreError } from '../errors/plant-store-error.js';
import type { Target } from '../transport/transport.js';
import type { Attempt } from './attempt.js';
import { type Clock, clockCodes, type ClockTimes, startClock } from './clocks.js';

/**
 * The part of the time of an attempt that must be left when its request is sent. With less, the time would be over before
 * most receivers respond, and the outcome `unknown`.
 */
const LEAST_PART = 0.1;

/** The part of it that may be asked for at most, because the attempt before took so long. */
const LARGEST_PART = 0.25;

interface DeadlineContext extends ClockTimes {
  readonly target: Pick<Target, 'url'>;
}

/**
 * What ends a delivery from outside: a clock, the caller's signal, or `close`. Each of them ends the wait or the attempt
 * that goes on. The result of an attempt that has settled stands.
 */
export class DeliveryDeadline {
  readonly #context: DeadlineContext;
  /** In the time of `performance.now`. */
  readonly #totalEndsAt: number;
  /** How long an attempt may take, in milliseconds. */
  readonly #attemptTime: number;
  /** The clock that runs, and when it ends. */
  #clock: Clock = 'totalTimeout';
  #clockEndsAt = Infinity;
  #stopClock: (() => void) | undefined;
  #attempt: Attempt | undefined;
  /** Of the attempt before. */
  #lastError: PlantStoreError | undefined;
  /** Does nothing if the wait is over. `undefined` before the first one. */
  #endWait: ((error: PlantStoreError) => void) | undefined;
  #error: PlantStoreError | undefined;
  #isOver = false;

  constructor(context: DeadlineContext) {
    this.#context = context;
    this.#totalEndsAt = performance.now() + context.totalTimeout;
    this.#attemptTime = Math.min(context.attemptTimeout, context.totalTimeout);
  }

  /** Whether there is no further attempt. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What the delivery fails with, if it was ended from outside. */
  get error(): PlantStoreError | undefined {
    return this.#error;
  }

  /** @throws PlantStoreError if the delivery was ended: a function of the caller may have done it. */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /**
   * Waits until `proceed` is called. totalTimeout runs meanwhile. Whoever has waited owns what `proceed` gave, and checks
   * then: the delivery may have been ended since.
   *
   * @param start Starts what calls `proceed`. What it returns is called if the delivery ends before.
   * @throws PlantStoreError if the delivery was ended before, or its time is over.
   */
  async wait(start: (proceed: () => void) => () => void): Promise<void> {
    this.#startTotalClock();
    await new Promise<void>((resolve, reject) => {
      const takeBack = start(resolve);
      this.#endWait = (error) => {
        takeBack();
        reject(error);
      };
    });
  }

  /** Waits for a promise. A clock runs meanwhile: that of the attempt if it was started, else totalTimeout. */
  waitFor<Result>(promise: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject);
      this.#endWait = reject;
      // What it throws comes after the promise has a handler: the promise may reject later.
      this.#startTotalClock();
    });
  }

  /** Waits so many milliseconds, unless totalTimeout ends before. */
  sleep(milliseconds: number): Promise<void> {
    return this.wait((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      return () => clearTimeout(timer);
    });
  }

  /**
   * Ends the delivery if too little of totalTimeout is left for an attempt.
   *
   * @param lastTook How long the sender's attempt before took, in milliseconds.
   * @throws PlantStoreError
   */
  checkTimeForAttempt(lastTook = 0): void {
    const least = Math.max(
      LEAST_PART * this.#attemptTime,
      Math.min(lastTook, LARGEST_PART * this.#attemptTime),
    );
    if (this.#totalEndsAt - performance.now() < least) this.expire('totalTimeout');
    this.check();
  }

  /** An attempt begins. Until its clock is started, only totalTimeout ends it. */
  beginAttempt(attempt: Attempt): void {
    this.#attempt = attempt;
  }

  /** Ends an attempt whose request is about to be sent, if too little of its time is left. */
  checkTimeForRequest(): void {
    const left = this.#clockEndsAt - performance.now();
    if (left < LEAST_PART * this.#attemptTime) this.expire(this.#clock);
  }

  /**
   * Starts attemptTimeout, or totalTimeout if that ends first.
   *
   * @throws PlantStoreError if the delivery was ended, or its time is over.
   */
  startAttemptClock(): void {
    this.checkTimeForAttempt();
    this.#startClock(this.#context.attemptTimeout);
  }

  /** What was begun of the attempt has failed. */
  failAttempt(error: PlantStoreError): void {
    this.#attempt?.fail(error);
    this.#attempt = undefined;
    this.#lastError = error;
    this.stopClock();
  }

  /** Stops the clock that runs. */
  stopClock(): void {
    this.#stopClock?.();
    this.#stopClock = undefined;
  }

  /** The caller aborts the delivery, or closes the sender by force. */
  abort(cause: unknown): void {
    this.#isOver = true;
    if (this.#error !== undefined || this.#attempt?.settled === true) return;
    const message = `The delivery to ${this.#context.target.url} was aborted.`;
    this.#error = this.#failure('PLANT_STORE_ABORTED', message, cause);
    this.#interrupt(this.#error);
  }

  /** A clock has run out. An attempt whose final status has arrived ends with it. */
  expire(clock: Clock): void {
    const isTotal = clock === 'totalTimeout';
    if (isTotal) this.#isOver = true;
    if (this.#attempt?.endWithResponse() === true) return;
    const time = `${this.#context[clock]} ms (${clock})`;
    const error = this.#failure(
      clockCodes[clock],
      this.#missingWithin(time),
      isTotal ? this.#lastError : undefined,
    );
    if (isTotal) this.#error = error;
    this.#interrupt(error);
  }

  /** Starts totalTimeout, unless a clock runs already. */
  #startTotalClock(): void {
    this.check();
    if (this.#stopClock === undefined) this.#startClock(Infinity);
  }

  #startClock(attemptLeft: number): void {
    this.stopClock();
    const now = performance.now();
    const totalLeft = this.#totalEndsAt - now;
    if (totalLeft <= 0) {
      this.expire('totalTimeout');
      this.check();
    }
    const clock = attemptLeft < totalLeft ? 'attemptTimeout' : 'totalTimeout';
    const left = Math.min(attemptLeft, totalLeft);
    this.#clock = clock;
    this.#clockEndsAt = now + left;
    this.#stopClock = startClock(Math.ceil(left), () => this.expire(clock));
  }

  #missingWithin(time: string): string {
    const { url } = this.#context.target;
    if (this.#attempt !== undefined) return `No final status from ${url} within ${time}.`;
    if (this.#lastError !== undefined) return `No acknowledgement from ${url} within ${time}.`;
    return `No request to ${url} was begun within ${time}: the sender was busy with other deliveries.`;
  }

  #failure(code: ErrorCode, message: string, cause: unknown): PlantStoreError {
    return new PlantStoreError(code, message, { outcome: this.#attempt?.outcome ?? 'not-sent', cause });
  }

  #interrupt(error: PlantStoreError): void {
    this.#attempt?.fail(error);
    this.#endWait?.(error);
  }
}
