import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { connectionOf } from '../http/connection.js';

/**
 * Limits the connections of servers together: so many from this machine, and as many from elsewhere. A further one takes
 * the place of the oldest without a request that is being processed, so that connections that ask for nothing keep nobody
 * out. It is closed if there is none. Connections from elsewhere never take the place of one from this machine.
 *
 * @returns adds a server
 */
export function connectionLimit(max: number): (server: Server) => void {
  const local = new Set<Socket>();
  const others = new Set<Socket>();
  /** The response to the latest request of each. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const isIdle = (socket: Socket): boolean => latest.get(socket)?.writableFinished ?? true;
  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse): void =>
    void latest.set(socket, response);
  const onConnection = (socket: Socket): void => {
    // From the first request on, it can stop the parser.
    connectionOf(socket);
    const isFromHere = isLoopback(socket) || isUnixSocket(socket);
    const connections = isFromHere ? local : others;
    if (connections.size >= max) {
      const surplus = [...connections].find(isIdle) ?? socket;
      // Its end is announced later, and others may be accepted before.
      connections.delete(surplus);
      surplus.destroy();
      if (surplus === socket) return;
    }
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  };
  return (server) => void server.on('request', onRequest).on('connection', onConnection);
}

function isUnixSocket(socket: Socket): boolean {
  return !('port' in socket.address());
}

/**
 * Whether a connection was made from this machine. The addresses of one that has ended are unknown, and it gets nothing
 * that others don't get.
 */
export function isLoopback({ localAddress, remoteAddress }: Socket): boolean {
  return [localAddress, remoteAddress].every((address) => /^(?:::ffff:)?127\.|^::1$/.test(address ?? ''));
}
