import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const STATUS_BY_CODE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
};

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
export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (closing.has(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET' || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  closeAfterLinger(socket);
}

/** Whether a response is under way on the socket. Bytes written now would end up inside it. */
function isResponding(socket: Socket): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent === true;
}

/**
 * Tracks a server's connections. Returns a function that ends those on which nothing was ever received, or which are
 * closing: Node counts them as busy, and a server that stops would wait for them.
 */
export function trackConnections(server: Server): () => void {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return () => {
    for (const socket of connections) {
      if (socket.bytesRead === 0 || closing.has(socket)) socket.destroy();
    }
  };
}
