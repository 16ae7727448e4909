import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';

import { LONGEST_TIMER } from '../config/config.js';
import { OPERATIONS_CONNECTIONS } from '../config/open-files.js';
import { ReceiverError } from '../errors.js';
import { connectionOf } from '../http/connection.js';
import { hasContent } from '../http/request.js';
import { throttledLog } from '../logging/throttled-log.js';
import { within } from './look-up.js';
import { REQUEST_FAULTS, RequestFault } from './request-fault.js';
import { openSocketAddress, SOCKET_NAME } from './socket-address.js';
import { checkSender, isLoopback, isUnixSocket, PROTECTION } from './who-may-ask.js';

/** Only this machine can connect. */
const LOOPBACK = '127.0.0.1';

/** Hosts that include the loopback address. */
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Largest content of a request, in bytes. */
export const MAX_REQUEST_BYTES = 65_536;

/** A head must arrive within this time, in milliseconds. It fits into one packet, and most connections send it at once. */
const HEAD_TIMEOUT = 5_000;

/** How long the end waits for responses to be read, in milliseconds. */
const CLOSE_TIMEOUT = 1_000;

/** What others may do with a new file: nothing. And it can't be executed. */
const OWNER_ALONE = 0o177;

/** Where the operations listener listens. */
export interface ListenerAddress {
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
export interface Listener {
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
export async function startListener(
  addRoutes: (app: FastifyInstance) => void,
  { port, host, folder, requestTimeout }: ListenerAddress,
  logger: Logger,
): Promise<Listener> {
  const { app, running } = createApp(addRoutes, logger);
  await app.ready();
  const servers: Server[] = [];
  const limitConnections = connectionLimit(OPERATIONS_CONNECTIONS);
  const create = (): Server => {
    const server = createServer({
      requestTimeout,
      headersTimeout: Math.min(HEAD_TIMEOUT, requestTimeout),
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
    });
    // Ends the connection of a peer that doesn't read its responses.
    server.timeout = Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER);
    limitConnections(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // Content that no route reads is not parsed either. This must be known before this function returns.
      if (request.method !== 'POST' && hasContent(request)) {
        connectionOf(request.socket).closeAfterLinger();
        response.shouldKeepAlive = false;
      }
      app.routing(request, response);
    });
    servers.push(server);
    return server;
  };
  const close = async (): Promise<void> => {
    const open = servers.filter(({ listening }) => listening);
    const closed = Promise.all(open.map((server) => once(server.close(), 'close')));
    await within(CLOSE_TIMEOUT, closed, () => undefined);
    for (const server of open) server.closeAllConnections();
    await closed;
    await Promise.all(running);
    await app.close();
  };
  try {
    const includesLoopback = host !== undefined && EVERY_ADDRESS.includes(host);
    const actual = await listen(create(), includesLoopback ? host : LOOPBACK, port);
    if (host !== undefined && !includesLoopback) await listen(create(), host, actual);
    const socket = folder === undefined ? undefined : await tryToListenOnSocket(create(), folder, logger);
    return { url: `http://${LOOPBACK}:${actual}/`, socket, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Fastify with what all routes share. `running` has the handlers that have not ended, also of cut off requests. */
function createApp(
  addRoutes: (app: FastifyInstance) => void,
  logger: Logger,
): { readonly app: FastifyInstance; readonly running: ReadonlySet<Promise<unknown>> } {
  const running = new Set<Promise<unknown>>();
  const logFailure = throttledLog((fields) => logger.error(fields, 'a request of an operator failed'));
  const respondToError = (error: Error & { readonly statusCode?: number }, reply: FastifyReply): void => {
    const { status, code, message, fields } = refusalOf(error);
    if (status >= 500 && !(error instanceof RequestFault))
      logFailure({ err: error, url: reply.request.raw.url });
    void reply
      .code(status)
      .headers({ ...PROTECTION, ...fields })
      .send({ code, message });
  };
  const app = Fastify({
    bodyLimit: MAX_REQUEST_BYTES,
    return503OnClosing: false,
    frameworkErrors: (error, _request, reply) => respondToError(error, reply),
  });
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler<Error>((error, _request, reply) => respondToError(error, reply));
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(PROTECTION);
    // Node would publish its keep-alive time-out, which is a limit and no promise.
    if (reply.raw.shouldKeepAlive && request.raw.httpVersionMinor > 0) reply.raw.removeHeader('connection');
    checkSender(request);
    done();
  });
  const routes = new Map<string, { readonly methods: Set<string>; readonly config: object | undefined }>();
  app.addHook('onRoute', (route) => {
    const { handler, url, config } = route;
    const { methods } = routes.get(url) ?? { methods: new Set<string>() };
    for (const method of [route.method].flat()) methods.add(method);
    routes.set(url, { methods, config });
    route.handler = async (request, reply) => {
      const handling = Promise.resolve(handler.call(app, request, reply)).finally(() =>
        running.delete(handling),
      );
      running.add(handling);
      return handling;
    };
  });
  addRoutes(app);
  // The others are refused before their content is read.
  for (const [url, { methods, config }] of [...routes]) {
    const allow = [...methods].join(', ');
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      config: { ...config, allow },
      handler: () => undefined,
    });
  }
  return { app, running };
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** What an error of a route, of its inbox or of Fastify is for the one who asked. */
function refusalOf(error: Error & { readonly statusCode?: number; readonly code?: string }): Refusal {
  const refuse = ({ code, message, fields }: RequestFault): Refusal => ({
    status: REQUEST_FAULTS[code],
    code,
    message,
    fields,
  });
  if (error instanceof RequestFault) return refuse(error);
  if (error instanceof ReceiverError) return { status: 503, code: error.code, message: error.message };
  // A path that can't be decoded, or an id that is too long.
  if (error.code === 'FST_ERR_BAD_URL' || error.statusCode === 414)
    return refuse(new RequestFault('UNKNOWN_PATH', 'There is nothing at this path.'));
  if (error.statusCode === 413) {
    const message = `The content must not be larger than ${MAX_REQUEST_BYTES} bytes.`;
    return refuse(new RequestFault('CONTENT_TOO_LARGE', message));
  }
  if (error.statusCode === 415)
    return refuse(new RequestFault('CONTENT_NOT_JSON', 'Content-Type must be application/json.'));
  if (error.statusCode === 400)
    return refuse(new RequestFault('INVALID_CONTENT', 'The content is not JSON, or not whole.'));
  const message = 'The receiver failed to respond. Its log says why.';
  return refuse(new RequestFault('RECEIVER_FAILED', message));
}

/**
 * Limits the connections of servers together: so many from this machine, and as many from elsewhere. A further one takes
 * the place of the oldest without a request that is being processed, so that connections that ask for nothing keep nobody
 * out. It is closed if there is none. Connections from elsewhere never take the place of one from this machine.
 *
 * @returns adds a server
 */
function connectionLimit(max: number): (server: Server) => void {
  const local = new Set<Socket>();
  const others = new Set<Socket>();
  /** The response to the latest request of each. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const isIdle = (socket: Socket): boolean => latest.get(socket)?.writableFinished ?? true;
  const onConnection = (socket: Socket): void => {
    // From the first request on, it can stop the parser.
    connectionOf(socket);
    const connections = isLoopback(socket) || isUnixSocket(socket) ? local : others;
    if (connections.size >= max) {
      const surplus = [...connections].find(isIdle) ?? socket;
      // Its end is announced later, and others may be accepted before.
      connections.delete(surplus);
      surplus.destroy();
      if (surplus === socket) return;
    }
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  };
  return (server) =>
    void server
      .on('connection', onConnection)
      .on('request', ({ socket }, response) => void latest.set(socket, response));
}

/** @returns the port */
async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
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

/**
 * Listens on the socket in a folder. Only the owner of this process may connect to it, from its first moment. A socket
 * that a killed process left behind is replaced: no other process can use the folder. It is removed when the server closes.
 *
 * @returns where it is, for people; undefined if there can't be one
 */
async function tryToListenOnSocket(
  server: Server,
  folder: string,
  logger: Logger,
): Promise<string | undefined> {
  try {
    if (process.platform === 'win32') throw new Error('Windows has no sockets in folders.');
    const address = openSocketAddress(folder);
    server.once('close', () => address.close());
    rmSync(address.path, { force: true });
    // Node creates the socket before listen() returns.
    const usual = process.umask(OWNER_ALONE);
    try {
      server.listen(address.path);
    } finally {
      process.umask(usual);
    }
    await once(server, 'listening');
    return join(folder, SOCKET_NAME);
  } catch (err) {
    logger.warn({ err }, 'no socket in the folder of the inbox; plant-inbox cannot reach this receiver');
    return undefined;
  }
}
