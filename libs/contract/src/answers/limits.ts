/** Answers that limit how often, how large and how long deliveries may be. */
import { timeFaults, unless, wholeNumberFaults } from './checks.js';

/** How many deliveries a sender may make with one access token in any span of this length (question `rate-limits`). */
export interface RateLimit {
  /** A whole number from 1 to 1,000,000. */
  readonly deliveries: number;
  /** The length of the span: any number above 0. */
  readonly seconds: number;
}

/** How long a delivery may take (question `time-outs`), in milliseconds. */
export interface TimeOuts {
  /** Until a receiver has the whole request. */
  readonly delivery: number;
  /** Until a sender has the whole response. */
  readonly response: number;
}

/**
 * The largest content that an answer to `size-limits` may allow, in bytes. In base64 it fits one JavaScript string, and
 * as it is one SQLite value, each with room for what is written or stored beside it.
 */
export const MAX_SIZE_LIMIT = 400_000_000;

/** A `RateWindow` keeps the time of each delivery, so this bounds its memory: 8 MB. */
const MAX_DELIVERIES = 1_000_000;

export function rateLimitFaults({ deliveries, seconds }: RateLimit): string[] {
  return [
    ...wholeNumberFaults('deliveries', deliveries, 1, MAX_DELIVERIES),
    ...unless(seconds > 0 && Number.isFinite(seconds), `seconds must be a number above 0 (got ${seconds})`),
  ];
}

export function sizeLimitFaults(bytes: number): string[] {
  return wholeNumberFaults('the number of bytes', bytes, 1, MAX_SIZE_LIMIT);
}

export function timeOutFaults({ delivery, response }: TimeOuts): string[] {
  return [...timeFaults('delivery', delivery, 1), ...timeFaults('response', response, 1)];
}

/**
 * Counts deliveries in the span that ends now. Sender and receiver count in the same way. So a sender that keeps the
 * limit is refused only if its deliveries arrive closer together than they left.
 */
export class RateWindow {
  readonly #times: Float64Array;
  readonly #span: number;
  #oldest = 0;

  constructor({ deliveries, seconds }: RateLimit) {
    this.#times = new Float64Array(deliveries).fill(-Infinity);
    this.#span = seconds * 1_000;
  }

  /**
   * Counts a delivery, if there is room for it.
   *
   * @param now in milliseconds, of a clock that never goes back
   * @returns milliseconds until there is room; 0 if the delivery was counted
   */
  take(now: number): number {
    const freeAt = (this.#times[this.#oldest] as number) + this.#span;
    if (freeAt > now) return freeAt - now;
    this.#times[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#times.length;
    return 0;
  }
}
