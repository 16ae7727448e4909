import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { platform } from 'node:os';

import { makeFolder } from '@plant-store/test-support';

import { lockInbox } from '../support/inbox.js';
import { ask, socketIn, untilReadiness } from '../support/operations.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { inboxOf, startReceiver } from '../support/receiver.js';
import { Load, openSender } from '../support/sender.js';

test('a killed receiver leaves its socket behind, and the next one replaces it', async () => {
  const folder = makeFolder();
  const inbox = inboxOf(folder);
  const killed = await startReceiver({ folder });
  await killed.process.kill();
  expect(existsSync(socketIn(inbox))).toBe(true);

  // With the longest time, no timer is too long.
  const next = await startReceiver({ folder, settings: { REQUEST_TIMEOUT_MS: '2147483647' } });

  expect(await ask(inbox, '/readyz')).toEqual({ status: 200, content: 'ok' });
  expect(statSync(socketIn(inbox)).mode & 0o777).toBe(0o600);
  expect(await next.process.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(socketIn(inbox))).toBe(false);
  expect(next.process.stderr).toBe('');
});

test('a pause that was refused does not pause, and everything says so', async () => {
  const receiver = await startReceiver();
  const { inbox } = receiver;
  await sendAll(receiver, ['before']);
  await untilNothingWaits(inbox);
  const unlock = lockInbox(inbox);
  expect(await ask(inbox, '/handler/pause', 'POST')).toMatchObject({ status: 503 });
  unlock();

  await sendAll(receiver, ['after']);
  await untilNothingWaits(inbox);
  expect(JSON.parse((await ask(inbox, '/stats')).content)).toMatchObject({ handled: 2, isPaused: false });
  expect((await ask(inbox, '/metrics')).content).toContain('\nplant_store_handler_paused 0\n');
  expect(await untilReadiness(inbox, 200)).toBe('ok');
});

const onLinux = platform() === 'linux' ? test : test.skip;

onLinux(
  'a receiver whose disk is full is alive and not ready, and ready again as soon as there is space',
  async () => {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder, maxFileBlocks: 1_024 });
    const load = new Load();
    await load.send(openSender(receiver), 4, () => load.refused.size < 20);

    expect(await untilReadiness(receiver.inbox, 503)).toMatch(/^The inbox in \S+ could not write: /);
    expect(await ask(receiver.inbox, '/livez')).toEqual({ status: 200, content: 'ok' });

    execFileSync('prlimit', [`--pid=${receiver.process.pid}`, '--fsize=unlimited:']);
    expect(await untilReadiness(receiver.inbox, 200)).toBe('ok');
  },
);
