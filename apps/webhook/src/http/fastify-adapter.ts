import { type IncomingMessage, METHODS, type RequestListener, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { LONGEST_TIMER } from '../config/config.js';
import { connectionOf, type ResponseObserver } from './connection.js';
import { endConnections, trackConnections } from './connections.js';
import { linesOf } from './request.js';
import { prepareRefusal, type PreparedResponse, respond, respondRaw } from './response.js';

/** Limits of the HTTP server. Times are in milliseconds. */
export interface HttpLimits {
  /** A whole request must arrive within this time. */
  readonly requestTimeout: number;
  /** An idle connection is kept open for this long. */
  readonly keepAliveTimeout: number;
  /** How many connections may be open. */
  readonly maxConnections: number;
}

/** How long the request line and the header fields of a request may be together, in bytes. Node's default, and no flag changes it. */
const MAX_HEAD_BYTES = 16_384;

const PATH_MALFORMED = prepareRefusal('path-malformed', 400);
const NOT_HTTP = prepareRefusal('not-http', 400);
const HOST_INVALID = prepareRefusal('host-invalid', 400);
const CODING_UNKNOWN = prepareRefusal('transfer-coding-unknown', 501);
const METHOD_NOT_IMPLEMENTED = prepareRefusal('method-not-implemented', 501);
const VERSION_UNSUPPORTED = prepareRefusal('http-version-unsupported', 505);

const REFUSAL_BY_CODE: Readonly<Record<string, PreparedResponse>> = {
  ERR_HTTP_REQUEST_TIMEOUT: prepareRefusal('request-too-slow', 408),
  HPE_HEADER_OVERFLOW: prepareRefusal('head-too-large', 431),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: prepareRefusal('chunk-extensions-too-large', 413),
};

/** What the parser says of a version that is well-formed (RFC 9110 §15.6.6). */
const VERSION_INVALID = 'Invalid HTTP version';

/** `Host` (RFC 9110 §7.2, RFC 3986 §3.2.2): an IP literal or a registered name, and a port. */
const VALID_HOST =
  /^(?:\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** The only transfer coding that is decoded, in a list that may have empty elements (RFC 9110 §5.6.1). */
const ONLY_CHUNKED = /^[\s,]*chunked[\s,]*$/i;

/** Without it at the end, nobody knows where the content ends (RFC 9112 §6.3). */
const CHUNKED_LAST = /(?:^|[\s,])chunked[\s,]*$/i;

/**
 * Creates Fastify without its own behaviour on the wire: it reads no content, and its errors have no body and no header
 * fields.
 *
 * @param observer sees the responses
 */
export function createFastifyAdapter(
  { requestTimeout, keepAliveTimeout, maxConnections }: HttpLimits,
  observer: ResponseObserver,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    http: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
      // Node's own response has a Transfer-Encoding and a chunk, and Node accepts several Host fields.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
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
  // Otherwise Node drops the fields after the thousandth. The size of the head stays limited.
  server.maxHeadersCount = 0;
  const onExpectation: RequestListener = (request, response) =>
    void server.emit('request', request, response);
  server
    .prependListener('request', ({ socket }, response) => connectionOf(socket).begin(response))
    .on('checkContinue', onExpectation)
    .on('checkExpectation', onExpectation)
    .on('connect', respondToConnect);
  trackConnections(server, maxConnections, observer);
  // As methods without content: otherwise Fastify would read it before the guard runs, and respond 415 to an unknown
  // media type and 404 to an unknown method.
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  fastify
    .addHook('onRequest', (request, reply, done) => {
      const fault = messageFaultOf(request.raw);
      if (fault === undefined) done();
      else respond(reply, fault);
    })
    .addHook('preClose', (done) => {
      endConnections(server);
      done();
    });
  return adapter;
}

/**
 * Checks what must be right before anything else of a request is looked at: its version (RFC 9110 §15.6.6), its
 * transfer codings (RFC 9112 §6.1) and its `Host` (RFC 9112 §3.2).
 *
 * @returns the response if it can't be processed
 */
function messageFaultOf(request: IncomingMessage): PreparedResponse | undefined {
  const { headers, httpVersionMajor, httpVersionMinor } = request;
  if (httpVersionMajor !== 1) return VERSION_UNSUPPORTED;
  const codings = headers['transfer-encoding'];
  if (codings !== undefined && !ONLY_CHUNKED.test(codings))
    return CHUNKED_LAST.test(codings) ? CODING_UNKNOWN : NOT_HTTP;
  const [host, another] = linesOf(request, 'host');
  if (host === undefined) return httpVersionMinor === 0 ? undefined : HOST_INVALID;
  return another === undefined && VALID_HOST.test(host) ? undefined : HOST_INVALID;
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
