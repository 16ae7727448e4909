import type { Socket } from 'node:net';

const STATUS_BY_CODE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
};

/**
 * Answers what is not HTTP, is too slow, or has too large a header, where Node gives up before there is
 * a request to route. No content, and the connection closes (RFC 9110 §15.5, RFC 6585 §5).
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
}

/** Node keeps the answer that a socket is busy with there; bytes written now would fall into the middle of it. */
function isAnswering(socket: Socket): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent === true;
}
