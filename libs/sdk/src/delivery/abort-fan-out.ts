interface Abortable {
  abort(reason: unknown): void;
}

/**
 * Lets many deliveries share one listener on the caller's signal. Node warns of a leak when a signal has more than
 * ten listeners.
 */
export class AbortFanOut {
  readonly #groups = new WeakMap<AbortSignal, Group>();

  /** Aborts a delivery when the signal is aborted; now, if it is already. */
  add(signal: AbortSignal, delivery: Abortable): void {
    if (signal.aborted) return delivery.abort(signal.reason);
    let group = this.#groups.get(signal);
    if (group === undefined) this.#groups.set(signal, (group = new Group(signal)));
    group.add(delivery);
  }

  /** Forgets a delivery. */
  delete(signal: AbortSignal, delivery: Abortable): void {
    this.#groups.get(signal)?.delete(delivery);
  }
}

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
