import type { Delivery } from '../inbox/inbox.js';

/** What is done with a delivery. It may be asked to do it again for the same one. */
export type DeliveryHandler = (delivery: Delivery, signal: AbortSignal) => Promise<void> | void;

/** One run of the handler on one delivery, which can be cut short. */
export class Attempt {
  readonly #controller = new AbortController();

  /**
   * Resolves when the handler is done; rejects with what it threw, or as soon as the attempt is cut short.
   *
   * @param timeout in milliseconds
   */
  async run(handler: DeliveryHandler, delivery: Delivery, timeout: number): Promise<void> {
    const { signal } = this.#controller;
    const running = handler(delivery, signal);
    if (running === undefined) return;
    const timer = setTimeout(() => this.cutShort(`the handler took longer than ${timeout} ms`), timeout);
    try {
      await Promise.race([running, aborted(signal)]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Aborts the handler's signal. The attempt does not wait for a handler that ignores it. */
  cutShort(reason: string): void {
    this.#controller.abort(new Error(reason));
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
