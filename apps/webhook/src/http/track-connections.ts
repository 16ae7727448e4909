import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps account of a server's connections. Returns a function that ends those on which nothing was ever sent:
 * Node takes them for busy, and a server that stops would wait for them until its deadline.
 */
export function trackConnections(server: Server): () => void {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return () => {
    for (const socket of connections) {
      if (socket.bytesRead === 0) socket.destroy();
    }
  };
}
