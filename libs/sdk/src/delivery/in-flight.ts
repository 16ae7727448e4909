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
  readonly #groups = new Map<AbortSignal, Group>();
  #onEmpty: (() => void) | undefined;

  /** Adds a delivery. It is aborted when the signal is; now, if the signal is already. */
  add(delivery: Abortable, signal: AbortSignal | undefined): void {
    this.#deliveries.add(delivery);
    if (signal === undefined) return;
    if (signal.aborted) return delivery.abort(signal.reason);
    const group = this.#groups.get(signal);
    if (group === undefined) this.#groups.set(signal, new Group(signal, delivery));
    else group.add(delivery);
  }

  /** Forgets a delivery that has succeeded or failed. */
  delete(delivery: Abortable, signal: AbortSignal | undefined): void {
    this.#deliveries.delete(delivery);
    if (signal !== undefined && this.#groups.get(signal)?.delete(delivery) === true)
      this.#groups.delete(signal);
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

/** The deliveries with the same signal. Most signals are those of one delivery. */
class Group {
  readonly #signal: AbortSignal;
  #first: Abortable | undefined;
  #others: Set<Abortable> | undefined;

  constructor(signal: AbortSignal, first: Abortable) {
    this.#signal = signal;
    this.#first = first;
    signal.addEventListener('abort', this);
  }

  add(member: Abortable): void {
    this.#others ??= new Set();
    this.#others.add(member);
  }

  /** Returns whether the group is empty now. */
  delete(member: Abortable): boolean {
    if (this.#first === member) this.#first = undefined;
    else this.#others?.delete(member);
    const isEmpty = this.#first === undefined && (this.#others?.size ?? 0) === 0;
    if (isEmpty) this.#signal.removeEventListener('abort', this);
    return isEmpty;
  }

  handleEvent(): void {
    const reason: unknown = this.#signal.reason;
    this.#first?.abort(reason);
    for (const member of this.#others ?? []) member.abort(reason);
  }
}
