import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyServerOptions } from 'fastify';

import { connectionOf, type Connections } from './connection.js';
import { prepareRefusal, type PreparedResponse, respondRaw } from './message.js';

/** How long the request line and the header fields of a request may be together, in bytes. Node's default, and no flag changes it. */
const MAX_HEAD_BYTES = 16_384;

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

/** Limits of time, in milliseconds. */
export interface ServerTimeouts {
  /** For the head of a request. */
  readonly head: number;
  /** For a whole request. */
  readonly request: number;
  /** Between two requests. @default Node's */
  readonly keepAlive?: number;
  /** Without a byte in either direction, as with a peer that doesn't read its responses. */
  readonly idle: number;
}

/**
 * Options with which Fastify serves behind the protection that both listeners of the receiver have: few connections are
 * open, nothing is processed behind a request that isn't accepted, and what Node and Fastify would decide by themselves
 * about messages is decided here.
 *
 * @param connectionsOf those among which a connection is counted
 */
export function serverOptions(timeouts: ServerTimeouts, connectionsOf: (socket: Socket) => Connections) {
  return {
    serverFactory: (handle) => createProtectedServer(handle, timeouts, connectionsOf),
    clientErrorHandler: respondToClientError,
    // Its response has JSON, and no date.
    return503OnClosing: false,
  } as const satisfies FastifyServerOptions;
}

function createProtectedServer(
  handle: RequestListener,
  { head, request, keepAlive, idle }: ServerTimeouts,
  connectionsOf: (socket: Socket) => Connections,
): Server {
  const server = createServer({
    // Node's own response has a Transfer-Encoding and a chunk, and Node accepts several Host fields.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    // A flag that a handler needs for what it asks would let requests be smuggled through proxies, too.
    insecureHTTPParser: false,
    requestTimeout: request,
    headersTimeout: head,
    connectionsCheckingInterval: Math.min(1_000, head),
    ...(keepAlive !== undefined && { keepAliveTimeout: keepAlive }),
  });
  server.setTimeout(idle);
  // Otherwise Node drops the fields after the thousandth. The size of the head stays limited.
  server.maxHeadersCount = 0;
  // Otherwise a sender that ends its side after a whole request gets no response to it. Node doesn't document this.
  Object.assign(server, { httpAllowHalfOpen: true });
  const process: RequestListener = (message, response) =>
    connectionOf(message.socket).process(response, () => handle(message, response));
  return (
    server
      .on('connection', (socket: Socket) => connectionsOf(socket).add(socket))
      .on('request', process)
      // Otherwise Node sends 100 to whoever asks. It is sent once the request is accepted.
      .on('checkContinue', process)
      // Otherwise Node responds 417, in a chunk. To ignore what isn't known is allowed, too (RFC 9110 §10.1.1).
      .on('checkExpectation', process)
      .on('connect', respondToConnect)
  );
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
  if (connection.isClosing) return;
  connection.close();
  const { pending } = connection;
  if (pending !== undefined) {
    if (!pending.req.complete) respondRaw(pending, refusal);
    return;
  }
  const { status, reason } = refusal;
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  socket.destroySoon();
  connection.responds(status, reason);
}
