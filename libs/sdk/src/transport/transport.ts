import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { connectError } from './transport-error.js';

/** Where deliveries are sent. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  /** Origin and path, for messages. */
  readonly url: string;
}

/** The connections of one sender. */
export interface Transport {
  /** Sends one request. Its response or its error goes to the handler. */
  dispatch(handler: Dispatcher.DispatchHandler, headers: string[], content: Uint8Array): void;
  /** Ends all connections, including those that are being made. */
  close(): Promise<void>;
}

interface TransportSettings {
  readonly target: Target;
  readonly method: Dispatcher.HttpMethod;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly maxConnections: number;
}

/**
 * Opens a transport that sends each request once. It follows no redirections, repeats nothing, and sends one request
 * at a time on a connection. undici's time-outs of a response are off, because each attempt has its own clocks.
 */
export function openTransport({
  target: { origin, path },
  method,
  connectTimeout,
  maxConnections,
}: TransportSettings): Transport {
  const connector = createConnector(origin, connectTimeout);
  const pool = new Pool(origin, {
    connect: connector.connect,
    connections: maxConnections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    dispatch(handler, headers, content) {
      pool.dispatch({ path, method, headers, body: content }, handler);
    },
    async close() {
      await pool.destroy();
      connector.destroyPending();
    },
  };
}

/** Makes the connections of one sender. */
interface Connector {
  readonly connect: buildConnector.connector;
  /** Ends the connections that are being made. The pool doesn't: it waits for them. */
  destroyPending(): void;
}

function createConnector(origin: string, timeout: number): Connector {
  const pending = new Set<Socket>();
  const connect = buildConnector({ timeout });
  return {
    connect(options, callback) {
      // undici returns the socket, though its types don't say so.
      const socket = connect(options, (error, connected) => {
        pending.delete(socket);
        if (error === null) callback(null, connected);
        else callback(connectError(error, origin, timeout), null);
      }) as unknown as Socket;
      pending.add(socket);
    },
    destroyPending: () => pending.forEach((socket) => socket.destroy()),
  };
}
