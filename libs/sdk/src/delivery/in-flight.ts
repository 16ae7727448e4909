interface Abortable {
  abort(reason: unknown): void;
}

/**
 * The deliveries of a sender that have not succeeded or failed yet.
 *
 * Many of them share one listener on the signal of their caller. Node warns of a leak when a signal has more than ten
 * listeners.
 */
export class InFlight {
  readonly #deliveries = new Set<Abortable>();
  readonly #groups = new WeakMap<AbortSignal, Group>();
  #onEmpty: (() => void) | undefined;

  /** Adds a delivery. It is aborted when the signal is; now, if the signal is already. */
  add(delivery: Abortable, signal: AbortSignal | undefined): void {
    this.#deliveries.add(delivery);
    if (signal === undefined) return;
    if (signal.aborted) return delivery.abort(signal.reason);
    let group = this.#groups.get(signal);
    if (group === undefined) this.#groups.set(signal, (group = new Group(signal)));
    group.add(delivery);
  }

  /** Forgets a delivery that has succeeded or failed. */
  delete(delivery: Abortable, signal: AbortSignal | undefined): void {
    this.#deliveries.delete(delivery);
    if (signal !== undefined) this.#groups.get(signal)?.delete(delivery);
    if (this.#deliveries.size === 0) this.#onEmpty?.();
  }

  /** Aborts every delivery. */
  abort(reason: unknown): void {
    for (const delivery of this.#deliveries) delivery.abort(reason);
  }

  /** Resolves once there is no delivery. */
  whenEmpty(): Promise<void> {
    if (this.#deliveries.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onEmpty = resolve));
  }
}

/** The deliveries with the same signal. */
class Group {
  readonly #signal: AbortSignal;
  readonly #members = new Set<Abortable>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(member: Abortable): void {
    if (this.#members.size === 0) this.#signal.addEventListener('abort', this.#abort);
    this.#members.add(member);
  }

  delete(member: Abortable): void {
    if (this.#members.delete(member) && this.#members.size === 0) {
      this.#signal.removeEventListener('abort', this.#abort);
    }
  }

  readonly #abort = (): void => {
    for (const member of this.#members) member.abort(this.#signal.reason);
  };
}
