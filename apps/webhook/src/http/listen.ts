import { lookup } from 'node:dns/promises';
import type { Server } from 'node:net';

import type { Logger } from 'pino';

/** Every address of this machine: of IPv4, and of both. */
const EVERY_IPV4_ADDRESS = '0.0.0.0';
const EVERY_IP_ADDRESS = '::';

/** Addresses that mean every address of this machine. 127.0.0.1 is one of them, also where nothing else has IPv4. */
export const EVERY_ADDRESS: ReadonlySet<string> = new Set([EVERY_IPV4_ADDRESS, EVERY_IP_ADDRESS]);

/**
 * Listens on one address of a host, and says which it leaves out. Fastify would listen on each that `localhost` has, with
 * servers of its own, which nothing here has prepared. `::` is every address also where the system has no IPv6.
 *
 * @param listen on an address
 * @param setting which names the host
 * @throws Error if the name can't be found, and whatever `listen` throws
 */
export async function listenOnOne(
  listen: (address: string) => Promise<unknown>,
  setting: 'HOST' | 'OPERATIONS_HOST',
  host: string,
  logger: Pick<Logger, 'warn'>,
  find: typeof findAll = findAll,
): Promise<void> {
  const found = await find(host);
  const [address = host, ...others] = new Set(found.map((each) => each.address));
  try {
    await listen(address);
  } catch (error) {
    if (address !== EVERY_IP_ADDRESS || (error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error;
    await listen(EVERY_IPV4_ADDRESS);
  }
  if (others.length > 0)
    logger.warn(
      `${setting}: ${host} has several addresses; the receiver listens on ${address}, and not on ${others.join(', ')}`,
    );
}

function findAll(host: string): Promise<readonly { readonly address: string }[]> {
  return lookup(host, { all: true, order: 'ipv4first' });
}

/**
 * Where a server listens, for people. It never throws: an address may have a zone (RFC 6874), or be the path of a socket,
 * which Node.js doesn't know if the socket was passed.
 */
export function urlOf(server: Server): string {
  const listening = server.address();
  if (typeof listening === 'string' || listening === null)
    return `http+unix://${encodeURIComponent(listening ?? '')}`;
  const { address, port } = listening;
  const host = EVERY_ADDRESS.has(address) ? '127.0.0.1' : address;
  return `http://${authorityOf(host.replace('%', '%25'), port)}`;
}

/** A host and its port, as a URL has them. */
export const authorityOf = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
