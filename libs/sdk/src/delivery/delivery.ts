import type { EncodedPlant, Encoding, RawEventOptions } from '../encoders/plant-encoder.js';
import type { ReceiverResponse } from '../errors/not-acknowledged-error.js';
import { combineOutcomes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import type { SenderError } from '../errors/sender-error.js';
import type { Credentials } from './access-token.js';
import { Attempt, type AttemptContext } from './attempt.js';
import type { ClockTimes } from './clocks.js';
import { DeliveryDeadline } from './delivery-deadline.js';
import type { DeliveryContent, RequestHeaders } from './headers.js';
import type { InFlight } from './in-flight.js';
import type { RateLimiter } from './rate-limiter.js';
import { type Retry, waitBeforeRetry } from './retry.js';

/** The options of `send`. `signal` was validated; the others are where they are used. */
export interface RawSendOptions extends RawEventOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: unknown;
}

/** What the deliveries of one sender share. */
export interface DeliveryContext extends AttemptContext, ClockTimes {
  readonly credentials: Credentials;
  readonly headers: RequestHeaders;
  /** A delivery is in it until it has succeeded or failed. */
  readonly inFlight: InFlight;
  readonly retry: Retry | undefined;
  /** How long the last request of any delivery took, in milliseconds. */
  readonly lastRequest: { took: number };
  /** `undefined` if there is no rate limit. */
  readonly limiter: RateLimiter | undefined;
}

/**
 * One call of `send`. Its methods stand in the order in which they run.
 *
 * An attempt has its turn from when a connection is free for it until it ends. The rate limit comes after that, so that
 * what it lets pass doesn't wait for other deliveries, and isn't sent with them at once.
 *
 * A delivery awaits only what isn't there yet. So deliveries take their turns in the order of their calls, and most of
 * them go as far as their request before `send` returns.
 */
export class Delivery {
  readonly #context: DeliveryContext;
  readonly #deadline: DeliveryDeadline;
  #attempts = 0;
  /** The worst one of the attempts so far. */
  #outcome: Outcome = 'not-sent';

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#deadline = new DeliveryDeadline(context);
  }

  /**
   * Delivers a plant, in one attempt or more.
   *
   * @param isEncoded Whether the plant was encoded before.
   * @throws PlantStoreError the error of the last attempt, or what ended the delivery before.
   */
  async run<Plant>(
    encoder: Encoding<Plant>,
    plant: Plant | EncodedPlant,
    isEncoded: boolean,
    options: RawSendOptions,
  ): Promise<ReceiverResponse> {
    const { headers, inFlight } = this.#context;
    let leave: (() => void) | undefined;
    try {
      leave = inFlight.add(this.#deadline, options.signal);
      this.#deadline.check();
      const ownFields = headers.readOwn(options.headers);
      const encoded = isEncoded
        ? encoder.check(plant as EncodedPlant)
        : encoder.encode(plant as Plant, options);
      // A function of the caller may have ended it.
      this.#deadline.check();
      return await this.#attemptUntilItEnds({ ownFields, plant: encoded });
    } catch (thrown) {
      throw this.#failureOf(thrown as PlantStoreError);
    } finally {
      this.#deadline.stopClock();
      leave?.();
    }
  }

  async #attemptUntilItEnds(content: DeliveryContent): Promise<ReceiverResponse> {
    const { transport } = this.#context;
    for (;;) {
      if (!transport.take()) await this.#deadline.wait((proceed) => transport.wait(proceed));
      let error: PlantStoreError;
      try {
        return await this.#attempt(content);
      } catch (thrown) {
        error = thrown as PlantStoreError;
        this.#deadline.failAttempt(error);
      } finally {
        transport.release();
      }
      const delay = this.#delayAfter(error);
      await this.#deadline.sleep(delay);
    }
  }

  /** Makes one attempt, which has its turn. */
  async #attempt(content: DeliveryContent): Promise<ReceiverResponse> {
    const { credentials, headers, limiter } = this.#context;
    const deadline = this.#deadline;
    deadline.check();
    if (limiter?.take() === false) await deadline.wait((proceed) => limiter.wait(proceed));
    deadline.checkTimeForAttempt(this.#context.lastRequest.took);
    this.#attempts += 1;
    const attempt = new Attempt(this.#context, deadline);
    deadline.beginAttempt(attempt);
    const authorized = credentials.make(attempt);
    const authorization = typeof authorized === 'string' ? authorized : await deadline.waitFor(authorized);
    deadline.startAttemptClock();
    const made = headers.make(content, this.#attempts, authorization);
    const fields = made instanceof Promise ? await deadline.waitFor(made) : made;
    deadline.check();
    const begun = performance.now();
    try {
      return await attempt.send(fields, content.plant.content);
    } finally {
      this.#context.lastRequest.took = performance.now() - begun;
    }
  }

  /**
   * The wait before the next attempt, in milliseconds.
   *
   * @throws the error, if there is no further attempt.
   */
  #delayAfter(error: PlantStoreError): number {
    const { retry } = this.#context;
    this.#outcome = combineOutcomes(this.#outcome, error.outcome);
    if (retry === undefined || this.#deadline.isOver) throw error;
    const [attempt, outcome] = [this.#attempts, this.#outcome];
    const delay = waitBeforeRetry(retry, { attempt, error: error as SenderError, outcome });
    if (delay === undefined) throw error;
    return delay;
  }

  /** What the delivery fails with. A function of the caller may have aborted the signal, and thrown. */
  #failureOf(thrown: PlantStoreError): PlantStoreError {
    const { limiter, retry } = this.#context;
    const { code, message, outcome: last } = this.#deadline.error ?? thrown;
    const outcome = combineOutcomes(this.#outcome, last);
    let error = this.#deadline.error ?? thrown;
    // A policy may have frozen it.
    if (!Object.isExtensible(error)) error = new PlantStoreError(code, message, { outcome, cause: error });
    const neverBegan = code === 'PLANT_STORE_TOTAL_TIMEOUT' && this.#attempts === 0;
    if (neverBegan || retry !== undefined || limiter !== undefined) {
      Object.assign(error, { attempts: this.#attempts, outcome });
    }
    // It was made by a timer or a socket, and would have none of the caller's lines.
    // eslint-disable-next-line @typescript-eslint/unbound-method -- It isn't called.
    Error.captureStackTrace(error, this.run);
    return error;
  }
}
