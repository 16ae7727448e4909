import { hash } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Tells the benchmark the port of a server that listens, and ends with the benchmark. */
export function ready(server: Server): void {
  process.send!((server.address() as AddressInfo).port);
  process.once('disconnect', () => process.exit());
}

export function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
