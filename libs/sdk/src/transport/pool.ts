import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Pool } from 'undici';
import { Connector, directly } from './connect.js';

export interface PoolSettings {
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly maxConnections: number;
  /** PEM; `undefined` for what Node trusts. */
  readonly ca: string[] | undefined;
  /** PEM; `undefined` for none. */
  readonly cert: string[] | undefined;
  readonly key: string[] | undefined;
}

/** The connections of one sender to an origin. */
export class OwnPool extends Pool {
  readonly #connector: Connector;

  constructor(origin: string, { connectTimeout, maxConnections, ca, cert, key }: PoolSettings) {
    const secureContext = (ca ?? cert) && createSecureContext({ ca, cert, key });
    const connector = new Connector(connectTimeout, directly(secureContext));
    super(origin, {
      connections: maxConnections,
      connect: (options, callback) =>
        connector.connect(options, (...[error, connected]) => {
          if (error !== null) return callback(error, null);
          renameResets(connected);
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
 * undici takes a reset for the end of a response without length, where only a regular end of the connection is one
 * (RFC 9112 §8). Until the connection is closed, a reset has the code of a lost connection.
 */
function renameResets(socket: Socket): void {
  socket.on('error', (error: Error & { code?: string }) => {
    if (error.code !== 'ECONNRESET') return;
    error.code = 'UND_ERR_SOCKET';
    socket.on('close', () => (error.code = 'ECONNRESET'));
  });
}
