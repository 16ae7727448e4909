import { hash } from 'node:crypto';
import type { AddressInfo, Server } from 'node:net';

/** What a request brought. */
export interface Received {
  readonly mediaType: string | undefined;
  readonly content: Buffer;
}

/** Resolves once a delivery is durable. */
export type Keep = (received: Received) => Promise<void>;

/** Tells the benchmark the port of a server that listens, and ends with the benchmark. */
export function ready(server: Server): void {
  process.send!((server.address() as AddressInfo).port);
  process.once('disconnect', () => process.exit());
}

export function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
