import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { Server as ListeningServer } from 'node:net';

import { openConnectionsOf } from './connections.js';

/** How long a connection that was accepted last may take to send its request, in milliseconds. */
const LAST_REQUEST_TIMEOUT = 1_000;

/** Servers that serve on, and close each connection after its next response. */
const draining = new WeakSet<Server>();

/** Whether a server responds to requests as always. */
export function serves(server: Server): boolean {
  return server.listening || draining.has(server);
}

/** Whether a server keeps connections open after a response. */
export function keepsConnections(server: Server): boolean {
  return server.listening && !draining.has(server);
}

/**
 * Ends the connections of a server so that no request is lost: each closes after its next response, which says so. An
 * idle one stays open until its peer closes it or the time is up, because a request may be on its way.
 *
 * A socket of the server's own closes at once, so that peers turn to another server. One that was passed to it closes
 * when the connections that were open have ended: nobody is refused, and what comes then waits for the next process.
 *
 * @param timeout for the idle connections, in milliseconds. With a socket that was passed, those that were accepted last
 * have as long again, at most {@link LAST_REQUEST_TIMEOUT}
 */
export async function drain(server: Server, timeout: number, isPassed: boolean): Promise<void> {
  draining.add(server);
  if (isPassed) {
    const open = openConnectionsOf(server).map(({ socket }) => closeOf(socket));
    await within(timeout, Promise.all(open));
  }
  const closed = closeOf(server);
  // Not the method of HTTP servers, which also closes idle connections.
  ListeningServer.prototype.close.call(server);
  await within(isPassed ? Math.min(timeout, LAST_REQUEST_TIMEOUT) : timeout, closed);
  draining.delete(server);
}

function closeOf(socketOrServer: EventEmitter): Promise<unknown> {
  return new Promise((resolve) => socketOrServer.once('close', resolve));
}

async function within(timeout: number, happening: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const isOver = new Promise((resolve) => (timer = setTimeout(resolve, timeout)));
  await Promise.race([happening, isOver]);
  clearTimeout(timer);
}
