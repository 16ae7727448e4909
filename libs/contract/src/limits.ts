/** What answers about limits may allow, and how sender and receiver count deliveries. */

/**
 * The largest content that an answer to `size-limits` may allow, in bytes. In base64 it fits one JavaScript string, and
 * as it is one SQLite value, each with room for what is written or stored beside it.
 */
export const MAX_SIZE_LIMIT = 400_000_000;

/** A `RateWindow` keeps the time of each delivery, so this bounds its memory: 8 MB. */
export const MAX_DELIVERIES = 1_000_000;

/**
 * Counts deliveries in the span that ends now. Sender and receiver count in the same way. So a sender that keeps the
 * limit is refused only if its deliveries arrive closer together than they left.
 */
export class RateWindow {
  readonly #times: Float64Array;
  readonly #span: number;
  #oldest = 0;

  /** @param limit the answer to `rate-limits` */
  constructor({ deliveries, seconds }: { readonly deliveries: number; readonly seconds: number }) {
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
