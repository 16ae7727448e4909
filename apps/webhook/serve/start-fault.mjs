import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';

/** What is written under development, and read again. */
const WRITTEN = [
  '.',
  ...['libs/command', 'libs/contract', 'libs/handler', 'libs/sdk', 'libs/cli', 'apps/webhook'].flatMap(
    (project) => [project, `${project}/dist`, `${project}/dist-dev`],
  ),
  ...['data', 'data/access-tokens', 'data/signing-key', 'data/inbox'],
];

/**
 * Says what keeps the receiver from starting, before anything is built: a file of another user, or a port that is taken.
 * What else is wrong with the settings, the receiver says itself.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<string | undefined>} nothing if it can start
 */
export async function startFault(environment) {
  return accessFault() ?? (await portFault(environment));
}

function accessFault() {
  const other = WRITTEN.filter((path) => existsSync(path)).find((path) => !isOurs(path));
  if (other === undefined) return undefined;
  const what = other === '.' ? 'This folder' : other;
  return `${what} may not be written by this user. Run npm start as the user who owns it, or make the whole folder yours: sudo chown -R "$USER" .`;
}

function isOurs(path) {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function portFault({ HOST, PORT, OPERATIONS_PORT }) {
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
