import { type Place, Queue } from '../transport/queue.js';

interface Abortable {
  abort(reason: unknown): void;
}

/** A place among those in flight. `undefined` if the signal was aborted before it began. */
export type PlaceInFlight = Place<unknown> | undefined;

/**
 * The deliveries of a sender that have not succeeded or failed yet, or its iterations of `sendAll` that have not ended.
 *
 * Many of them share one listener on the signal of their caller. Node warns of a leak when a signal has more than ten
 * listeners.
 *
 * They are in linked lists. V8 replaces the table of a `Set` when enough has been added and deleted, and a table that
 * was replaced may keep its entries alive until the next full collection.
 */
export class InFlight {
  readonly #withoutSignal = new Queue<Abortable>();
  readonly #groups = new Queue<Group>();
  readonly #groupOf = new WeakMap<AbortSignal, Group>();
  #size = 0;
  #onEmpty: (() => void) | undefined;

  /** Adds a delivery. It is aborted when the signal is; now, if the signal is already. */
  add(delivery: Abortable, signal: AbortSignal | undefined): PlaceInFlight {
    if (signal?.aborted === true) {
      delivery.abort(signal.reason);
      return undefined;
    }
    this.#size += 1;
    if (signal === undefined) return this.#withoutSignal.add(delivery);
    let group = this.#groupOf.get(signal);
    if (group === undefined) {
      group = new Group(signal, this.#groups);
      this.#groupOf.set(signal, group);
    }
    return group.deliveries.add(delivery);
  }

  /** Forgets a delivery that has succeeded or failed. */
  delete(place: PlaceInFlight, signal: AbortSignal | undefined): void {
    if (place === undefined) return;
    place.leave();
    this.#size -= 1;
    const group = signal && this.#groupOf.get(signal);
    if (group?.deliveries.isEmpty === true) {
      group.end();
      this.#groupOf.delete(signal!);
    }
    if (this.#size === 0) this.#onEmpty?.();
  }

  /** Aborts all of them. */
  abort(reason?: unknown): void {
    abortAll(this.#withoutSignal, reason);
    for (let group = this.#groups.shift(); group !== undefined; group = this.#groups.shift()) {
      abortAll(group.deliveries, reason);
    }
  }

  /** Resolves once there is no delivery. */
  whenEmpty(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onEmpty = resolve));
  }
}

/** The deliveries with the same signal. */
class Group {
  readonly deliveries = new Queue<Abortable>();
  readonly #signal: AbortSignal;
  readonly #place: Place<unknown>;

  constructor(signal: AbortSignal, groups: Queue<Group>) {
    this.#signal = signal;
    this.#place = groups.add(this);
    signal.addEventListener('abort', this);
  }

  end(): void {
    this.#place.leave();
    this.#signal.removeEventListener('abort', this);
  }

  handleEvent(): void {
    abortAll(this.deliveries, this.#signal.reason);
  }
}

function abortAll(deliveries: Queue<Abortable>, reason: unknown): void {
  for (let next = deliveries.shift(); next !== undefined; next = deliveries.shift()) next.abort(reason);
}
