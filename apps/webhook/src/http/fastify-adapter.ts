import { type IncomingMessage, METHODS, type RequestListener, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { type Config, LONGEST_TIMER } from '../config/config.js';
import { connectionOf, type Connections } from './connection.js';
import { checkMessage, prepareRefusal, type PreparedResponse, respond, respondRaw } from './message.js';

/** How long the request line and the header fields of a request may be together, in bytes. Node's default, and no flag changes it. */
const MAX_HEAD_BYTES = 16_384;

const PATH_MALFORMED = prepareRefusal('path-malformed', 400);
const NOT_HTTP = prepareRefusal('not-http', 400);
const METHOD_NOT_IMPLEMENTED = prepareRefusal('method-not-implemented', 501);
const VERSION_UNSUPPORTED = prepareRefusal('http-version-unsupported', 505);

const REFUSAL_BY_CODE: Readonly<Record<string, PreparedResponse>> = {
  ERR_HTTP_REQUEST_TIMEOUT: prepareRefusal('request-too-slow', 408),
  HPE_HEADER_OVERFLOW: prepareRefusal('head-too-large', 431),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: prepareRefusal('chunk-extensions-too-large', 413),
};

/** What the parser says of a version that is well-formed (RFC 9110 §15.6.6). */
const VERSION_INVALID = 'Invalid HTTP version';

/**
 * Creates Fastify without its own behaviour on the wire: it reads no content, and its errors have no body and no header
 * fields.
 */
export function createFastifyAdapter(
  {
    REQUEST_TIMEOUT_MS: requestTimeout,
    KEEP_ALIVE_TIMEOUT_MS: keepAliveTimeout,
  }: Pick<Config, 'REQUEST_TIMEOUT_MS' | 'KEEP_ALIVE_TIMEOUT_MS'>,
  connections: Connections,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    http: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
      // Node's own response has a Transfer-Encoding and a chunk, and Node accepts several Host fields.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      // A flag that a handler needs for what it asks would let requests be smuggled through proxies, too.
      insecureHTTPParser: false,
    },
    requestTimeout,
    keepAliveTimeout,
    // Closes the connection of a peer that doesn't read its responses. A request and its check take no longer.
    connectionTimeout: Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER),
    clientErrorHandler: respondToClientError,
    frameworkErrors: (_error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
      respond(reply, PATH_MALFORMED),
    return503OnClosing: false,
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  const { server } = fastify;
  // Otherwise a sender that ends its side after a whole request gets no response to it. Node doesn't document this.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Fastify fails without one, and Node knows none of a Unix socket that was passed.
  const address = server.address.bind(server);
  server.address = () => address() ?? 'passed';
  // Otherwise Node drops the fields after the thousandth. The size of the head stays limited.
  server.maxHeadersCount = 0;
  const onExpectation: RequestListener = (request, response) =>
    void server.emit('request', request, response);
  server
    .on('checkContinue', onExpectation)
    .on('checkExpectation', onExpectation)
    .on('connect', respondToConnect);
  connections.track(server);
  // As methods without content: otherwise Fastify would read it before the guard runs, and respond 415 to an unknown
  // media type and 404 to an unknown method.
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  fastify.addHook('onRequest', checkMessage).addHook('preClose', (done) => {
    connections.closeAfterNextResponse();
    connections.closeSilent();
    done();
  });
  return adapter;
}

/**
 * Responds where Node gives up before there is a request to route, or before it is complete: the bytes aren't HTTP, come
 * too slowly, or have too large a header (RFC 9110 §15.5, RFC 6585 §5).
 */
function respondToClientError(
  error: NodeJS.ErrnoException & { readonly reason?: string },
  socket: Socket,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const isVersion = error.reason === VERSION_INVALID;
  refuse(socket, isVersion ? VERSION_UNSUPPORTED : (REFUSAL_BY_CODE[error.code ?? ''] ?? NOT_HTTP));
}

/** Responds to CONNECT, for which Node removes its own listeners from the connection (RFC 9110 §9.3.6, §15.6.2). */
function respondToConnect({ socket }: IncomingMessage): void {
  socket.on('error', () => undefined);
  refuse(socket, METHOD_NOT_IMPLEMENTED);
}

/** Closes a connection. If requests on it are pending, they get their responses, and what is behind them gets none. */
function refuse(socket: Socket, refusal: PreparedResponse): void {
  const connection = connectionOf(socket);
  if (connection.isOver) return;
  connection.closeAfterLinger();
  const { latest } = connection;
  if (latest !== undefined && !latest.writableFinished) {
    if (!latest.req.complete) respondRaw(latest, refusal);
    return;
  }
  const { status, reason } = refusal;
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  socket.destroySoon();
  connection.responds(status, reason);
}
