import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import type { Observer } from '../observer.js';
import { type Connection, connectionOf } from './connection.js';

const openConnections = new WeakMap<Server, Set<Connection>>();

/** The connections of a server that are open now, if they are {@link trackConnections|tracked}. */
export function openConnectionsOf(server: Server): Connection[] {
  return [...(openConnections.get(server) ?? [])];
}

/**
 * Tracks a server's connections. Never are more open than the limit: a further one takes the place of the
 * {@link leastUseful}, or is closed if each has a delivery in flight.
 *
 * @param observer sees their responses
 * @returns ends the connections on which nothing was ever received, and those that are closing: Node counts them as
 * busy, and a server that stops would wait for them
 */
export function trackConnections(
  server: Server,
  maxConnections: number,
  observer: Pick<Observer, 'responded'>,
): () => void {
  const connections = new Set<Connection>();
  openConnections.set(server, connections);
  server.on('connection', (socket: Socket) => {
    const connection = connectionOf(socket);
    connection.observer = observer;
    if (connections.size >= maxConnections) {
      const surplus = leastUseful(connections) ?? connection;
      // Its end is announced later, and others may be accepted before.
      connections.delete(surplus);
      surplus.socket.destroy();
      if (surplus === connection) return;
    }
    connections.add(connection);
    socket.once('end', () => connection.peerEnded());
    socket.once('close', () => connections.delete(connection));
  });
  return () => {
    for (const { socket, isClosing } of connections) {
      if (socket.bytesRead === 0 || isClosing) socket.destroy();
    }
  };
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
