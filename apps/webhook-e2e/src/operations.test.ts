import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { platform } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { makeFolder } from '@plant-store/test-support';

import { inboxOf, startReceiver, type RunningReceiver } from '../support/receiver.js';
import { Load, openSender } from '../support/sender.js';
import { soon } from '../support/port.js';

/** What the operations of a receiver respond on its socket. */
async function ask(socketPath: string, path: string): Promise<{ status: number; content: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ socketPath, path, agent: false }, resolve).on('error', reject);
  });
  return { status: response.statusCode as number, content: await text(response) };
}

const socketIn = (folder: string): string => join(inboxOf(folder), 'operations.sock');

test('a killed receiver leaves its socket behind, and the next one replaces it', async () => {
  const folder = makeFolder();
  const socket = socketIn(folder);
  const killed = await startReceiver({ folder });
  await killed.process.kill();
  expect(existsSync(socket)).toBe(true);

  const next = await startReceiver({ folder });

  expect(await ask(socket, '/readyz')).toEqual({ status: 200, content: 'ok' });
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(await next.process.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(socket)).toBe(false);
});

test('with the longest REQUEST_TIMEOUT_MS, no timer is too long', async () => {
  const receiver = await startReceiver({ settings: { REQUEST_TIMEOUT_MS: '2147483647' } });

  expect(await ask(join(receiver.inbox, 'operations.sock'), '/readyz')).toEqual({
    status: 200,
    content: 'ok',
  });
  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
  expect(receiver.process.stderr).toBe('');
});

const onLinux = platform() === 'linux' ? test : test.skip;

onLinux(
  'a receiver whose disk is full is alive and not ready, and ready again as soon as there is space',
  async () => {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder, maxFileBlocks: 1_024 });
    const load = new Load();
    await load.send(openSender(receiver), 4, () => load.refused.size < 20);

    expect(await untilReadiness(receiver, 503)).toMatch(/^The inbox in \S+ could not write: /);
    expect(await ask(socketIn(folder), '/livez')).toEqual({ status: 200, content: 'ok' });

    execFileSync('prlimit', [`--pid=${receiver.process.pid}`, '--fsize=unlimited:']);
    expect(await untilReadiness(receiver, 200)).toBe('ok');
  },
);

/** Waits for a check that has this result. The inbox is checked once a second at most. */
async function untilReadiness({ inbox }: RunningReceiver, status: number): Promise<string> {
  for (;;) {
    const found = await ask(join(inbox, 'operations.sock'), '/readyz');
    if (found.status === status) return found.content;
    await soon();
  }
}
