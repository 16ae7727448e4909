import { createSecureContext } from 'node:tls';
import { buildConnector, type Dispatcher } from 'undici';
import { OwnConnection } from './connection.js';
import { DispatcherConnection } from './dispatcher-connection.js';
import { type Place, Queue } from './queue.js';

/** Where deliveries are sent. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  /** Origin and path, for messages. */
  readonly url: string;
}

/** What sends one request at a time. */
export interface Connection {
  /** Whether the receiver reset it in the response to its last request. */
  readonly wasReset: boolean;
  /** Sends one request. Its response or its error goes to the handler. */
  send(handler: Dispatcher.DispatchHandler, headers: string[], content: Uint8Array): void;
  /** The request is about to be written. */
  expectResponse(): void;
  /** Ends the connection, also while it is being made. */
  destroy(): Promise<void>;
}

/** A request that is sent on a connection. */
export interface Sendable extends Dispatcher.DispatchHandler {
  /** Whether it has succeeded or failed. If so, it is not sent any more. */
  readonly settled: boolean;
}

interface Waiter {
  /** Called when a connection is free. It must not throw. */
  proceed(connection: Connection): void;
}

interface TransportSettings {
  readonly target: Target;
  readonly method: Dispatcher.HttpMethod;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly maxConnections: number;
  /** PEM; `undefined` for what Node trusts. */
  readonly ca: string[] | undefined;
  /** PEM; `undefined` for none. */
  readonly cert: string[] | undefined;
  readonly key: string[] | undefined;
  /** Sends the requests instead of connections of the transport's own. */
  readonly dispatcher: Dispatcher | undefined;
}

/** Opens a transport with connections of its own, or with what a dispatcher sends. */
export function openTransport(settings: TransportSettings): Transport {
  const { target, method, connectTimeout, maxConnections, dispatcher, ca, cert, key } = settings;
  const request = { origin: target.origin, path: target.path, method };
  if (dispatcher !== undefined) {
    return new Transport(maxConnections, () => new DispatcherConnection(dispatcher, request));
  }
  const connect = buildConnector({
    timeout: connectTimeout,
    ...((ca ?? cert) && { secureContext: createSecureContext({ ca, cert, key }) }),
  });
  const connection = { ...request, connectTimeout, connect };
  return new Transport(maxConnections, () => new OwnConnection(connection));
}

interface Request {
  readonly connection: Connection;
  readonly sendable: Sendable;
  readonly headers: string[];
  readonly content: Uint8Array;
}

/**
 * The connections of one sender, and the queue for them. Each request is sent once: no redirection is followed, and
 * nothing is repeated.
 *
 * A connection that is used again may have received bytes that nobody asked for, such as a second response to the
 * request before. They must not count for the next request (RFC 9112 §6.3). So requests are handed to undici by
 * `setImmediate`, after Node has looked for bytes. undici waits for the next one before it writes, and closes the
 * connection if there were any. What remains is what arrives after that look: HTTP/1.1 can't tell it from the response.
 */
export class Transport {
  readonly #maxConnections: number;
  readonly #open: () => Connection;
  readonly #connections: Connection[] = [];
  /** The connection that was used last is used next, so that the others may end when they have been idle for long. */
  readonly #free: Connection[] = [];
  readonly #waiting = new Queue<Waiter>();
  #requests: Request[] = [];
  #isScheduled = false;

  constructor(maxConnections: number, open: () => Connection) {
    this.#maxConnections = maxConnections;
    this.#open = open;
  }

  /** Takes a connection. `undefined` if none is free, or others wait for one. */
  take(): Connection | undefined {
    return this.#waiting.isEmpty ? (this.#free.pop() ?? this.#add()) : undefined;
  }

  /** Waits for a connection: first come, first served. */
  wait(waiter: Waiter): Place<unknown> {
    return this.#waiting.add(waiter);
  }

  /** Sends a request on its connection, unless it is settled before its turn. */
  send(connection: Connection, sendable: Sendable, headers: string[], content: Uint8Array): void {
    this.#requests.push({ connection, sendable, headers, content });
    this.#schedule();
  }

  /**
   * Takes back a connection. It may be about to close, or be made again. The next request should reach undici before
   * undici takes the connection for idle, so this doesn't wait until there is one.
   */
  release(connection: Connection): void {
    this.#free.push(connection);
    this.#schedule();
  }

  /** Ends all connections, including those that are being made. */
  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
  }

  #add(): Connection | undefined {
    if (this.#connections.length >= this.#maxConnections) return undefined;
    const connection = this.#open();
    this.#connections.push(connection);
    return connection;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    this.#isScheduled = false;
    this.#admit();
    const requests = this.#requests;
    this.#requests = [];
    for (const { connection, sendable, headers, content } of requests) {
      if (!sendable.settled) connection.send(sendable, headers, content);
    }
  };

  #admit(): void {
    while (this.#free.length > 0) {
      const waiter = this.#waiting.shift();
      if (waiter === undefined) return;
      waiter.proceed(this.#free.pop()!);
    }
  }
}
