import { type ErrorCode, PlantStoreError } from '../errors/plant-store-error.js';
import type { Target } from '../transport/transport.js';
import type { Attempt } from './attempt.js';
import { type Clock, clockCodes, type ClockTimes } from './clocks.js';

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
  #timer: NodeJS.Timeout | undefined;
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
   * Waits until `proceed` is called. totalTimeout runs meanwhile.
   *
   * @param start Starts what calls `proceed`. What it returns is called if the delivery ends before.
   * @throws PlantStoreError if the delivery was ended, or its time is over.
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
    // It may have been ended since `proceed` was called.
    this.check();
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

  /** An attempt begins. Until its clock is started, only totalTimeout ends it. */
  beginAttempt(attempt: Attempt): void {
    this.#attempt = attempt;
  }

  /**
   * Starts attemptTimeout, or totalTimeout if that ends first.
   *
   * @throws PlantStoreError if the delivery was ended, or its time is over.
   */
  startAttemptClock(): void {
    this.check();
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The caller aborts the delivery, or closes the sender by force. */
  abort(cause: unknown): void {
    this.#isOver = true;
    if (this.#attempt?.settled === true) return;
    const message = `The delivery to ${this.#context.target.url} was aborted.`;
    this.#error = this.#failure('PLANT_STORE_ABORTED', message, cause);
    this.#interrupt(this.#error);
  }

  /** A clock has run out. An attempt whose final status has arrived ends with it. */
  expire(clock: Clock): void {
    const isTotal = clock === 'totalTimeout';
    if (isTotal) this.#isOver = true;
    if (this.#attempt?.endWithResponse() === true) return;
    const missing = this.#attempt === undefined ? 'acknowledgement' : 'final status';
    const message = `No ${missing} from ${this.#context.target.url} within ${this.#context[clock]} ms (${clock}).`;
    const error = this.#failure(clockCodes[clock], message, isTotal ? this.#lastError : undefined);
    if (isTotal) this.#error = error;
    this.#interrupt(error);
  }

  /** Starts totalTimeout, unless a clock runs already. */
  #startTotalClock(): void {
    this.check();
    if (this.#timer === undefined) this.#startClock(Infinity);
  }

  #startClock(attemptLeft: number): void {
    clearTimeout(this.#timer);
    const totalLeft = this.#totalEndsAt - performance.now();
    if (totalLeft <= 0) {
      this.expire('totalTimeout');
      this.check();
    }
    const clock: Clock = attemptLeft < totalLeft ? 'attemptTimeout' : 'totalTimeout';
    this.#timer = setTimeout(expire, Math.ceil(Math.min(attemptLeft, totalLeft)), this, clock);
  }

  #failure(code: ErrorCode, message: string, cause: unknown): PlantStoreError {
    return new PlantStoreError(code, message, { outcome: this.#attempt?.outcome ?? 'not-sent', cause });
  }

  #interrupt(error: PlantStoreError): void {
    this.#attempt?.fail(error);
    this.#endWait?.(error);
  }
}

/** Not a closure: each attempt starts a timer. */
function expire(deadline: DeliveryDeadline, clock: Clock): void {
  deadline.expire(clock);
}
