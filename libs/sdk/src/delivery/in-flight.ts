import { invalidOption } from '../errors/invalid-options-error.js';
import { LinkedList } from '../transport/linked-list.js';

/** A delivery that the caller's signal and `close` may abort. */
interface Abortable {
  abort(reason: unknown): void;
}

/** The deliveries of a sender that have not succeeded or failed yet. */
export class InFlight {
  readonly #deliveries = new LinkedList<Abortable>();
  readonly #bySignal = new WeakMap<AbortSignal, SharedSignal>();
  #onEmpty: (() => void) | undefined;

  /**
   * Adds a delivery. It is aborted when the signal is; now, if the signal is already.
   *
   * @returns Forgets the delivery, which has succeeded or failed.
   * @throws InvalidOptionsError if the signal, which may be of any package, can't be listened to.
   */
  add(delivery: Abortable, signal: AbortSignal | undefined): () => void {
    const leaveSignal = signal && this.#follow(delivery, signal);
    const leave = this.#deliveries.add(delivery);
    return () => {
      leaveSignal?.();
      leave();
      if (this.#deliveries.isEmpty) this.#onEmpty?.();
    };
  }

  /** Aborts all of them. */
  abort(reason: unknown): void {
    for (const delivery of this.#deliveries) delivery.abort(reason);
  }

  /** Resolves once there is no delivery. */
  whenEmpty(): Promise<void> {
    if (this.#deliveries.isEmpty) return Promise.resolve();
    return new Promise((resolve) => (this.#onEmpty = resolve));
  }

  #follow(delivery: Abortable, signal: AbortSignal): () => void {
    const shared = this.#bySignal.get(signal) ?? new SharedSignal(signal);
    this.#bySignal.set(signal, shared);
    const leave = shared.deliveries.add(delivery);
    // Only now: listening may have run code that aborts it.
    if (isAborted(signal)) delivery.abort(reasonOf(signal));
    return () => {
      leave();
      if (!shared.deliveries.isEmpty) return;
      this.#bySignal.delete(signal);
      shared.leave();
    };
  }
}

/** The deliveries with the same signal share a listener: Node warns of a leak when a signal has more than ten. */
class SharedSignal {
  readonly deliveries = new LinkedList<Abortable>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    try {
      signal.addEventListener('abort', this.#abort);
    } catch {
      throw invalidOption('signal', 'must be an AbortSignal. Its `addEventListener` threw an error.');
    }
  }

  leave(): void {
    try {
      this.#signal.removeEventListener('abort', this.#abort);
    } catch {
      // The listener stays, and finds no delivery. What became of them stands.
    }
  }

  /** Not every package calls a listener that is an object. */
  readonly #abort = (): void => {
    for (const delivery of this.deliveries) delivery.abort(reasonOf(this.#signal));
  };
}

/** Its listener is there, so it is enough if that works. */
function isAborted(signal: AbortSignal): boolean {
  try {
    return signal.aborted;
  } catch {
    return false;
  }
}

/** Why a signal was aborted. Some packages have no reason. */
function reasonOf(signal: AbortSignal): unknown {
  try {
    return signal.reason;
  } catch {
    return undefined;
  }
}
