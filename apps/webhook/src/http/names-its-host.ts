import type { IncomingMessage } from 'node:http';

/** Whether a request has exactly one `Host` field, as it must from HTTP/1.1 on (RFC 9112 §3.2). */
export function namesItsHost({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersionMajor === 1 && httpVersionMinor === 0);
}
