import type { IncomingHttpHeaders } from 'node:http';

import { RequestFault } from './request-fault.js';

/**
 * Refuses a request that was sent to another name than this listener's. A page of another site can point its own name
 * to this machine (DNS rebinding), and its browser then takes both for the same origin.
 *
 * @param host the name to which it was sent
 * @param port where this listener is
 * @throws RequestFault
 */
export function requireOwnHost(host: string | undefined, port: number): void {
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  // Without a port, the name means port 80.
  if (port === 80) own.push(...own.map((name) => name.slice(0, -':80'.length)));
  if (own.includes(host?.toLowerCase() ?? '')) return;
  throw new RequestFault(
    'FOREIGN_HOST',
    `Host must be ${own[0] as string} or ${own[1] as string}. Through a tunnel, use the same port on both sides.`,
  );
}

/**
 * Refuses a request that a browser sends for a page of another origin. Browsers say so in `Origin`, at least if the
 * request could change something, and newer ones in `Sec-Fetch-Site`, always.
 *
 * @param host the name to which it was sent
 * @param isPage whether the request is for a page or document, to which other pages may have a link
 * @throws RequestFault
 */
export function requireOwnOrigin(
  { origin, 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders,
  host: string | undefined,
  isPage: boolean,
): void {
  const isOwn = origin?.toLowerCase().replace(/^https?:\/\//, '') === host?.toLowerCase();
  if ((isOwn || origin === undefined) && (isPage || site === 'same-origin' || site === 'none')) return;
  throw new RequestFault('FOREIGN_ORIGIN', 'A page of another origin may not send this request.');
}
