import { AsyncResource } from 'node:async_hooks';
import type { EncodePlant, UncheckedEventOptions } from '../encoders/encode-plant.js';
import type { ReceiverResponse } from '../errors/not-acknowledged-error.js';
import {
  combineOutcomes,
  type ErrorCode,
  type Outcome,
  PlantStoreError,
} from '../errors/plant-store-error.js';
import type { Place } from '../transport/queue.js';
import type { Authorize } from './access-token.js';
import { Attempt, type AttemptContext } from './attempt.js';
import { type Clock, clockCodes, type ClockTimes } from './clocks.js';
import type { DeliveryObserver } from './diagnostics.js';
import type { DeliveryContent, RequestHeaders } from './headers.js';
import type { InFlight, PlaceInFlight } from './in-flight.js';
import type { RateLimiter } from './rate-limiter.js';
import { type Retry, waitBeforeRetry } from './retry.js';

/** The options of `send`. They are not checked yet. */
export interface UncheckedSendOptions extends UncheckedEventOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: unknown;
}

/** What the deliveries of one sender share. */
export interface DeliveryContext extends AttemptContext, ClockTimes {
  readonly authorize: Authorize;
  readonly headers: RequestHeaders;
  /** A delivery is in it until it has succeeded or failed. */
  readonly inFlight: InFlight;
  readonly retry: Retry | undefined;
  /** `undefined` if there is no rate limit. */
  readonly limiter: RateLimiter | undefined;
}

/**
 * One call of `send`: it waits for its turn and for the rate limit, and makes attempts. It settles once: with an
 * acknowledgement, with the error of its last attempt, when a clock runs out, or when the caller aborts it.
 *
 * An attempt has its turn from when a connection is free for it until it ends. The rate limit comes after that, so that
 * what it lets pass doesn't wait for other deliveries, and isn't sent with them at once.
 *
 * It often goes on because something of another delivery has happened. It is an asynchronous resource so that the
 * caller's functions keep the asynchronous context of `send`.
 */
export class Delivery extends AsyncResource {
  readonly #context: DeliveryContext;
  readonly #options: UncheckedSendOptions;
  readonly #resolve: (acknowledgement: ReceiverResponse) => void;
  readonly #reject: (error: PlantStoreError) => void;
  /** `undefined` if nobody subscribes to the diagnostics channels. */
  readonly #observer: DeliveryObserver | undefined;
  readonly #placeInFlight: PlaceInFlight;
  #content: DeliveryContent | undefined;
  /** When totalTimeout ends, in the time of `performance.now`. */
  readonly #deadline: number;
  #timer: NodeJS.Timeout | undefined;
  #delay: NodeJS.Timeout | undefined;
  /** In the queue for a connection, or for the rate limit. */
  #place: Place<unknown> | undefined;
  /** Whether it has its turn. */
  #hasTurn = false;
  #attempt: Attempt | undefined;
  #attempts = 0;
  #outcome: Outcome = 'not-sent';
  #lastError: PlantStoreError | undefined;
  /** `undefined` if there is no further attempt. */
  #retry: Retry | undefined;
  #isOver = false;

  constructor(
    context: DeliveryContext,
    options: UncheckedSendOptions,
    observer: DeliveryObserver | undefined,
    resolve: (acknowledgement: ReceiverResponse) => void,
    reject: (error: PlantStoreError) => void,
  ) {
    super('PLANT_STORE_DELIVERY');
    this.#context = context;
    this.#options = options;
    this.#observer = observer;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = performance.now() + context.totalTimeout;
    this.#retry = context.retry;
    this.#placeInFlight = context.inFlight.add(this, options.signal);
  }

  /** Encodes the plant, and makes the first attempt as soon as it may. */
  begin<Plant>(encode: EncodePlant<Plant>, plant: Plant): void {
    if (this.#isOver) return;
    try {
      const ownFields = this.#context.headers.readOwn(this.#options.headers);
      this.#content = { plant: encode(plant, this.#options), ownFields };
    } catch (error) {
      this.#fail(error as PlantStoreError);
    }
    this.#takeTurn();
  }

  /** Its turn has come. */
  proceed(): void {
    this.runInAsyncScope(this.#waitForLimit, this);
  }

  /** The rate limit has room for an attempt. */
  admit(): void {
    this.runInAsyncScope(this.#startAttempt, this);
  }

  /** Ends the delivery because the caller aborted it. The result of an attempt that is settled stands. */
  abort(cause: unknown): void {
    this.#retry = undefined;
    this.#giveUp('PLANT_STORE_ABORTED', `The delivery to ${this.#context.url} was aborted.`, cause);
  }

  /** Ends the attempt or the delivery because a clock ran out. */
  expire(clock: Clock): void {
    const isTotal = clock === 'totalTimeout';
    if (isTotal) this.#retry = undefined;
    if (this.#attempt?.endWithResponse() === true) return;
    const missing = this.#attempt === undefined ? 'acknowledgement' : 'final status';
    const message = `No ${missing} from ${this.#context.url} within ${this.#context[clock]} ms (${clock}).`;
    this.#giveUp(clockCodes[clock], message, isTotal ? this.#lastError : undefined);
  }

  /** An attempt was acknowledged. */
  succeed(acknowledgement: ReceiverResponse): void {
    this.#settle();
    this.#resolve(acknowledgement);
  }

  /** An attempt failed. */
  endAttempt(error: PlantStoreError): void {
    this.#attempt = undefined;
    this.#release();
    this.#lastError = error;
    this.#outcome = combineOutcomes(this.#outcome, error.outcome);
    if (this.#retry === undefined) this.#fail(error);
    else this.runInAsyncScope(this.#waitForRetry, this, error, this.#retry);
  }

  #takeTurn(): void {
    if (this.#isOver) return;
    const { transport } = this.#context;
    if (transport.take()) return this.#waitForLimit();
    this.#place = transport.wait(this);
    this.#startClock();
  }

  #waitForLimit(): void {
    this.#hasTurn = true;
    const { limiter } = this.#context;
    if (limiter === undefined || limiter.take()) return this.#startAttempt();
    this.#startClock();
    if (!this.#isOver) this.#place = limiter.wait(this);
  }

  #startAttempt(): void {
    const { authorize } = this.#context;
    this.#attempts += 1;
    const attempt = new Attempt(this.#context, this, this.#observer);
    this.#attempt = attempt;
    try {
      const credentials = authorize(attempt);
      if (typeof credentials === 'string') return this.#send(attempt, credentials);
      credentials
        .then((awaited) => this.#send(attempt, awaited))
        .catch((error: unknown) => attempt.fail(error as PlantStoreError));
      this.#startClock();
    } catch (error) {
      attempt.fail(error as PlantStoreError);
    }
  }

  #send(attempt: Attempt, credentials: string): void {
    this.#startClock(this.#context.attemptTimeout);
    // A token may come too late. The caller's `headers` are for requests that are sent.
    if (attempt.settled) return;
    const { content } = this.#content!.plant;
    const fields = this.#context.headers.make(this.#content!, this.#attempts, credentials);
    if (!(fields instanceof Promise)) return attempt.send(fields, content);
    fields
      .then((awaited) => attempt.send(awaited, content))
      .catch((error: unknown) => attempt.fail(error as PlantStoreError));
  }

  #waitForRetry(error: PlantStoreError, retry: Retry): void {
    this.#tellAll(error);
    try {
      const delay = waitBeforeRetry(retry, this.#attempts, error);
      if (delay === undefined) return this.#fail(error);
      this.#startClock();
      // The caller's `delays` may have aborted the delivery, or taken too long.
      if (this.#isOver) return;
      this.#delay = setTimeout(() => this.#takeTurn(), delay);
      this.#observer?.retry(error, delay);
    } catch (failure) {
      this.#fail(failure as PlantStoreError);
    }
  }

  /** Starts the timer of what ends first: totalTimeout, or an attempt that may take so many milliseconds. */
  #startClock(attemptLeft = Infinity): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    const totalLeft = this.#deadline - performance.now();
    if (totalLeft <= 0) return this.expire('totalTimeout');
    const clock: Clock = attemptLeft < totalLeft ? 'attemptTimeout' : 'totalTimeout';
    this.#timer = setTimeout(expire, Math.ceil(Math.min(attemptLeft, totalLeft)), this, clock);
  }

  #giveUp(code: ErrorCode, message: string, cause: unknown): void {
    const outcome = this.#attempt?.outcome ?? this.#outcome;
    const error = new PlantStoreError(code, message, { outcome, cause });
    if (this.#attempt === undefined) this.#fail(error);
    else this.#attempt.fail(error);
  }

  /** Nothing happens if it is over: a function of the caller may abort the signal, throw, or both. */
  #fail(error: PlantStoreError): void {
    if (this.#isOver) return;
    this.#settle();
    const { retry, limiter } = this.#context;
    if (retry !== undefined || limiter !== undefined) this.#tellAll(error);
    this.#reject(error);
  }

  /** The error of an attempt tells of all attempts so far. */
  #tellAll(error: PlantStoreError): void {
    Object.assign(error, { attempts: this.#attempts, outcome: this.#outcome });
  }

  #settle(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#delay);
    this.#place?.leave();
    this.#release();
    this.#context.inFlight.delete(this.#placeInFlight, this.#options.signal);
  }

  #release(): void {
    if (!this.#hasTurn) return;
    this.#hasTurn = false;
    this.#context.transport.release();
  }
}

/** Not a closure: each attempt starts a timer or two. */
function expire(delivery: Delivery, clock: Clock): void {
  delivery.expire(clock);
}
