import type { EncodePlant, UncheckedEventOptions } from '../encoders/encode-plant.js';
import type { ReceiverResponse } from '../errors/not-acknowledged-error.js';
import { combineOutcomes, type Outcome, type PlantStoreError } from '../errors/plant-store-error.js';
import type { Authorize } from './access-token.js';
import { Attempt, type AttemptContext } from './attempt.js';
import type { ClockTimes } from './clocks.js';
import { DeliveryEnd } from './delivery-end.js';
import type { DeliveryObserver } from './diagnostics.js';
import type { RequestHeaders } from './headers.js';
import type { InFlight } from './in-flight.js';
import type { RateLimiter } from './rate-limiter.js';
import { type Retry, waitBeforeRetry } from './retry.js';

/** The options of `send`. They are not checked yet. */
export interface UncheckedSendOptions extends UncheckedEventOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: unknown;
}

/** What the deliveries of one sender share. */
export interface DeliveryContext extends AttemptContext, ClockTimes {
  /**
   * Reads the options of one `send`.
   *
   * @throws PlantStoreError if they are invalid, or the sender is closed.
   */
  readonly readOptions: (options: unknown) => UncheckedSendOptions;
  readonly authorize: Authorize;
  readonly headers: RequestHeaders;
  /** A delivery is in it until it has succeeded or failed. */
  readonly inFlight: InFlight;
  readonly retry: Retry | undefined;
  /** `undefined` if there is no rate limit. */
  readonly limiter: RateLimiter | undefined;
}

/**
 * One call of `send`: it waits for its turn and for the rate limit, and makes attempts.
 *
 * An attempt has its turn from when a connection is free for it until it ends. The rate limit comes after that, so that
 * what it lets pass doesn't wait for other deliveries, and isn't sent with them at once.
 *
 * It awaits only what isn't there yet. So deliveries take their turns in the order of their calls, and most of them go
 * as far as their request before `send` returns.
 *
 * @param options Those of `send`.
 * @param observer `undefined` if nobody subscribes to the diagnostics channels.
 * @throws PlantStoreError the error of the last attempt, or what ended the delivery before.
 */
export async function deliver<Plant>(
  context: DeliveryContext,
  encode: EncodePlant<Plant>,
  plant: Plant,
  options: unknown,
  observer: DeliveryObserver | undefined,
): Promise<ReceiverResponse> {
  const { authorize, headers, inFlight, limiter, retry, transport } = context;
  const read = context.readOptions(options);
  const end = new DeliveryEnd(context);
  const place = inFlight.add(end, read.signal);
  let attempts = 0;
  let outcome: Outcome = 'not-sent';
  try {
    end.check();
    const content = { ownFields: headers.readOwn(read.headers), plant: encode(plant, read) };
    for (;;) {
      if (!transport.take()) await end.wait((proceed) => transport.wait(proceed));
      let error: PlantStoreError;
      try {
        end.check();
        if (limiter?.take() === false) await end.wait((proceed) => limiter.wait(proceed));
        end.check();
        attempts += 1;
        const attempt = new Attempt(context, observer);
        end.beginAttempt(attempt);
        const authorized = authorize(attempt);
        const credentials = typeof authorized === 'string' ? authorized : await end.waitFor(authorized);
        end.startAttemptClock();
        const made = headers.make(content, attempts, credentials);
        const fields = made instanceof Promise ? await end.waitFor(made) : made;
        end.check();
        const observed = observer?.startAttempt(fields) ?? fields;
        end.check();
        return await attempt.send(observed, content.plant.content);
      } catch (thrown) {
        error = thrown as PlantStoreError;
        end.failAttempt(error);
      } finally {
        transport.release();
      }
      outcome = combineOutcomes(outcome, error.outcome);
      if (retry === undefined || end.isOver) throw error;
      // The policy is told of all attempts so far.
      Object.assign(error, { attempts, outcome });
      const delay = waitBeforeRetry(retry, attempts, error);
      if (delay === undefined) throw error;
      end.startTotalClock();
      observer?.retry(error, delay);
      await end.sleep(delay);
    }
  } catch (thrown) {
    // A function of the caller may have aborted the signal, and thrown.
    const error = end.error ?? (thrown as PlantStoreError);
    outcome = combineOutcomes(outcome, error.outcome);
    if (retry !== undefined || limiter !== undefined) Object.assign(error, { attempts, outcome });
    throw error;
  } finally {
    end.stopClock();
    inFlight.delete(place, read.signal);
  }
}
