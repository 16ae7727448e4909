import { chmodSync, rmSync } from 'node:fs';
import { METHODS, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

import { systemReason } from '@plant-store/command/system-reason';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type RouteOptions,
} from 'fastify';
import type { Logger } from 'pino';

import { OPERATIONS_CONNECTIONS } from '../config/open-files.js';
import { isOpening, ReceiverError } from '../errors.js';
import { connectionOf, Connections, hasContent } from '../http/connection.js';
import { authorityOf, EVERY_ADDRESS, listenOnOne } from '../http/listen.js';
import { checkMessage, expectsContinue } from '../http/message.js';
import { serverOptions } from '../http/server.js';
import { modeOfFilesIn } from '../inbox/sqlite/inbox-files.js';
import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { faultOf, RequestFault } from './request-fault.js';
import { openSocketAddress, SOCKET_NAME } from './socket-address.js';
import { checkSender, isLocal, PROTECTION, requireLength, requireOwnContent } from './who-may-ask.js';

/** Only this machine can connect. */
const LOOPBACK = '127.0.0.1';

/** Largest content of a request, in bytes. */
export const MAX_REQUEST_BYTES = 65_536;

/** Limits of time, in milliseconds. */
export const TIMEOUTS = {
  /** For the head of a request. It fits into one packet, and most connections send it at once. */
  head: 5_000,
  /** For a whole request. */
  request: 30_000,
  /** Without a byte in either direction, as with a peer that doesn't read its responses. */
  idle: 60_000,
  /** For the requests under way when the listener closes. */
  close: 1_000,
} as const;

/** Where the operations listener listens. */
export interface ListenerAddress {
  /** 0 lets the system choose. */
  readonly port: number;
  /** The host of this machine on which everybody may ask for health and metrics; undefined for none. */
  readonly host: string | undefined;
  /** @default TIMEOUTS */
  readonly timeouts?: Readonly<Record<keyof typeof TIMEOUTS, number>>;
}

/** A listener for people who run the receiver. Nothing of it belongs to the interface. */
export interface Listener {
  /** Where it is on the loopback address. */
  readonly url: string;
  /**
   * Listens on a Unix socket in a folder, too, which no other process may use then. Without it, which the log explains, the
   * rest is served.
   *
   * @returns its path; undefined if there can't be one
   */
  readonly openSocket: (folder: string) => Promise<string | undefined>;
  /** Ends all connections. */
  readonly close: () => Promise<void>;
}

/**
 * Serves routes on the loopback address, and those of everybody on a host too.
 *
 * @throws ReceiverError `ADDRESS_UNAVAILABLE`; nothing is then left open
 */
export async function startListener(
  addRoutes: (app: FastifyInstance) => void,
  { port, host, timeouts = TIMEOUTS }: ListenerAddress,
  logger: Logger,
): Promise<Listener> {
  // Connections from elsewhere never take the place of one from this machine.
  const local = new Connections(OPERATIONS_CONNECTIONS);
  const others = new Connections(OPERATIONS_CONNECTIONS);
  const connectionsOf = (socket: Socket): Connections => (isLocal(socket) ? local : others);
  const logFailure = throttledLog((fields) => logger.error(fields, 'a request of an operator failed'));
  const apps: FastifyInstance[] = [];
  const create = (): FastifyInstance => {
    const app = createApp(addRoutes, serverOptions(timeouts, connectionsOf), logFailure, host !== undefined);
    apps.push(app);
    return app;
  };
  const close = async (): Promise<void> => {
    const cut = setTimeout(() => apps.forEach(({ server }) => server.closeAllConnections()), timeouts.close);
    await Promise.all(apps.map((app) => app.close()));
    clearTimeout(cut);
  };
  try {
    const includesLoopback = host !== undefined && EVERY_ADDRESS.has(host);
    const actual = await listen(create(), includesLoopback ? host : LOOPBACK, port, logger);
    if (host !== undefined && !includesLoopback) await listen(create(), host, actual, logger);
    const openSocket = (folder: string): Promise<string | undefined> =>
      tryToListenOnSocket(create(), folder, logger);
    return { url: `http://${LOOPBACK}:${actual}/`, openSocket, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Fastify with what all routes share. */
function createApp(
  addRoutes: (app: FastifyInstance) => void,
  options: ReturnType<typeof serverOptions>,
  logFailure: WriteLine,
  isPublic: boolean,
): FastifyInstance {
  const respondToError = (error: FastifyError, reply: FastifyReply): void => {
    const { code, message, statusCode = 503 } = faultOf(error) as Partial<RequestFault>;
    if (!(error instanceof RequestFault) && !isOpening(error) && statusCode >= 500)
      logFailure({ err: error, url: reply.request.raw.url });
    reply.code(statusCode).headers(PROTECTION);
    // What a browser shows itself, a person reads.
    if (!reply.request.headers.accept?.includes('text/html')) return void reply.send({ code, message });
    // Behind a proxy, the inspector may be anywhere.
    const [path = ''] = reply.request.url.split('?');
    const inspector = `./${'../'.repeat(path.split('/').length - 2)}`;
    const page = pageOf(`${statusCode} ${code}`, message as string, inspector);
    void reply.type('text/html; charset=utf-8').send(page);
  };
  const unknownPath = new RequestFault('UNKNOWN_PATH', 'There is nothing at this path.');
  const app = Fastify({
    ...options,
    bodyLimit: MAX_REQUEST_BYTES,
    // A path that can't be decoded, or an id that is too long.
    frameworkErrors: (_error, _request, reply) => respondToError(unknownPath as FastifyError, reply),
  });
  // Otherwise a path has 404 for those that Fastify doesn't know.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  app.addHook('onRequest', checkMessage);
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler<FastifyError>((error, _request, reply) => respondToError(error, reply));
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(PROTECTION);
    checkSender(request, isPublic);
    if (request.is404) throw unknownPath;
    done();
  });
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('preParsing', (request, reply, _content, done) => {
    requireOwnContent(request);
    requireLength(request);
    accept(reply.raw);
    done();
  });
  app.addHook('onSend', (_request, reply, _content, done) => {
    if (connectionOf(reply.raw.req.socket).closesAfter(reply.raw)) void reply.header('connection', 'close');
    done();
  });
  addRoutes(app);
  for (const path of new Set(routes.map(({ url }) => url)))
    refuseOtherMethods(
      app,
      path,
      routes.filter(({ url }) => url === path),
    );
  return app;
}

/**
 * Lets a request be processed that nothing refuses. Behind a head from elsewhere nothing is parsed, and behind one that
 * announces content that no route reads.
 */
function accept(response: ServerResponse): void {
  const { req: request } = response;
  const connection = connectionOf(request.socket);
  connection.accept();
  if (!isLocal(request.socket) || (request.method !== 'POST' && hasContent(request))) connection.close();
  else if (expectsContinue(request)) response.writeContinue();
}

/** Gives a path a route for the methods that it doesn't have. */
function refuseOtherMethods(app: FastifyInstance, url: string, routes: readonly RouteOptions[]): void {
  const methods = routes.flatMap(({ method }) => method);
  const allow = methods.join(', ');
  app.route({
    url,
    method: app.supportedMethods.filter((method) => !methods.includes(method)),
    config: { ...routes[0]!.config },
    onRequest: (_request, reply, done) => {
      void reply.header('allow', allow);
      done(new RequestFault('METHOD_NOT_ALLOWED', `This path has ${allow}.`));
    },
    handler: () => undefined,
  });
}

/** A page that says why there is no other. */
function pageOf(title: string, message: string, inspector: string): string {
  const text = message.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>\n<html lang="en"><meta name="color-scheme" content="light dark"><title>${title}</title><h1>${title}</h1><p>${text}</p><p><a href="${inspector}">Inspector</a></p></html>\n`;
}

/** @returns the port */
async function listen(app: FastifyInstance, host: string, port: number, logger: Logger): Promise<number> {
  try {
    await listenOnOne((address) => app.listen({ host: address, port }), 'OPERATIONS_HOST', host, logger);
  } catch (cause) {
    const advice =
      host === LOOPBACK
        ? 'Set OPERATIONS_PORT to a free port; 0 lets the system choose.'
        : 'Set OPERATIONS_HOST to an address of this machine, and OPERATIONS_PORT to a port that is free there.';
    throw new ReceiverError(
      'ADDRESS_UNAVAILABLE',
      `The receiver cannot listen on ${authorityOf(host, port)}: ${systemReason(cause)}. ${advice}`,
      { cause },
    );
  }
  return (app.server.address() as AddressInfo).port;
}

/**
 * Listens on the socket in a folder. Whoever may write the files there may connect to it, from its first moment. A socket
 * that a killed process left behind is replaced: no other process can use the folder. Node removes it when it closes.
 *
 * @returns where it is, for people; undefined if there can't be one
 */
async function tryToListenOnSocket(
  app: FastifyInstance,
  folder: string,
  logger: Logger,
): Promise<string | undefined> {
  // Whatever else is created meanwhile, its owner can use.
  const usual = process.umask(0o077);
  try {
    if (process.platform === 'win32') throw new Error('Windows has no sockets in folders.');
    const address = openSocketAddress(folder);
    app.server.once('close', () => address.close());
    rmSync(address.path, { force: true });
    await app.listen({ path: address.path });
    chmodSync(address.path, modeOfFilesIn(folder));
    return join(folder, SOCKET_NAME);
  } catch (err) {
    logger.warn({ err }, 'no socket in the folder of the inbox; plant-inbox cannot reach this receiver');
    return undefined;
  } finally {
    process.umask(usual);
  }
}
