import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Logger } from 'pino';

import { LONGEST_TIMER } from '../config/config.js';
import { OPERATIONS_CONNECTIONS } from '../config/open-files.js';
import { ReceiverError } from '../errors.js';
import { connectionLimit } from './limit-connections.js';
import { listenOnSocket } from './listen-on-socket.js';
import { type Route, type ServedRoutes, serveRoutes, type Transport } from './router.js';

/** Only this machine can connect. */
const LOOPBACK = '127.0.0.1';

/** Hosts that include the loopback address. */
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** A head must arrive within this time, in milliseconds. It fits into one packet, and most connections send it at once. */
const HEAD_TIMEOUT = 5_000;

/** Where the operations listener listens. */
export interface OperationsAddress {
  /** 0 lets the system choose. */
  readonly port: number;
  /** The host of this machine on which everybody may ask for health and metrics; undefined for none. */
  readonly host: string | undefined;
  /** The folder of the socket; undefined for none. */
  readonly folder: string | undefined;
  /** A whole request must arrive within this time, in milliseconds. */
  readonly requestTimeout: number;
}

/** A listener for people who run the receiver. Nothing of it belongs to the interface. */
export interface OperationsListener {
  /** Where it is on the loopback address. */
  readonly url: string;
  /** The path of its Unix socket; undefined if there is none. */
  readonly socket: string | undefined;
  /** Ends all connections. Resolves when no request is being processed any more. */
  readonly close: () => Promise<void>;
}

/**
 * Serves routes on the loopback address and on a Unix socket, and those of everybody on a host too. Without the socket,
 * which the log then explains, it serves the rest.
 *
 * @throws ReceiverError `ADDRESS_UNAVAILABLE`; nothing is then left open
 */
export async function startOperationsListener(
  routes: readonly Route[],
  { port, host, folder, requestTimeout }: OperationsAddress,
  logger: Logger,
): Promise<OperationsListener> {
  const servers: Server[] = [];
  const served: ServedRoutes[] = [];
  const limit = connectionLimit(OPERATIONS_CONNECTIONS);
  const create = (transport: Transport): Server => {
    const limits = {
      requestTimeout,
      headersTimeout: Math.min(HEAD_TIMEOUT, requestTimeout),
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
    };
    const servedHere = serveRoutes(routes, transport, logger);
    const server = createServer(limits, servedHere.listener);
    limit(server);
    // Ends the connection of a peer that doesn't read its responses.
    server.timeout = Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER);
    servers.push(server);
    served.push(servedHere);
    return server;
  };
  const close = async (): Promise<void> => {
    await Promise.all(servers.filter(({ listening }) => listening).map(closeServer));
    await Promise.all(served.map((one) => one.idle()));
  };
  try {
    const includesLoopback = host !== undefined && EVERY_ADDRESS.includes(host);
    const actual = await listen(create('tcp'), includesLoopback ? host : LOOPBACK, port);
    if (host !== undefined && !includesLoopback) await listen(create('tcp'), host, actual);
    const socket =
      folder === undefined ? undefined : await tryToListenOnSocket(create('socket'), folder, logger);
    return { url: `http://${LOOPBACK}:${actual}/`, socket, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns the port */
async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const advice =
      host === LOOPBACK
        ? 'Set OPERATIONS_PORT to a free port; 0 lets the system choose.'
        : 'Set OPERATIONS_HOST to an address of this machine, and OPERATIONS_PORT to a port that is free there.';
    throw new ReceiverError(
      'ADDRESS_UNAVAILABLE',
      `The receiver cannot listen on ${address}: ${(cause as Error).message}. ${advice}`,
      { cause },
    );
  }
  return (server.address() as AddressInfo).port;
}

async function tryToListenOnSocket(
  server: Server,
  folder: string,
  logger: Logger,
): Promise<string | undefined> {
  try {
    return await listenOnSocket(server, folder);
  } catch (err) {
    logger.warn({ err }, 'no socket in the folder of the inbox; plant-inbox cannot reach this receiver');
    return undefined;
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
