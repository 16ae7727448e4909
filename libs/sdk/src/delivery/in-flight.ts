/** A delivery that the caller's signal and `close` may abort. */
interface Abortable {
  abort(reason: unknown): void;
}

/** The deliveries of a sender that have not succeeded or failed yet. */
export class InFlight {
  readonly #deliveries = new Set<Abortable>();
  readonly #bySignal = new Map<AbortSignal, SharedSignal>();
  #onEmpty: (() => void) | undefined;

  /** Adds a delivery. It is aborted when the signal is; now, if the signal is already. */
  add(delivery: Abortable, signal: AbortSignal | undefined): void {
    this.#deliveries.add(delivery);
    if (signal === undefined) return;
    if (signal.aborted) return delivery.abort(signal.reason);
    let shared = this.#bySignal.get(signal);
    if (shared === undefined) {
      shared = new SharedSignal(signal);
      this.#bySignal.set(signal, shared);
    }
    shared.deliveries.add(delivery);
  }

  /** Forgets a delivery that has succeeded or failed. */
  delete(delivery: Abortable, signal: AbortSignal | undefined): void {
    this.#deliveries.delete(delivery);
    if (signal !== undefined) this.#leave(signal, delivery);
    if (this.#deliveries.size === 0) this.#onEmpty?.();
  }

  /** Aborts all of them. */
  abort(reason: unknown): void {
    for (const delivery of this.#deliveries) delivery.abort(reason);
  }

  /** Resolves once there is no delivery. */
  whenEmpty(): Promise<void> {
    if (this.#deliveries.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onEmpty = resolve));
  }

  #leave(signal: AbortSignal, delivery: Abortable): void {
    const shared = this.#bySignal.get(signal);
    if (shared === undefined) return;
    shared.deliveries.delete(delivery);
    if (shared.deliveries.size > 0) return;
    this.#bySignal.delete(signal);
    signal.removeEventListener('abort', shared);
  }
}

/** The deliveries with the same signal share a listener: Node warns of a leak when a signal has more than ten. */
class SharedSignal {
  readonly deliveries = new Set<Abortable>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this);
  }

  handleEvent(): void {
    for (const delivery of this.deliveries) delivery.abort(this.#signal.reason);
  }
}
