import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Client, Pool } from 'undici';
import { type Connect, Connector, directly } from './connect.js';
import { prepareHeads } from './response-head.js';
import { connectError, isRefusedHandshake } from './transport-error.js';

export interface PoolSettings {
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly maxConnections: number;
  /** Milliseconds. */
  readonly maxConnectionAge: number;
  /** PEM; `undefined` for what Node trusts. */
  readonly ca: string[] | undefined;
  /** PEM; `undefined` for none. */
  readonly cert: string[] | undefined;
  readonly key: string[] | undefined;
}

/** The connections of one sender to an origin. */
export class OwnPool extends Pool {
  readonly #connector: Connector;

  /** @param connect Makes the connections. */
  constructor(
    origin: string,
    { connectTimeout, maxConnections, maxConnectionAge, ca, cert, key }: PoolSettings,
    connect: Connect = directly((ca ?? cert) && createSecureContext({ ca, cert, key })),
  ) {
    const connector = new Connector(connectTimeout, connect);
    super(origin, {
      connections: maxConnections,
      factory: (to: URL, options: object) => new AgingClient(to, options, maxConnectionAge),
      connect: (options, callback) =>
        connector.connect(options, (...[error, connected]) => {
          if (error !== null) return callback(error, null);
          keepFirstError(connected, origin);
          prepareHeads(connected);
          callback(null, connected);
        }),
    });
    this.#connector = connector;
  }

  /** Ends all connections, including those that are being made, for which undici would wait. */
  async end(): Promise<void> {
    const destroyed = this.destroy();
    this.#connector.end();
    await destroyed;
  }
}

/**
 * One connection at a time. The first request after its age ends it: `clientTtl` of a pool looks at the clock for each
 * connection at each request, and never sends what waits while all of them are too old.
 */
class AgingClient extends Client {
  /** In the time of `performance.now`. */
  #lastsUntil = Infinity;

  constructor(origin: URL, options: object, maxAge: number) {
    super(origin, options);
    this.on('connect', () => (this.#lastsUntil = performance.now() + maxAge));
  }

  override dispatch(...[options, handler]: Parameters<Client['dispatch']>): boolean {
    const isOld = performance.now() > this.#lastsUntil;
    return super.dispatch(isOld ? { ...options, reset: true } : options, handler);
  }
}

/**
 * undici reports the last error of a connection, and takes a reset for the end of a response without length, where only
 * a regular end of the connection is one (RFC 9112 §8).
 */
function keepFirstError(socket: Socket, origin: string): void {
  socket.once('error', (error: Error & { code?: string }) => {
    // After an alert, the connection also ends.
    socket.destroy(isRefusedHandshake(error, socket.bytesRead) ? connectError(error, origin) : error);
    if (error.code !== 'ECONNRESET') return;
    // Until the connection is closed, a reset has the code of a lost connection.
    error.code = 'UND_ERR_SOCKET';
    socket.on('close', () => (error.code = 'ECONNRESET'));
  });
}
