import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { buildConnector, Client, errors, Pool } from 'undici';
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

/** Makes a connection, as undici's connectors do: they return the socket at once, though their types don't say so. */
export type Connector = (
  options: buildConnector.Options,
  callback: buildConnector.Callback,
) => { destroy(error: Error): unknown };

/**
 * How long Node tries one of several addresses of a host before it tries the next one, in milliseconds at most. Node's
 * own 250 ms are too short for a receiver on another continent.
 */
const LONGEST_ADDRESS_TIMEOUT = 1_000;

/** The connections of one sender to an origin. */
export class OwnPool extends Pool {
  readonly #connecting: Set<ReturnType<Connector>>;

  /** @param connect Makes the connections. */
  constructor(origin: string, settings: PoolSettings, connect = connectorOf(settings)) {
    const { maxConnections, maxConnectionAge } = settings;
    const connecting = new Set<ReturnType<Connector>>();
    super(origin, {
      connections: maxConnections,
      factory: (to: URL, options: object) => new AgingClient(to, options, maxConnectionAge),
      connect: (options, callback) => {
        const made = connect(options, (...[error, socket]) => {
          connecting.delete(made);
          if (error !== null) return callback(error, null);
          keepFirstError(socket, origin);
          checkVersions(socket);
          callback(null, socket);
        });
        connecting.add(made);
      },
    });
    this.#connecting = connecting;
  }

  /** Ends all connections, including those that are being made, for which undici would wait. */
  async end(): Promise<void> {
    const destroyed = this.destroy();
    for (const made of this.#connecting) made.destroy(new errors.ClientDestroyedError());
    await destroyed;
  }
}

/** Resolves the name, connects and makes TLS within `connectTimeout`. */
function connectorOf({ connectTimeout, ca, cert, key }: PoolSettings): Connector {
  const secureContext = (ca ?? cert) && createSecureContext({ ca, cert, key });
  return buildConnector({
    timeout: connectTimeout,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.min(LONGEST_ADDRESS_TIMEOUT, Math.ceil(connectTimeout / 2)),
    ...(secureContext && { secureContext }),
  }) as Connector;
}

/**
 * One connection at a time. The first request after its age ends it: `clientTtl` of a pool looks at the clock for each
 * connection at each request, and never sends what waits while all of them are too old.
 */
class AgingClient extends Client {
  readonly #maxAge: number;
  /** In the time of `performance.now`. */
  #lastsUntil = Infinity;

  constructor(origin: URL, options: object, maxAge: number) {
    super(origin, options);
    this.#maxAge = maxAge;
    this.on('connect', () => (this.#lastsUntil = performance.now() + maxAge));
    // The receiver may have closed it before. What follows isn't old.
    this.on('disconnect', () => (this.#lastsUntil = Infinity));
  }

  override dispatch(...[options, handler]: Parameters<Client['dispatch']>): boolean {
    if (performance.now() <= this.#lastsUntil) return super.dispatch(options, handler);
    // The next connection begins with the request after this one, unless this one ends before it is sent.
    this.#lastsUntil = performance.now() + this.#maxAge;
    return super.dispatch({ ...options, reset: true }, handler);
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

const STATUS = 'HTTP/1.1 '.length;

/** How most responses begin. */
const finalStatus = /^HTTP\/1\.\d [2-9]/;

/**
 * Refuses a response of another major version, which may have another syntax (RFC 9110 §2.5): undici's parser takes
 * HTTP/0.9, HTTP/2.0 and RTSP. Any piece of a head may come at a time.
 */
function checkVersions(socket: Socket): void {
  /** What has come of the response without its interim ones; `undefined` once the final status line has begun. */
  let head: string | undefined;
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  // A response begins after a request.
  socket.write = ((...written: Parameters<typeof write>) => {
    head = '';
    return write(...written);
  }) as typeof write;
  socket.read = (size) => {
    const chunk = read(size) as Buffer | null;
    if (chunk === null || head === undefined) return chunk;
    if (head === '' && finalStatus.test(chunk.toString('latin1', 0, STATUS + 1))) {
      head = undefined;
      return chunk;
    }
    const rest = withoutInterim(head + chunk.toString('latin1'));
    if (rest === undefined) {
      socket.destroy(new errors.HTTPParserError('The response does not begin with HTTP/1'));
      return null;
    }
    head = rest.length > STATUS && rest[STATUS] !== '1' ? undefined : rest;
    return chunk;
  };
}

/** The beginning of a response without interim ones; `undefined` if one of them has another major version. */
function withoutInterim(received: string): string | undefined {
  // Some servers send an empty line before the status line.
  const head = received.trimStart();
  if (!head.startsWith('HTTP/1.'.slice(0, head.length))) return undefined;
  const end = head[STATUS] === '1' ? /\n\r?\n/.exec(head) : null;
  return end === null ? head : withoutInterim(head.slice(end.index + end[0].length));
}
