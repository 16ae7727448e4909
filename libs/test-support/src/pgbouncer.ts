import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { CleanUp } from './clean-up.js';
import { freePort } from './free-port.js';
import {
  makePostgresFolder,
  POSTGRES_PASSWORD,
  type PostgresServer,
  postgresUser,
} from './postgres-server.js';

/** Where Debian and Ubuntu put it. */
const PROGRAM = '/usr/sbin/pgbouncer';

/** Whether there is one. Without, it says that its test is skipped. */
export function hasPgBouncer(): boolean {
  const isThere = existsSync(PROGRAM);
  if (!isThere) process.stderr.write('There is no PgBouncer: its test was skipped.\n');
  return isThere;
}
/**
 * Starts PgBouncer in front of a server, until the clean-up comes. It pools by transaction, and has two connections unless
 * it is told otherwise.
 *
 * @returns its port
 */
export async function startPgBouncer(
  server: PostgresServer,
  cleanUp: CleanUp,
  connections = 2,
): Promise<number> {
  const folder = makePostgresFolder(cleanUp);
  const port = await freePort();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o644 });
    return join(folder, name);
  };
  const users = file('users', `"postgres" "${POSTGRES_PASSWORD}"\n`);
  const settings = file(
    'pgbouncer.ini',
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
server_login_retry = 0.1
`,
  );
  const child = spawn(PROGRAM, [settings], {
    ...postgresUser,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanUp(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('process up')) resolve();
    });
    child.once('exit', () => reject(new Error(`PgBouncer did not start:\n${log}`)));
  });
  return port;
}
