import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector, errors } from 'undici';

/** Makes a connection. Once `signal` is aborted, its sockets are destroyed and it rejects with the reason. */
export type Connect = (options: buildConnector.Options, signal: AbortSignal) => Promise<Socket>;

/**
 * Makes the connections of a dispatcher of undici. One time is for all of it: resolving, connecting, TLS.
 *
 * undici's own connector has such a time too, but leaves the addresses to Node, which gives one up after 250 ms if there is
 * another one: a receiver whose handshake takes longer is not reached if that other address is out of reach.
 */
export class Connector {
  readonly #timeout: number;
  readonly #make: Connect;
  readonly #connecting = new Set<AbortController>();

  /** @param timeout Milliseconds. */
  constructor(timeout: number, make: Connect) {
    this.#timeout = timeout;
    this.#make = make;
  }

  /** The option `connect` of a dispatcher. Fails with `ConnectTimeoutError` when the time is over. */
  readonly connect: buildConnector.connector = (options, callback) => {
    const controller = new AbortController();
    this.#connecting.add(controller);
    const timer = setTimeout(() => controller.abort(new errors.ConnectTimeoutError()), this.#timeout);
    const settle = (...result: Parameters<buildConnector.Callback>): void => {
      this.#connecting.delete(controller);
      clearTimeout(timer);
      callback(...result);
    };
    this.#make(options, controller.signal).then(
      (socket) => settle(null, socket),
      (error: unknown) => settle(error as Error, null),
    );
  };

  /** Ends the connections that are being made, for which undici would wait. */
  end(): void {
    for (const controller of this.#connecting) controller.abort(new errors.ClientDestroyedError());
  }
}

/**
 * Connects without a proxy.
 *
 * @param secureContext What https uses instead of what Node does.
 * @param resolve Finds the addresses of a host.
 */
export function directly(secureContext?: SecureContext, resolve?: Resolve): Connect {
  const secure = securely(secureContext);
  return async (options, signal) => {
    const isHttps = options.protocol === 'https:';
    const port = Number(options.port) || (isHttps ? 443 : 80);
    const socket = await connectTcp(options.hostname, port, signal, resolve);
    return isHttps ? secure(options, socket, signal) : socket;
  };
}

/** Makes TLS over a connection. */
export function securely(
  secureContext?: SecureContext,
): (options: buildConnector.Options, socket: Socket, signal: AbortSignal) => Promise<Socket> {
  // It resumes sessions. The time is that of the `Connector`.
  const connector = buildConnector({ timeout: 0, ...(secureContext && { secureContext }) });
  return (options, httpSocket, signal) =>
    new Promise((resolve, reject) => {
      // undici returns the socket, though its types don't say so.
      const socket = connector({ ...options, httpSocket }, (error, secured) =>
        error === null ? resolve(secured) : reject(error),
      ) as unknown as Socket;
      destroyWith(signal, socket);
    });
}

/** Finds the addresses of a host. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** How long an address is tried alone, in milliseconds (RFC 8305 §5). */
const attemptDelay = 250;

/**
 * Connects to the address of a host that accepts first. One is tried after the other, without giving up those before
 * (RFC 8305). So neither an address that doesn't respond nor a slow one prevents a connection.
 */
export async function connectTcp(
  host: string,
  port: number,
  signal: AbortSignal,
  resolve: Resolve = (name) => lookup(name, { all: true }),
): Promise<Socket> {
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error)),
  );
  const addresses = alternating(await Promise.race([resolve(host), aborted]));
  return new Promise((connected, failed) => {
    const sockets = new Set<Socket>();
    // Node warns of a leak when a signal has more than ten listeners, and a host may have more addresses.
    signal.addEventListener('abort', () =>
      sockets.forEach((socket) => socket.destroy(signal.reason as Error)),
    );
    const faults: Error[] = [];
    let timer: NodeJS.Timeout | undefined;
    const tryNext = (): void => {
      clearTimeout(timer);
      if (signal.aborted) return failed(signal.reason as Error);
      const address = addresses.shift();
      if (address === undefined) {
        if (sockets.size === 0) failed(oneOf(faults));
        return;
      }
      const socket = connect({ host: address, port });
      sockets.add(socket);
      if (addresses.length > 0) timer = setTimeout(tryNext, attemptDelay);
      const refused = (fault: Error): void => {
        sockets.delete(socket);
        faults.push(fault);
        tryNext();
      };
      socket.once('error', refused).once('connect', () => {
        clearTimeout(timer);
        for (const other of sockets) if (other !== socket) other.destroy();
        connected(socket.off('error', refused).setNoDelay(true).setKeepAlive(true, 60_000));
      });
    };
    tryNext();
  });
}

/** Destroys a socket once `signal` is aborted, with its reason. */
function destroyWith(signal: AbortSignal, socket: Socket): void {
  const destroy = (): unknown => socket.destroy(signal.reason as Error);
  if (signal.aborted) destroy();
  else signal.addEventListener('abort', destroy);
}

/** Takes turns between IPv6 and IPv4, whatever comes first, so that one that doesn't work costs one delay. */
function alternating(addresses: readonly LookupAddress[]): string[] {
  const places: Record<number, number> = {};
  return addresses
    .map(({ address, family }) => ({ address, place: (places[family] = (places[family] ?? 0) + 1) }))
    .sort((one, other) => one.place - other.place)
    .map(({ address }) => address);
}

function oneOf(faults: readonly Error[]): Error {
  if (faults.length === 1) return faults[0]!;
  const message = faults.map((fault) => fault.message).join('; ');
  return Object.assign(new AggregateError(faults, message), { code: (faults[0] as { code?: string }).code });
}
