import type { IncomingMessage } from 'node:http';

/** The value of a header field as it was sent; undefined if the field is missing or empty. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The values of a header field, one for each of its lines. For fields that may have only one, Node otherwise drops the
 * further lines.
 *
 * @param name in lower case
 */
export function linesOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const found = rawHeaders[index] as string;
    if (found.length === name.length && found.toLowerCase() === name)
      values.push(rawHeaders[index + 1] as string);
  }
  return values;
}

/** Whether a request announces content (RFC 9112 §6). */
export function hasContent(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * Whether the sender waits for 100 (Continue) before it sends the content. HTTP/1.0 has no such expectation
 * (RFC 9110 §10.1.1, §15.2).
 */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}
