import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { platform } from 'node:os';

import { makeFolder } from '@plant-store/test-support';

import { ask, socketIn } from '../support/operations.js';
import { soon } from '../support/port.js';
import { inboxOf, startReceiver, type RunningReceiver } from '../support/receiver.js';
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

const onLinux = platform() === 'linux' ? test : test.skip;

onLinux(
  'a receiver whose disk is full is alive and not ready, and ready again as soon as there is space',
  async () => {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder, maxFileBlocks: 1_024 });
    const load = new Load();
    await load.send(openSender(receiver), 4, () => load.refused.size < 20);

    expect(await untilReadiness(receiver, 503)).toMatch(/^The inbox in \S+ could not write: /);
    expect(await ask(receiver.inbox, '/livez')).toEqual({ status: 200, content: 'ok' });

    execFileSync('prlimit', [`--pid=${receiver.process.pid}`, '--fsize=unlimited:']);
    expect(await untilReadiness(receiver, 200)).toBe('ok');
  },
);

/** Waits for a check that has this result. The inbox is checked once a second at most. */
async function untilReadiness({ inbox }: RunningReceiver, status: number): Promise<string> {
  for (;;) {
    const found = await ask(inbox, '/readyz');
    if (found.status === status) return found.content;
    await soon();
  }
}
