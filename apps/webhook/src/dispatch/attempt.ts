import type { Delivery } from '../inbox/inbox.js';

/** What is done with a delivery. It may be asked to do it again for the same one. */
export type DeliveryHandler = (delivery: Delivery, attempt: Attempt) => Promise<void> | void;

/** One run of the handler on one delivery, which can be cut short. */
export class Attempt {
  #controller: AbortController | undefined;

  /** Aborts when the attempt has taken too long, or when the receiver stops. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * Resolves when the handler is done; rejects with what it threw, or as soon as the attempt is cut short.
   *
   * @param timeout in milliseconds
   */
  async run(handler: DeliveryHandler, delivery: Delivery, timeout: number): Promise<void> {
    const running = handler(delivery, this);
    if (running === undefined) return;
    const timer = setTimeout(() => this.cutShort(`the handler took longer than ${timeout} ms`), timeout);
    try {
      await Promise.race([running, aborted(this.signal)]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Aborts the handler's signal. The attempt does not wait for a handler that ignores it. */
  cutShort(reason: string): void {
    this.#controller?.abort(new Error(reason));
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
