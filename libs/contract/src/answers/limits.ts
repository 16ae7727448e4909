/** How many deliveries a sender may make, with one access token, in any span of this length (question `rate-limits`). */
export interface RateLimit {
  readonly deliveries: number;
  readonly seconds: number;
}

/**
 * Counts deliveries in the span that ends now. Sender and receiver count alike, so that a sender that keeps to it is
 * refused only if its deliveries arrive closer together than they left.
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
   * Counts a delivery, unless there is no room for it.
   *
   * @param now in milliseconds, of a clock that never goes back
   * @returns how long it is until there is room, in milliseconds; 0 if the delivery was counted
   */
  take(now: number): number {
    const freeAt = (this.#times[this.#oldest] as number) + this.#span;
    if (freeAt > now) return freeAt - now;
    this.#times[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#times.length;
    return 0;
  }
}
