import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { untilNothingWaits } from '../support/poison.js';
import { startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

const ROUNDS = 8;
/** In milliseconds, for a receiver per round on a busy machine. */
const TIMEOUT = 180_000;
const HANDLED = 'the handler gets a delivery';

test(
  'acknowledged deliveries survive SIGKILL at random moments, byte for byte, and are handled',
  async () => {
    const folder = makeFolder();
    const load = new Load();
    const handled = new Set<unknown>();
    /** Starts the receiver, and kills it or stops it after `use`. */
    const run = async (
      use: (receiver: Awaited<ReturnType<typeof startReceiver>>) => Promise<void>,
    ): Promise<string> => {
      const receiver = await startReceiver({ folder, settings: { LOG_LEVEL: 'debug' } });
      await use(receiver);
      await receiver.process.exit;
      for (const entry of receiver.process.entries(HANDLED)) handled.add(entry['delivery']);
      return receiver.inbox;
    };

    for (let round = 0; round < ROUNDS; round += 1)
      await run(async (receiver) => {
        const killAfter = load.acknowledged.size + randomInt(1, 200);
        let isKilled = false;
        await load.send(openSender(receiver), 16, () => {
          // A random moment: during a flush to disk, or between two.
          if (load.acknowledged.size >= killAfter && !isKilled)
            void delay(randomInt(10)).then(() => receiver.process.kill());
          isKilled ||= load.acknowledged.size >= killAfter;
          return load.refused.size === 0;
        });
        expect(load.refused).toEqual(new Map());
      });
    const inbox = await run(async (receiver) => {
      await untilNothingWaits(receiver.inbox);
      expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
    });

    const deliveries = readInbox(inbox);
    const names = deliveries.map(({ content }) => nameOf(content));
    expect([...load.acknowledged].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !load.acknowledged.has(name) && !load.unknown.has(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    // Ids only: a report with the contents wouldn't fit in memory.
    expect(deliveries.filter(({ state }) => state !== 'handled').map(({ id }) => id)).toEqual([]);
    expect(deliveries.filter(({ id }) => !handled.has(id)).map(({ id }) => id)).toEqual([]);
  },
  TIMEOUT,
);
