import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the socket in the folder of an embedded inbox. */
export const SOCKET_NAME = 'operations.sock';

/** Longest path of a Unix socket, in bytes: what fits into `sun_path` with the zero behind it. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** A path under which a socket can be opened, until it is closed. */
export interface SocketAddress {
  readonly path: string;
  close(): void;
}

/**
 * The socket in a folder, for the receiver that serves it and for whoever connects to it. If the path is too long, Linux
 * also reaches the folder by the number under which this process has it open.
 *
 * @throws Error if there is no such folder, or if the path is too long and this isn't Linux
 */
export function openSocketAddress(folder: string): SocketAddress {
  const path = join(folder, SOCKET_NAME);
  const length = Buffer.byteLength(path);
  if (length <= MAX_PATH_BYTES) return { path, close: () => undefined };
  if (process.platform !== 'linux')
    throw new Error(`The path of a socket has at most ${MAX_PATH_BYTES} bytes, and ${path} has ${length}.`);
  const descriptor = openSync(folder, 'r');
  return { path: `/proc/self/fd/${descriptor}/${SOCKET_NAME}`, close: () => closeSync(descriptor) };
}
