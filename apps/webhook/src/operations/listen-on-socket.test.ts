import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { asAnotherUser } from '../../test/as-another-user.js';
import { ask } from '../../test/ask.js';
import { rejection } from '../../test/rejection.js';
import { startListener } from '../../test/start-listener.js';
import { listenOnSocket } from './listen-on-socket.js';
import { jsonResponse } from './response.js';
import type { Route } from './router.js';
import { openSocketAddress, SOCKET_NAME } from './socket-address.js';

const routes: readonly Route[] = [{ method: 'GET', path: '/', respond: () => jsonResponse(200, 'here') }];

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A folder whose path is too long for a socket. */
function makeDeepFolder(): string {
  const folder = join(makeFolder(), 'a'.repeat(60), 'b'.repeat(60));
  mkdirSync(folder, { recursive: true });
  return folder;
}

function makeServer(): Server {
  const server = createServer();
  afterThisTest(() => server.close());
  return server;
}

test('serves on operations.sock, and removes it at the end', async () => {
  const folder = makeFolder();
  const { socket, close } = await startListener(routes, { folder });

  expect(socket).toBe(join(folder, 'operations.sock'));
  expect((await ask(socket!)).json).toBe('here');
  await close();
  expect(existsSync(socket!)).toBe(false);
});

test('nobody else may connect, from its first moment, whatever the umask is', async () => {
  const folder = makeFolder();
  const usual = process.umask(0);
  afterThisTest(() => process.umask(usual));

  const listening = listenOnSocket(makeServer(), folder);
  // Nothing else has run since the socket exists.
  expect(modeOf(join(folder, SOCKET_NAME))).toBe('600');
  expect(process.umask(0)).toBe(0);
  await listening;
  expect(modeOf(join(folder, SOCKET_NAME))).toBe('600');
});

const asRoot = process.geteuid?.() === 0 ? test : test.skip;

asRoot('another user is refused by the system', async () => {
  const folder = makeFolder();
  const { socket } = await startListener(routes, { folder });
  // Everybody may enter the folder.
  chmodSync(folder, 0o755);
  const connecting = asAnotherUser(() => connect(socket!));

  const [error] = (await once(connecting, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('EACCES');
});

test('replaces the socket of a process that was killed', async () => {
  const folder = makeFolder();
  const path = join(folder, SOCKET_NAME);
  const program = `require('net').createServer().listen(process.argv[1], () => console.log('listening'))`;
  const killed = spawn(process.execPath, ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  afterThisTest(() => killed.kill('SIGKILL'));
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(existsSync(path)).toBe(true);

  const { socket } = await startListener(routes, { folder });

  expect((await ask(socket!)).json).toBe('here');
});

test('replaces a file of that name', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, SOCKET_NAME), '');

  const { socket } = await startListener(routes, { folder });

  expect((await ask(socket!)).json).toBe('here');
});

const onLinux = process.platform === 'linux' ? test : test.skip;
const elsewhere = process.platform === 'linux' ? test.skip : test;

onLinux('a path that is too long is reached by the open folder, from another process too', async () => {
  const folder = makeDeepFolder();
  const { socket, close } = await startListener(routes, { folder });
  expect(socket).toBe(join(folder, SOCKET_NAME));
  expect(modeOf(socket!)).toBe('600');

  const address = openSocketAddress(folder);
  expect((await ask(address.path)).json).toBe('here');
  address.close();
  await close();
  expect(existsSync(socket!)).toBe(false);
});

elsewhere('a path that is too long is refused', async () => {
  const error = await rejection(listenOnSocket(makeServer(), makeDeepFolder()));
  expect((error as Error).message).toContain('103 bytes');
});

test('without a socket, the log says why and the rest is served', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, SOCKET_NAME));

  const { url, socket, log } = await startListener(routes, { folder });

  expect(socket).toBeUndefined();
  expect((await ask(url)).json).toBe('here');
  expect(
    await log.line('no socket in the folder of the inbox; plant-inbox cannot reach this receiver'),
  ).toMatchObject({
    level: 'warn',
    err: { message: expect.stringContaining(folder) },
  });
});
