import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { makeFolder } from '@plant-store/test-support';

import { type StoredDelivery, readInbox } from '../support/inbox.js';
import { inboxOf, spawnReceiver, startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

const ROUNDS = 8;
const IN_FLIGHT = 16;
/** In milliseconds, for a receiver per round on a busy machine. */
const TIMEOUT = 180_000;
const HANDLED = 'the handler gets a delivery';

/** Ids only: if a test fails, a report with the contents wouldn't fit in memory. */
const idsOf = (
  deliveries: readonly StoredDelivery[],
  which: (delivery: StoredDelivery) => boolean,
): number[] => deliveries.filter(which).map(({ id }) => id);

test(
  'acknowledged deliveries survive SIGKILL at random moments, byte for byte, and are handled',
  async () => {
    const folder = makeFolder();
    // What a kill interrupts has failed, and comes again soon.
    const settings = { LOG_LEVEL: 'debug', HANDLER_BACKOFF_MS: '100', HANDLER_MAX_BACKOFF_MS: '100' };
    const load = new Load();
    const handled = new Set<unknown>();

    for (let round = 0; round < ROUNDS; round += 1) {
      const receiver = await startReceiver({ folder, settings });
      const killAfter = load.acknowledged.size + randomInt(1, 200);
      const kill = { begun: false };
      const goesOn = (): boolean => {
        if (load.acknowledged.size >= killAfter && !kill.begun) {
          kill.begun = true;
          // A random moment: during a flush to disk, or between two.
          void delay(randomInt(10)).then(() => receiver.process.kill());
        }
        return load.refused.size === 0;
      };
      await load.send(openSender(receiver), IN_FLIGHT, goesOn);
      expect(load.refused).toEqual(new Map());
      expect(await receiver.process.exit).toEqual({ code: null, signal: 'SIGKILL' });
      for (const entry of receiver.process.entries(HANDLED)) handled.add(entry['delivery']);
    }
    const last = await startReceiver({ folder, settings });
    const waiting = last.process.entries('listening')[0]!['waiting'] as number;
    if (waiting > 0) await last.process.logged(HANDLED, waiting);
    expect(await last.process.stop()).toEqual({ code: 0, signal: null });
    for (const entry of last.process.entries(HANDLED)) handled.add(entry['delivery']);

    const deliveries = readInbox(last.inbox);
    const names = deliveries.map(({ content }) => nameOf(content));
    expect([...load.acknowledged].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !load.acknowledged.has(name) && !load.unknown.has(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(idsOf(deliveries, ({ state }) => state !== 'handled')).toEqual([]);
    expect(idsOf(deliveries, ({ id }) => !handled.has(id))).toEqual([]);
  },
  TIMEOUT,
);

test('a second receiver on the same inbox exits with one line, and the first continues', async () => {
  const folder = makeFolder();
  const first = await startReceiver({ folder });

  const second = spawnReceiver({ folder });

  expect(await second.exit).toEqual({ code: 1, signal: null });
  expect(second.stdout).toBe('');
  expect(second.stderr).toBe(
    `Another receiver uses the inbox in ${inboxOf(folder)}. Stop it, or set INBOX_URL to another folder. [INBOX_IN_USE]\n`,
  );
  await openSender(first).send('first');
  expect(readInbox(first.inbox)).toHaveLength(1);
});

test('a restart right after SIGKILL works: the lock ends with the process', async () => {
  const folder = makeFolder();
  const first = await startReceiver({ folder });
  await openSender(first).send('before');
  const killed = first.process.kill();

  await killed;
  const second = await startReceiver({ folder });

  await openSender(second).send('after');
  expect(readInbox(second.inbox).map(({ content }) => content.toString())).toEqual(['before', 'after']);
});
