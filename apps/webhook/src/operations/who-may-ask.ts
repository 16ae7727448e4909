import type { Socket } from 'node:net';

import type { FastifyRequest } from 'fastify';

import { RequestFault } from './request-fault.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may ask: `everybody` also those who reach OPERATIONS_HOST; `page` is for local users, by links too. */
    audience?: 'everybody' | 'page';
    /** Whether a form of the inspector is sent here. All else that is sent is JSON. */
    isForm?: true;
  }
}

/** Fields of every response: nothing may be shown in another page, read by one, or taken for another media type. */
export const PROTECTION = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/**
 * Refuses a request whose sender may not send it.
 *
 * @param isPublic whether others than this machine can connect, for the routes for everybody. A load balancer on this
 * machine asks for those like one on another
 * @throws RequestFault
 */
export function checkSender(request: FastifyRequest, isPublic: boolean): void {
  const { audience } = request.routeOptions.config;
  const { socket, url = '', headers } = request.raw;
  if (isPublic && audience === 'everybody') return;
  if (!isLocal(socket)) throw new RequestFault('UNKNOWN_PATH', 'There is nothing at this path.');
  // An absolute target names the host, and `Host` then says nothing (RFC 9112 §3.2.2).
  const [, host = headers.host] = /^http:\/\/([^/?]*)/i.exec(url) ?? [];
  // HTTP/1.0 needs no Host. No browser sends it.
  if (!isUnixSocket(socket) && host !== undefined) requireOwnHost(host, socket.localPort as number);
  requireOwnOrigin(request, host, audience === 'page');
}

/**
 * Refuses content that a page of another site could send with a form, without a question of its browser before. What a form
 * of the inspector sends needs a browser that says where it comes from.
 *
 * @throws RequestFault
 */
export function requireOwnContent({ method, headers, routeOptions }: FastifyRequest): void {
  if (method !== 'POST') return;
  const { isForm } = routeOptions.config;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (!isForm && type.trim().toLowerCase() !== 'application/json')
    throw new RequestFault('CONTENT_NOT_JSON', 'Content-Type must be application/json.');
  if (isForm && headers.origin === undefined && headers['sec-fetch-site'] !== 'same-origin')
    throw new RequestFault('FOREIGN_ORIGIN', 'Only a form of the inspector may send this request.');
}

/**
 * Refuses content in chunks: Fastify keeps each by itself, and those of one byte take hundreds of times as much memory.
 *
 * @throws RequestFault
 */
export function requireLength({ method, headers }: FastifyRequest): void {
  if (method === 'POST' && headers['transfer-encoding'] !== undefined)
    throw new RequestFault('LENGTH_REQUIRED', 'Send the content whole, with Content-Length, not in chunks.');
}

/**
 * Refuses a request that was sent to another name than this listener's. A page of another site can point its own name
 * to this machine (DNS rebinding), and its browser then takes both for the same origin.
 */
function requireOwnHost(host: string, port: number): void {
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  // Without a port, the name means port 80.
  if (port === 80) own.push(...own.map((name) => name.slice(0, -':80'.length)));
  if (own.includes(host.toLowerCase())) return;
  throw new RequestFault(
    'FOREIGN_HOST',
    `Host must be ${own[0] as string} or ${own[1] as string}. Through a tunnel, use the same port on both sides.`,
  );
}

/**
 * Refuses a request that a browser sends for a page of another origin. Browsers say so in `Origin`, at least if the
 * request could change something, and newer ones in `Sec-Fetch-Site`, always. Other pages may link to a page. They may not
 * load one as an image, again and again: each costs a look at the inbox.
 */
function requireOwnOrigin({ headers }: FastifyRequest, host: string | undefined, isPage: boolean): void {
  const { origin, 'sec-fetch-site': site = 'none', 'sec-fetch-dest': destination = 'document' } = headers;
  const isOwn = origin?.toLowerCase().replace(/^https?:\/\//, '') === host?.toLowerCase();
  const isLink = isPage && destination === 'document';
  if ((isOwn || origin === undefined) && (isLink || site === 'same-origin' || site === 'none')) return;
  throw new RequestFault('FOREIGN_ORIGIN', 'A page of another origin may not send this request.');
}

/** Whether a connection was made from this machine. One that has ended has no addresses, and counts as from elsewhere. */
export function isLocal(socket: Socket): boolean {
  const addresses = [socket.localAddress, socket.remoteAddress];
  return isUnixSocket(socket) || addresses.every((address) => /^(?:::ffff:)?127\.|^::1$/.test(address ?? ''));
}

/** Whether a connection was made to the socket of the inbox. */
export function isUnixSocket(socket: Socket): boolean {
  return !socket.destroyed && !('port' in socket.address());
}
