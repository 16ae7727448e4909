import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { connectionOf } from './connection.js';

const STATUS_BY_CODE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
};

/** What the parser says of a version that is well-formed (RFC 9110 §15.6.6). */
const VERSION_UNSUPPORTED = 'Invalid HTTP version';

/**
 * Responds where Node gives up before there is a request to route: the bytes aren't HTTP, come too slowly, or have too
 * large a header (RFC 9110 §15.5, RFC 6585 §5).
 */
export function respondToClientError(
  error: NodeJS.ErrnoException & { readonly reason?: string },
  socket: Socket,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status =
    error.reason === VERSION_UNSUPPORTED
      ? '505 HTTP Version Not Supported'
      : (STATUS_BY_CODE[error.code ?? ''] ?? '400 Bad Request');
  connectionOf(socket).giveUp(status);
}

/** Responds to CONNECT, for which Node removes its own listeners from the connection (RFC 9110 §9.3.6, §15.6.2). */
export function respondToConnect({ socket }: IncomingMessage): void {
  socket.on('error', () => undefined).resume();
  connectionOf(socket).giveUp('501 Not Implemented');
}
