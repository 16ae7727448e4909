import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { Server as ListeningServer, type Socket } from 'node:net';

import { type Connection, connectionOf, type ResponseObserver } from './connection.js';

/** How long a connection that was accepted last may take to send its request, in milliseconds. */
const LAST_REQUEST_TIMEOUT = 1_000;

/** The open connections of each server, the oldest first. */
const openConnections = new WeakMap<Server, Set<Connection>>();

/** Servers that close each connection after its next response. */
const stopping = new WeakSet<Server>();

/**
 * Tracks a server's connections. Never are more open than the limit: a further one takes the place of the
 * {@link leastUseful}, or is closed if each has a delivery in flight.
 *
 * @param observer sees their responses
 */
export function trackConnections(server: Server, maxConnections: number, observer: ResponseObserver): void {
  const connections = new Set<Connection>();
  openConnections.set(server, connections);
  server.on('connection', (socket: Socket) => {
    const connection = connectionOf(socket);
    connection.observer = observer;
    connection.closes = stopping.has(server);
    if (connections.size >= maxConnections) {
      const surplus = leastUseful(connections) ?? connection;
      // Its end is announced later, and others may be accepted before.
      connections.delete(surplus);
      surplus.socket.destroy();
      if (surplus === connection) return;
    }
    connections.add(connection);
    socket.once('end', () => (connection.closes = true));
    socket.once('close', () => connections.delete(connection));
  });
}

/**
 * The connection to close when there are too many: the oldest without an accepted token, or else the oldest without a
 * request.
 *
 * @param connections the oldest first
 */
function leastUseful(connections: Iterable<Connection>): Connection | undefined {
  let idle: Connection | undefined;
  for (const connection of connections) {
    if (!connection.isAuthenticated) return connection;
    if (connection.isIdle) idle ??= connection;
  }
  return idle;
}

/** Closes each connection of a server after its next response, and at once those on which nothing was ever received. */
export function endConnections(server: Server): void {
  for (const { socket } of closeAfterNextResponse(server)) {
    // Node takes it for busy, and would wait for it.
    if (socket.bytesRead === 0) socket.destroy();
  }
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
  const open = closeAfterNextResponse(server);
  if (isPassed) await within(timeout, Promise.all(open.map(({ socket }) => closeOf(socket))));
  const closed = closeOf(server);
  // Not the method of HTTP servers, which also closes idle connections.
  ListeningServer.prototype.close.call(server);
  await within(isPassed ? Math.min(timeout, LAST_REQUEST_TIMEOUT) : timeout, closed);
}

/** @returns the connections that are open now */
function closeAfterNextResponse(server: Server): Connection[] {
  stopping.add(server);
  const open = [...(openConnections.get(server) ?? [])];
  for (const connection of open) connection.closes = true;
  return open;
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
