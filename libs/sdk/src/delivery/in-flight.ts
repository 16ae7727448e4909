/** Counts the deliveries of a sender that are not settled. */
export class InFlight {
  #count = 0;
  #whenNone: (() => void) | undefined;

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#whenNone?.();
  }

  /** Resolves once there is none. */
  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#whenNone = resolve));
  }
}
