import type { IncomingMessage } from 'node:http';

/** The value of a header field as it was sent; undefined if the field is missing or empty. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a request announces content (RFC 9112 §6). */
export function hasContent(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/** Whether a request has exactly one `Host` field, which HTTP/1.1 requires (RFC 9112 §3.2). */
export function hasValidHost({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersionMajor === 1 && httpVersionMinor === 0);
}

/**
 * Whether the sender waits for 100 (Continue) before it sends the content. HTTP/1.0 has no such expectation
 * (RFC 9110 §10.1.1, §15.2).
 */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}
