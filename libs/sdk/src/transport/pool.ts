import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { buildConnector, Pool } from 'undici';

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
  readonly #connecting: Set<Socket>;

  constructor(origin: string, { connectTimeout, maxConnections, ca, cert, key }: PoolSettings) {
    const connect = buildConnector({
      timeout: connectTimeout,
      ...((ca ?? cert) && { secureContext: createSecureContext({ ca, cert, key }) }),
    });
    const connecting = new Set<Socket>();
    super(origin, {
      connections: maxConnections,
      connect(options, callback) {
        // undici returns the socket, though its types don't say so.
        const socket = connect(options, (...[error, connected]) => {
          connecting.delete(socket);
          if (error !== null) return callback(error, null);
          renameResets(connected);
          callback(null, connected);
        }) as unknown as Socket;
        connecting.add(socket);
      },
    });
    this.#connecting = connecting;
  }

  /** Ends all connections, including those that are being made, for which undici would wait. */
  async end(): Promise<void> {
    const destroyed = this.destroy();
    for (const socket of this.#connecting) socket.destroy();
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
