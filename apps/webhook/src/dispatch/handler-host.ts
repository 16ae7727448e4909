import type { Delivery } from '../inbox/inbox.js';

/** What is done with a delivery. It may be called again for the same one. */
export type DeliveryHandler = (delivery: Delivery, attempt: Attempt) => Promise<void> | void;

/**
 * Where the handler runs: in the receiver's process, or in one of its own. The tests in handler-process.test.ts of
 * apps/webhook-e2e that run with both values of HANDLER_PROCESS are the suite of both.
 */
export interface HandlerHost {
  /** Whether an attempt can start. */
  readonly isReady: boolean;

  /** @param onReady called each time that attempts can start, the first time maybe at once */
  start(onReady: () => void): void;

  /**
   * Runs one attempt, and returns nothing if the handler has ended by then. Rejects with what the handler threw, or with
   * the reason as soon as the attempt is aborted, or with a {@link ProcessEnded}.
   */
  run: DeliveryHandler;

  /**
   * Ends what it started. Call it when no attempt runs. What has not ended when the deadline aborts is left or killed.
   */
  stop(deadline: AbortSignal): Promise<void>;
}

/** One call of the handler for one delivery. */
export class Attempt {
  #controller: AbortController | undefined;

  /** Aborts when the attempt has taken too long, or when the receiver stops. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Aborts the handler's signal. The attempt doesn't wait for a handler that ignores it. */
  abort(reason: string): void {
    this.#controller?.abort(new Error(reason));
  }
}

/** The process in which the handler ran has ended. This attempt may be the cause. */
export class ProcessEnded extends Error {}

/** Calls a handler in this process. Returns and rejects as {@link HandlerHost.run} does. */
export function callHandler(
  handle: DeliveryHandler,
  delivery: Delivery,
  attempt: Attempt,
): Promise<void> | void {
  const running = handle(delivery, attempt);
  return running === undefined ? undefined : Promise.race([running, aborted(attempt.signal)]);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
