import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Says which port of the receiver is taken, before anything is built. What else is wrong with the settings, the receiver
 * says itself.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<string | undefined>} nothing if the ports are free
 */
export async function portFault({ HOST, PORT, OPERATIONS_PORT }) {
  const ports = [
    { name: 'PORT', host: HOST || '127.0.0.1', port: Number(PORT || 3000) },
    { name: 'OPERATIONS_PORT', host: '127.0.0.1', port: Number(OPERATIONS_PORT || 3001) },
  ];
  for (const { name, host, port } of ports) {
    if (await isTaken(host, port))
      return `Port ${port} of ${host} is in use, perhaps by another npm start. End that one, or set ${name} to a free port; 0 lets the system choose.`;
  }
  return undefined;
}

async function isTaken(host, port) {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return false;
  } catch (error) {
    return error.code === 'EADDRINUSE';
  } finally {
    server.close();
  }
}
