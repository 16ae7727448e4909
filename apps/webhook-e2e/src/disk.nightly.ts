import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { compileFlushFaults, type FlushFaults } from '@plant-store/test-support/flush-faults';

import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { delivery, message, POST } from '../support/messages.js';
import { poisonSettings, sendAll } from '../support/poison.js';
import {
  type LogEntry,
  type ReceiverOptions,
  type RunningReceiver,
  startReceiver,
} from '../support/receiver.js';

const library = compileFlushFaults(makeFolder(afterThisFile));
/** Without Linux or a C compiler, a disk can't be given faults. */
const onLinux = library === undefined ? test.skip : test;

const startOnDisk = (faults: FlushFaults, options: ReceiverOptions = {}): Promise<RunningReceiver> =>
  startReceiver({ ...options, settings: { ...options.settings, LD_PRELOAD: library!, ...faults } });

onLinux('on a slow disk, a request is refused while a delivery waits for its flush', async () => {
  const { port } = await startOnDisk({ FLUSH_DELAY_MS: '300' });
  const sender = await openConnection(port);
  const stranger = await openConnection(port);
  // The receiver finds out that the disk is slow.
  for (let sent = 0; sent < 3; sent += 1) {
    sender.write(delivery());
    expectResponse(await sender.response(), { status: 204 });
  }
  const order: string[] = [];

  sender.write(delivery());
  const acknowledged = sender.response().then(() => order.push('acknowledged'));
  await new Promise(setImmediate);
  stranger.write(message(POST, []));
  const refused = stranger.response().then(() => order.push('refused'));
  await Promise.all([acknowledged, refused]);

  expect(order).toEqual(['refused', 'acknowledged']);
});

onLinux(
  'on a slow disk, a request that was too slow is refused once, whatever still arrives of it',
  async () => {
    const { port } = await startOnDisk({ FLUSH_DELAY_MS: '500' }, { settings: { REQUEST_TIMEOUT_MS: '50' } });
    const sender = await openConnection(port);
    for (let sent = 0; sent < 3; sent += 1) {
      sender.write(delivery());
      expectResponse(await sender.response(), { status: 204 });
    }
    const pipelining = await openConnection(port);

    pipelining.write(delivery() + delivery().slice(0, -1));
    await delay(300);
    pipelining.write(delivery().slice(-1));

    expectResponse(await pipelining.response(), { status: 204 });
    expectResponse(await pipelining.response(), { status: 408, closes: true });
  },
);

onLinux('on a slow disk, a receiver that stops acknowledges every delivery of a connection', async () => {
  const { port, process, inbox } = await startOnDisk({ FLUSH_DELAY_MS: '300' });
  const sender = await openConnection(port);
  for (let sent = 0; sent < 3; sent += 1) {
    sender.write(delivery());
    expectResponse(await sender.response(), { status: 204 });
  }

  sender.write(delivery().repeat(3));
  while (readInbox(inbox).length < 6) await delay(1);
  process.signal('SIGTERM');

  expectResponse(await sender.response(), { status: 204 });
  expectResponse(await sender.response(), { status: 204 });
  expectResponse(await sender.response(), { status: 204, closes: true });
  expect(await sender.rest()).toBe('');
  expect(await process.exit).toEqual({ code: 0, signal: null });
});

onLinux('on a slow disk, deliveries wait less often until the log is moved to the database', async () => {
  const { port, inbox } = await startOnDisk({ FLUSH_DELAY_MS: '20' });
  const sender = await openConnection(port);
  for (let sent = 0; sent < 15; sent += 1) {
    sender.write(delivery('large'.repeat(100_000)));
    expectResponse(await sender.response(), { status: 204 });
  }

  // On a fast disk, the log begins again after 1 MiB.
  expect(statSync(join(inbox, 'inbox.sqlite-wal')).size).toBeGreaterThan(6_000_000);
});

onLinux(
  'on a slow disk, a delivery whose file is deleted while it waits for its flush is refused',
  async () => {
    const { port, inbox } = await startOnDisk({ FLUSH_DELAY_MS: '300' });
    const sender = await openConnection(port);
    for (let sent = 0; sent < 3; sent += 1) {
      sender.write(delivery());
      expectResponse(await sender.response(), { status: 204 });
    }
    const log = (): number => statSync(join(inbox, 'inbox.sqlite-wal')).size;
    const before = log();

    sender.write(delivery());
    while (log() === before) await new Promise(setImmediate);
    rmSync(join(inbox, 'inbox.sqlite'));

    expectResponse(await sender.response(), { status: 503 });
  },
);

onLinux('after a flush has failed, no attempt of a delivery runs beside another', async () => {
  const fault = join(makeFolder(), 'fault');
  const settings = { ...poisonSettings, HANDLER_TIMEOUT_MS: '1500' };
  const receiver = await startOnDisk({ FLUSH_FAILS_IF: fault }, { settings });
  await sendAll(receiver, ['wait for the signal']);
  await delay(500);
  // Its end makes the receiver look for what is due.
  await sendAll(receiver, ['wait for the signal']);
  writeFileSync(fault, '');

  const { process } = receiver;
  const attempts = (): LogEntry[] => process.entries('attempt').filter((entry) => entry['delivery'] === 1);
  await process.until(() => attempts()[2], 'a third attempt');
  expect(attempts().map((entry) => entry['failures'])).toEqual([0, 1, 2]);
  expect(JSON.stringify(process.entries())).toContain('failed to flush');
});

describe.each([
  { disk: 'a fast disk', delay: '0' },
  { disk: 'a slow disk', delay: '20' },
])('on $disk', ({ delay: flushDelay }) => {
  onLinux('after a flush has failed, nothing is acknowledged before a restart', async () => {
    const folder = makeFolder();
    const fault = join(folder, 'fault');
    const faults = { FLUSH_FAILS_IF: fault, FLUSH_DELAY_MS: flushDelay };
    const { process, port } = await startOnDisk(faults, { folder });
    const sender = await openConnection(port);
    for (let sent = 0; sent < 4; sent += 1) {
      sender.write(delivery('before'));
      expectResponse(await sender.response(), { status: 204 });
    }

    writeFileSync(fault, '');
    sender.write(delivery('during'));
    expectResponse(await sender.response(), { status: 503 });
    rmSync(fault);
    sender.write(delivery('after'));
    expectResponse(await sender.response(), { status: 503 });

    expect(JSON.stringify(process.entries())).toContain('failed to flush');
    await process.stop();
    const restarted = await startOnDisk({ FLUSH_FAILS_IF: fault }, { folder });
    const again = await openConnection(restarted.port);
    again.write(delivery('again'));
    expectResponse(await again.response(), { status: 204 });
    const stored = readInbox(restarted.inbox).map(({ content }) => String(content));
    // What was being flushed was refused, and is there all the same.
    expect(stored).toEqual([...Array<string>(4).fill('before'), 'during', 'again']);
  });
});
