import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const STATUS_BY_CODE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
};

/** What the parser says of a version that is well-formed (RFC 9110 §15.6.6). */
const VERSION_UNSUPPORTED = 'Invalid HTTP version';

/** How long what a peer still sends is discarded so that it can read the last response, in milliseconds. */
const LINGER = 1_000;

/** Connections that got their last response. */
const closing = new WeakSet<Socket>();

/** Whether a connection is closing, so that no further request on it may be processed (RFC 9112 §9.6). */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/**
 * Closes a connection after its last response. Not at once: a reset would discard the response of a peer that is still
 * writing (RFC 9112 §9.6). And not later than {@link LINGER}, even if the peer keeps its side open.
 */
export function closeAfterLinger(socket: Socket): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Responds where Node gives up before there is a request to route: the bytes aren't HTTP, come too slowly, or have too
 * large a header. No content, and the connection closes (RFC 9110 §15.5, RFC 6585 §5).
 */
export function respondToClientError(
  error: NodeJS.ErrnoException & { readonly reason?: string },
  socket: Socket,
): void {
  if (closing.has(socket) || lastRequests.get(socket)?.complete === true) return;
  if (!socket.writable || error.code === 'ECONNRESET' || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const status =
    error.reason === VERSION_UNSUPPORTED
      ? '505 HTTP Version Not Supported'
      : (STATUS_BY_CODE[error.code ?? ''] ?? '400 Bad Request');
  endWith(socket, status);
}

/** Responds to CONNECT, for which Node removes its own listeners from the connection (RFC 9110 §9.3.6, §15.6.2). */
export function respondToConnect(_request: IncomingMessage, socket: Duplex): void {
  const connection = socket as Socket;
  connection.on('error', () => undefined);
  // The responses to earlier requests on the connection would come too late.
  if (pendingResponse(connection) !== undefined) connection.destroy();
  else endWith(connection.resume(), '501 Not Implemented');
}

function endWith(socket: Socket, status: string): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  closeAfterLinger(socket);
}

/** Whether a response is under way on the socket. Bytes written now would end up inside it. */
function isResponding(socket: Socket): boolean {
  return pendingResponse(socket)?.headersSent === true;
}

/** The response that a connection waits for, or that is being written. */
function pendingResponse(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** Connections on which a right token was sent. */
const authenticated = new WeakSet<Socket>();

/** Protects a connection on which a right token was sent, for when there are too many. */
export function markAuthenticated(socket: Socket): void {
  authenticated.add(socket);
}

/** How many requests a connection may send before one with a right token. */
const MAX_UNAUTHENTICATED_REQUESTS = 8;

/** How many requests connections without a right token have sent. */
const requestCounts = new WeakMap<Socket, number>();

/**
 * Counts a request on a connection without a right token. Each costs time, and whoever sends many at once would delay
 * the deliveries of others.
 *
 * @returns whether it must be the last one on its connection
 */
export function isLastRequest({ socket }: IncomingMessage): boolean {
  if (authenticated.has(socket)) return false;
  const count = (requestCounts.get(socket) ?? 0) + 1;
  requestCounts.set(socket, count);
  return count >= MAX_UNAUTHENTICATED_REQUESTS;
}

/** Requests behind which nothing is read. */
const lastRequests = new WeakMap<Socket, IncomingMessage>();

/**
 * Ignores what follows a request on its connection. Node would parse everything that has arrived, up to 64 KiB, in one
 * turn of its loop.
 */
export function ignoreWhatFollows(request: IncomingMessage): void {
  const { parser } = request.socket as Socket & { readonly parser?: Parser | null };
  if (parser === null || parser === undefined) return;
  lastRequests.set(request.socket, request);
  parser.onIncoming = (next) => {
    next.upgrade = false;
    return SKIP_THE_REST;
  };
}

/** Node's parser of requests, as far as it is used here. */
interface Parser {
  onIncoming: (request: { upgrade: boolean }) => number;
}

/** What `onIncoming` returns after a request behind which another protocol begins. */
const SKIP_THE_REST = 2;

/**
 * The connection to close when there are too many: the oldest without a right token, or else the oldest without a
 * request.
 *
 * @param connections the oldest first
 */
function leastUseful(connections: Iterable<Socket>): Socket | undefined {
  let idle: Socket | undefined;
  for (const socket of connections) {
    if (!authenticated.has(socket)) return socket;
    if (pendingResponse(socket) === undefined) idle ??= socket;
  }
  return idle;
}

/**
 * Tracks a server's connections. Never are more open than the limit: a further one takes the place of the
 * {@link leastUseful}, or is closed if each has a delivery in flight.
 *
 * @returns ends the connections on which nothing was ever received, and those that are closing: Node counts them as
 * busy, and a server that stops would wait for them
 */
export function trackConnections(server: Server, maxConnections: number): () => void {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    if (connections.size >= maxConnections) {
      const surplus = leastUseful(connections) ?? socket;
      // Its end is announced later, and others may be accepted before.
      connections.delete(surplus);
      surplus.destroy();
      if (surplus === socket) return;
    }
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return () => {
    for (const socket of connections) {
      if (socket.bytesRead === 0 || closing.has(socket)) socket.destroy();
    }
  };
}
