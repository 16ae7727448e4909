import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { RefusalReason } from '../observer.js';
import { connectionOf } from './connection.js';

type Refusal = readonly [status: string, reason: RefusalReason];

const REFUSAL_BY_CODE: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request-too-slow'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'head-too-large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'chunk-extensions-too-large'],
};

const NOT_HTTP: Refusal = ['400 Bad Request', 'not-http'];
const VERSION_UNSUPPORTED: Refusal = ['505 HTTP Version Not Supported', 'http-version-unsupported'];

/** What the parser says of a version that is well-formed (RFC 9110 §15.6.6). */
const VERSION_INVALID = 'Invalid HTTP version';

/**
 * Responds where Node gives up before there is a request to route: the bytes aren't HTTP, come too slowly, or have too
 * large a header (RFC 9110 §15.5, RFC 6585 §5).
 */
export function respondToClientError(
  error: NodeJS.ErrnoException & { readonly reason?: string },
  socket: Socket,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const refusal =
    error.reason === VERSION_INVALID ? VERSION_UNSUPPORTED : (REFUSAL_BY_CODE[error.code ?? ''] ?? NOT_HTTP);
  connectionOf(socket).giveUp(...refusal);
}

/** Responds to CONNECT, for which Node removes its own listeners from the connection (RFC 9110 §9.3.6, §15.6.2). */
export function respondToConnect({ socket }: IncomingMessage): void {
  socket.on('error', () => undefined).resume();
  connectionOf(socket).giveUp('501 Not Implemented', 'method-not-implemented');
}
