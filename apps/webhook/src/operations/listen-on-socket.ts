import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';

import { openSocketAddress, SOCKET_NAME } from './socket-address.js';

/** What others may do with a new file: nothing. And it can't be executed. */
const OWNER_ALONE = 0o177;

/**
 * Listens on the socket in a folder. Only the owner of this process may connect to it, from its first moment. A socket
 * that a killed process left behind is replaced: call this only while no other process can use the folder. The socket
 * is removed when the server closes.
 *
 * @returns where it is, for people
 */
export async function listenOnSocket(server: Server, folder: string): Promise<string> {
  if (process.platform === 'win32') throw new Error('Windows has no sockets in folders.');
  const address = openSocketAddress(folder);
  server.once('close', () => address.close());
  try {
    rmSync(address.path, { force: true });
    const listening = once(server, 'listening');
    // Node creates the socket before listen() returns.
    const usual = process.umask(OWNER_ALONE);
    try {
      server.listen(address.path);
    } finally {
      process.umask(usual);
    }
    await listening;
  } catch (error) {
    address.close();
    throw error;
  }
  return join(folder, SOCKET_NAME);
}
