import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { systemReason } from '@plant-store/command/system-reason';
import { PlantStoreError } from '@plant-store/sdk';
import {
  buildConnector,
  type Connector,
  errors,
  isLoopback,
  OwnPool,
  type Settings,
} from '@plant-store/sdk/internal';
import { BadInput } from '../context.js';
import { type Proxy, proxyOf } from './proxy-environment.js';

/** No connection was made through a proxy. The message says what to do. */
class ProxyError extends PlantStoreError {
  readonly isOfProxy = true;
}

type ConnectionSettings = Pick<
  Settings<unknown>,
  | 'allowInsecureTransport'
  | 'ca'
  | 'cert'
  | 'connectTimeout'
  | 'key'
  | 'maxConnectionAge'
  | 'maxConnections'
  | 'target'
>;

/**
 * The connections to a receiver through the proxy that the environment names. Whoever gets them ends them.
 *
 * @returns `undefined` if there is none
 * @throws BadInput if the proxy isn't a URL, or is on another machine than a receiver without TLS.
 */
export function proxyFor(settings: ConnectionSettings, environment: NodeJS.ProcessEnv): OwnPool | undefined {
  const { origin } = settings.target;
  const proxy = proxyOf(new URL(origin), environment);
  if (proxy === undefined) return undefined;
  const route = new Route(proxy, settings);
  if (origin.startsWith('https:'))
    return new OwnPool(
      origin,
      settings,
      within(settings.connectTimeout, (options, signal) => route.tunnel(options, signal)),
    );
  if (!settings.allowInsecureTransport && !isLoopback(proxy.hostname))
    throw new BadInput(
      `The proxy of ${proxy.name} would get the access token. Name the host of --base-url in no_proxy, or pass ` +
        '--allow-insecure-transport.',
    );
  return new ForwardingPool(route);
}

/** Sends requests of plain HTTP to a proxy, with the whole address of their target (RFC 9112 §3.2.2). */
class ForwardingPool extends OwnPool {
  readonly #route: Route;

  constructor(route: Route) {
    const { proxy, settings } = route;
    super(
      proxy.url,
      settings,
      within(settings.connectTimeout, (_, signal) => route.connect(signal)),
    );
    this.#route = route;
  }

  override dispatch(...[options, handler]: Parameters<OwnPool['dispatch']>): boolean {
    const { proxy, settings } = this.#route;
    const { origin } = settings.target;
    const headers = { host: new URL(origin).host, ...(options.headers as object), ...proxy.fields };
    return super.dispatch({ ...options, path: origin + options.path, headers }, handler);
  }
}

type ConnectOptions = Parameters<Connector>[0];

/** Makes a connection. Once `signal` is aborted, its socket is destroyed, and it rejects with the reason. */
type Connect = (options: ConnectOptions, signal: AbortSignal) => Promise<Socket>;

/** Makes connections in several steps, with one time for all of them, in milliseconds. */
function within(milliseconds: number, connect: Connect): Connector {
  return (options, callback) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new errors.ConnectTimeoutError()), milliseconds);
    connect(options, controller.signal)
      .finally(() => clearTimeout(timer))
      .then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error as Error, null),
      );
    return { destroy: (error) => controller.abort(error) };
  };
}

/** A step: a connection of undici, or TLS over the connection `httpSocket`. */
function connectorOf(secureContext?: SecureContext): Connect {
  const connect = buildConnector({
    timeout: 0,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    ...(secureContext && { secureContext }),
  }) as Connector;
  return (options, signal) =>
    new Promise((resolve, reject) => {
      const socket = connect(options, (error, connected) =>
        error === null ? resolve(connected) : reject(error),
      );
      const destroy = (): unknown => socket.destroy(signal.reason as Error);
      if (signal.aborted) destroy();
      else signal.addEventListener('abort', destroy);
    });
}

/** The way to a receiver through a proxy. */
class Route {
  readonly proxy: Proxy;
  readonly settings: ConnectionSettings;
  readonly #secureReceiver: Connect;
  /** As with curl, `--ca`, `--cert` and `--key` are for the receiver alone. */
  readonly #connectProxy = connectorOf();

  constructor(proxy: Proxy, settings: ConnectionSettings) {
    const { ca, cert, key } = settings;
    this.proxy = proxy;
    this.settings = settings;
    this.#secureReceiver = connectorOf((ca ?? cert) && createSecureContext({ ca, cert, key }));
  }

  /** Connects to the proxy. */
  async connect(signal: AbortSignal): Promise<Socket> {
    const { hostname, name, port, url } = this.proxy;
    const host = hostname.replaceAll(/[[\]]/g, '');
    const options = { protocol: 'http:', hostname: host, host: hostname, port: String(port) };
    const httpSocket = await this.#connectProxy(options, signal).catch((error: unknown) =>
      this.#fail('it is out of reach', `Is it running there? Check ${name}.`, error),
    );
    if (url.startsWith('http:')) return httpSocket;
    return this.#connectProxy({ ...options, protocol: 'https:', httpSocket }, signal).catch(
      (error: unknown) => this.#fail('no TLS with it', `Check ${name} and NODE_EXTRA_CA_CERTS.`, error),
    );
  }

  /** Connects to a receiver with TLS, through a tunnel. */
  async tunnel(options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
    const httpSocket = await this.connect(signal);
    await this.#openTunnel(httpSocket);
    return this.#secureReceiver({ ...options, httpSocket }, signal).catch((error: unknown) => {
      // The sender explains the other errors, as without a proxy.
      if (isTimeout(error)) this.#fail('no TLS with the receiver', '', error);
      throw error;
    });
  }

  /** Asks the proxy for a connection to the receiver (RFC 9110 §9.3.6). */
  async #openTunnel(socket: Socket): Promise<void> {
    const { fields, name } = this.proxy;
    const { hostname, port } = new URL(this.settings.target.origin);
    const path = `${hostname}:${port || 443}`;
    const headers = { host: path, connection: 'keep-alive', ...fields };
    const asked = request({ method: 'CONNECT', path, headers, createConnection: () => socket });
    asked.end();
    const [{ statusCode }, , head] = (await once(asked, 'connect').catch((error: unknown) => {
      // What was received may repeat the password.
      delete (error as { rawPacket?: unknown }).rawPacket;
      this.#fail('no response to CONNECT', `Is it an HTTP proxy? Check ${name}.`, error);
    })) as [IncomingMessage & { readonly statusCode: number }, Socket, Buffer];
    if (head.length > 0) socket.unshift(head);
    if (statusCode >= 200 && statusCode < 300) return;
    socket.destroy();
    this.#fail(`it responded with ${statusCode}`, adviceOn(statusCode, name));
  }

  #fail(problem: string, advice: string, cause?: unknown): never {
    const { connectTimeout, target } = this.settings;
    const isLate = isTimeout(cause);
    const late = ` within ${connectTimeout} ms (--connect-timeout)`;
    const why = isLate ? late : cause === undefined ? '' : `: ${systemReason(cause)}`;
    throw new ProxyError(
      isLate ? 'PLANT_STORE_CONNECT_TIMEOUT' : 'PLANT_STORE_CONNECT_FAILED',
      `Could not connect to ${target.origin} through the proxy ${this.proxy.url}: ` +
        `${problem}${why}. ${advice}`.trimEnd(),
      { outcome: 'not-sent', cause },
    );
  }
}

function adviceOn(status: number, name: string): string {
  if (status === 407) return `Check the user and password in ${name}.`;
  return status >= 500
    ? 'Is the receiver running there? Check --base-url.'
    : 'Ask who runs it, or name the host in no_proxy.';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConnectTimeoutError';
}
