import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { ResponseHeads } from './response-heads.js';
import { connectError } from './transport-error.js';

/** What a connection connects to, and how. */
export interface ConnectionSettings {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly connect: buildConnector.connector;
}

/**
 * One connection to the receiver. It is made when a request is sent, and made again after it was closed. It sends one
 * request at a time. undici's time-outs of a response are off, because each attempt has its own clocks.
 */
export class OwnConnection {
  readonly #settings: ConnectionSettings;
  readonly #client: Client;
  readonly #heads = new ResponseHeads();
  #socket: Socket | undefined;
  /**
   * Whether the receiver reset the connection. undici takes a reset for the end of a response without length, where
   * only a regular end of the connection is one (RFC 9112 §8).
   */
  wasReset = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#client = new Client(settings.origin, {
      connect: (options, callback) => this.#connect(options, callback),
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Sends one request. Its response or its error goes to the handler. */
  send(handler: Dispatcher.DispatchHandler, headers: string[], content: Uint8Array): void {
    const { path, method } = this.#settings;
    this.#client.dispatch({ path, method, headers, body: content }, handler);
  }

  /** The request is about to be written. */
  expectResponse(): void {
    this.wasReset = false;
    this.#heads.expect();
  }

  /** Ends the connection, also while it is being made. */
  async destroy(): Promise<void> {
    const destroyed = this.#client.destroy();
    this.#socket?.destroy();
    await destroyed;
  }

  #connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const { connect, origin, connectTimeout } = this.#settings;
    // undici returns the socket, though its types don't say so.
    const socket = connect(options, (error, connected) => {
      if (error === null) callback(null, connected);
      else callback(connectError(error, origin, connectTimeout), null);
    }) as unknown as Socket;
    this.#socket = socket;
    socket.on('error', () => (this.wasReset = true));
    const push = socket.push.bind(socket);
    socket.push = (chunk: Uint8Array | null, encoding) => {
      if (chunk !== null) this.#heads.read(chunk);
      return push(chunk, encoding);
    };
  }
}
