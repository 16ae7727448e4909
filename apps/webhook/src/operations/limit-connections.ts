import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most connections of a server from this machine, and as many from elsewhere. */
export const MAX_CONNECTIONS = 100;

/**
 * Limits the connections of a server. A further one takes the place of the oldest without a request that is being
 * processed, so that connections that ask for nothing keep nobody out. It is closed if there is none. Connections from
 * elsewhere never take the place of one from this machine.
 */
export function limitConnections(server: Server): void {
  const local = new Set<Socket>();
  const others = new Set<Socket>();
  /** The response to the latest request of each. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const isIdle = (socket: Socket): boolean => latest.get(socket)?.writableFinished ?? true;
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) =>
    latest.set(socket, response),
  );
  server.on('connection', (socket: Socket) => {
    const connections = isLoopback(socket) ? local : others;
    if (connections.size >= MAX_CONNECTIONS) {
      const surplus = [...connections].find(isIdle) ?? socket;
      // Its end is announced later, and others may be accepted before.
      connections.delete(surplus);
      surplus.destroy();
      if (surplus === socket) return;
    }
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
}

/**
 * Whether a connection was made from this machine. The addresses of one that has ended are unknown, and it gets nothing
 * that others don't get.
 */
export function isLoopback({ localAddress, remoteAddress }: Socket): boolean {
  return [localAddress, remoteAddress].every((address) => /^(?:::ffff:)?127\.|^::1$/.test(address ?? ''));
}
