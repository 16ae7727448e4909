import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { PlantStoreError } from '../errors/plant-store-error.js';

/** Makes the connections of one sender, and knows all of them. */
export interface Connector {
  readonly connect: buildConnector.connector;
  /** Ends every connection, made or being made. */
  destroyAll(): void;
}

/** How long a connection may be silent before TCP probes it, in milliseconds. */
const tcpKeepAliveDelay = 60_000;

/**
 * Makes a connector whose clock is exact: that of undici ticks twice a second.
 *
 * @param origin Where it connects to, for messages.
 * @param timeout Milliseconds in which a connection has to be made, TLS included.
 */
export function createConnector(origin: string, timeout: number): Connector {
  const sockets = new Set<Socket>();
  const openSocket = socketOpener();

  function connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const { socket, ready } = openSocket(options);
    const timer = setTimeout(() => socket.destroy(timedOut(origin, timeout)), timeout);
    const onError = (cause: Error): void =>
      callback(cause instanceof PlantStoreError ? cause : failed(origin, cause), null);
    sockets.add(socket);
    socket
      .setNoDelay(true)
      .setKeepAlive(true, tcpKeepAliveDelay)
      .once('close', () => {
        clearTimeout(timer);
        sockets.delete(socket);
      })
      .once('error', onError)
      .once(ready, () => {
        clearTimeout(timer);
        socket.off('error', onError);
        callback(null, socket);
      });
  }

  return { connect, destroyAll: () => sockets.forEach((socket) => socket.destroy()) };
}

type OpenSocket = (options: buildConnector.Options) => {
  readonly socket: Socket;
  readonly ready: 'connect' | 'secureConnect';
};

function socketOpener(): OpenSocket {
  let session: Buffer | undefined;
  return ({ protocol, hostname: host, port: given }) => {
    if (protocol !== 'https:') {
      const port = given === '' ? 80 : Number(given);
      return { socket: connectTcp({ host, port }), ready: 'connect' };
    }
    const socket = connectTls({
      host,
      port: given === '' ? 443 : Number(given),
      servername: isIP(host) ? '' : host,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    }).on('session', (latest) => (session = latest));
    return { socket, ready: 'secureConnect' };
  };
}

function timedOut(origin: string, timeout: number): PlantStoreError {
  const message = `No connection to ${origin} within ${timeout} ms (connectTimeout).`;
  return new PlantStoreError('PLANT_STORE_CONNECT_TIMEOUT', message, { outcome: 'not-sent' });
}

function failed(origin: string, cause: Error & { readonly code?: string }): PlantStoreError {
  const message = `No connection to ${origin}: ${cause.message || cause.code}.`;
  return new PlantStoreError('PLANT_STORE_CONNECT_FAILED', message, { outcome: 'not-sent', cause });
}
