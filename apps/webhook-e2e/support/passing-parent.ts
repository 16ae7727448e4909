import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';

import { afterThisTest, type CleanUp, makeFolder } from '@plant-store/test-support';

import type { Environment } from './process.js';
import { BUILT_RECEIVER, environmentIn, inboxOf, LoggingProcess } from './receiver.js';

/**
 * Does what systemd does with a socket unit: it has the socket, never accepts a connection, and starts a receiver with
 * it when told to. A line says how each receiver has ended.
 */
const SCRIPT = `
while read -r line; do
  case $line in
    start) sh -c 'export LISTEN_PID=$$; exec "$0" "$1"' "$0" "$1" & ;;
    stop) kill -TERM $!; wait $!; echo "{\\"msg\\":\\"ended\\",\\"code\\":$?}" ;;
  esac
done
kill -KILL $! 2>&-; wait`;

/** A parent process that passes its socket to one receiver after the other. */
export interface PassingParent {
  /** Both the parent's and the receivers'. */
  readonly process: LoggingProcess;
  /** 0 if it is a Unix socket. */
  readonly port: number;
  /** The folder of the inbox. */
  readonly inbox: string;
  /** Starts a receiver and doesn't wait for it. */
  start(): void;
  /** Stops the receiver in order and doesn't wait for it. */
  stop(): void;
}

/**
 * Starts a parent process, which ends with its receiver.
 *
 * @param at the port of 127.0.0.1, 0 for a free one, or the path of a Unix socket
 * @param cleanUp when it ends; by default after the test
 */
export async function startPassingParent(
  settings: Environment = {},
  at: { readonly port: number } | { readonly path: string } = { port: 0 },
  cleanUp: CleanUp = afterThisTest,
): Promise<PassingParent> {
  const isUnix = 'path' in at;
  const server = createServer().listen(isUnix ? `${at.path}-passed` : { ...at, host: '127.0.0.1' });
  await once(server, 'listening');
  const port = isUnix ? 0 : (server.address() as AddressInfo).port;
  // Otherwise it is removed when this process closes it.
  if (isUnix) renameSync(`${at.path}-passed`, at.path);
  const folder = makeFolder(cleanUp);
  const environment = { ...environmentIn(folder), LISTEN_FDS: '1', LISTEN_FDNAMES: 'arbitrary', ...settings };
  const parent = new LoggingProcess(['/bin/sh', '-c', SCRIPT, process.execPath, BUILT_RECEIVER], {
    environment,
    reads: true,
    passed: [descriptorOf(server)],
  });
  cleanUp(async () => {
    parent.endInput();
    await parent.exit;
  });
  // Now the parent alone has the socket.
  server.close();
  await once(server, 'close');
  return {
    process: parent,
    port,
    inbox: inboxOf(folder),
    start: () => parent.writeLine('start'),
    stop: () => parent.writeLine('stop'),
  };
}

/** Nothing public tells it. */
function descriptorOf(server: Server): number {
  return (server as Server & { readonly _handle: { readonly fd: number } })._handle.fd;
}
