import type { Dispatcher } from 'undici';
import type { PlantStoreError } from '../errors/plant-store-error.js';
import { LinkedList } from './linked-list.js';
import { OwnPool, type PoolSettings } from './pool.js';
import { requestError } from './transport-error.js';

/** Where deliveries are sent. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  /** Origin and path, for messages. */
  readonly url: string;
}

/** Header fields of a request. A field that is sent several times has a list of values. */
export type RequestFields = Record<string, string | string[]>;

/** What handles the response to a request, or its error. */
export interface Sendable extends Dispatcher.DispatchHandler {
  /** Whether it has succeeded or failed. If so, its request is not sent any more. */
  readonly settled: boolean;
  /** @param thrown Anything: a dispatcher of the caller may throw it. */
  onResponseError(controller: Dispatcher.DispatchController | undefined, thrown: unknown): void;
}

interface TransportSettings extends PoolSettings {
  readonly target: Target;
  readonly method: Dispatcher.HttpMethod;
  /** Sends the requests instead of a pool of the sender's own. The caller closes it. */
  readonly dispatcher: Dispatcher | undefined;
}

/**
 * Sends the requests of one sender with a dispatcher of undici: a pool of its own, or that of the caller. The
 * dispatcher gets at most `maxConnections` at a time; the others wait for their turn, first come first served. A pool
 * sends each request once: no redirection is followed, and nothing is repeated.
 *
 * A connection that is used again may have received bytes that nobody asked for, such as a second response to the
 * request before. They must not count for the next request (RFC 9112 §6.3). So each request is handed to undici
 * by `setImmediate`, after Node has looked for bytes. undici waits for the next one before it writes, and closes the
 * connection if there were any. What remains is what arrives after that look: HTTP/1.1 can't tell it from the response.
 *
 * undici frees a connection by `setImmediate` after a response. A request that is sent because of that response is
 * scheduled later, so it finds the connection free.
 */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #pool: OwnPool | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #waiting = new LinkedList<() => void>();
  /** How many turns are free. */
  #free: number;

  constructor(settings: TransportSettings) {
    const { dispatcher, maxConnections, target } = settings;
    this.#settings = settings;
    this.#pool = dispatcher === undefined ? new OwnPool(target.origin, settings) : undefined;
    this.#dispatcher = (dispatcher ?? this.#pool)!;
    this.#free = maxConnections;
  }

  /** Takes a turn. Returns false if none is free. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /**
   * Waits for a turn.
   *
   * @param proceed Called with the turn of another. It must not throw.
   * @returns Ends the wait.
   */
  wait(proceed: () => void): () => void {
    return this.#waiting.add(proceed);
  }

  /** Sends a request of one that has its turn, unless it is settled before. */
  send(sendable: Sendable, headers: RequestFields, body: Uint8Array): void {
    setImmediate(this.#dispatch, sendable, headers, body);
  }

  /** Gives a turn to the first who waits, or takes it back. */
  release(): void {
    const proceed = this.#waiting.shift();
    if (proceed === undefined) this.#free += 1;
    else proceed();
  }

  /**
   * The error of a request that ended before a final status arrived.
   *
   * @param handedOver Whether the request was handed to a connection.
   */
  errorOf(cause: Error, handedOver: boolean): PlantStoreError {
    const timeout = this.#pool && this.#settings.connectTimeout;
    return requestError(cause, this.#settings.target, handedOver, timeout);
  }

  /** Ends the connections of the own pool. */
  async close(): Promise<void> {
    await this.#pool?.end();
  }

  readonly #dispatch = (sendable: Sendable, headers: RequestFields, body: Uint8Array): void => {
    if (sendable.settled) return;
    const { method, target } = this.#settings;
    const { origin, path } = target;
    try {
      // Each attempt has its own clocks. A dispatcher of the caller must not follow redirects either.
      const own = { headersTimeout: 0, bodyTimeout: 0, maxRedirections: 0 };
      const request = { origin, path, method, headers, body, ...own };
      this.#dispatcher.dispatch(request, sendable);
    } catch (error) {
      sendable.onResponseError(undefined, error);
    }
  };
}
