import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import { connectionOf } from './connection.js';
import { linesOf } from './request.js';
import { prepareRefusal, type PreparedResponse, respondRaw } from './response.js';

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
 * Checks what must be right before anything else of a request is looked at: its version (RFC 9110 §15.6.6), its
 * transfer codings (RFC 9112 §6.1) and its `Host` (RFC 9112 §3.2).
 *
 * @returns the response if it can't be processed
 */
export function messageFaultOf(request: IncomingMessage): PreparedResponse | undefined {
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
export function respondToClientError(
  error: NodeJS.ErrnoException & { readonly reason?: string },
  socket: Socket,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const isVersion = error.reason === VERSION_INVALID;
  refuse(socket, isVersion ? VERSION_UNSUPPORTED : (REFUSAL_BY_CODE[error.code ?? ''] ?? NOT_HTTP));
}

/** Responds to CONNECT, for which Node removes its own listeners from the connection (RFC 9110 §9.3.6, §15.6.2). */
export function respondToConnect({ socket }: IncomingMessage): void {
  socket.on('error', () => undefined);
  refuse(socket, METHOD_NOT_IMPLEMENTED);
}

/** Closes a connection. If requests on it are pending, they get their responses, and what is behind them gets none. */
function refuse(socket: Socket, refusal: PreparedResponse): void {
  const connection = connectionOf(socket);
  if (connection.isOver) return;
  connection.closeAfterLinger();
  const { latest, observer } = connection;
  if (latest !== undefined && !latest.writableFinished) {
    if (!latest.req.complete) respondRaw(latest, refusal);
    return;
  }
  const { status, reason } = refusal;
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  socket.destroySoon();
  observer.responded(status, socket, reason);
}
