import { setTimeout as pause } from 'node:timers/promises';

import { Failure } from '../failure.js';
import { type Fault, LOAD_TIME } from './fault.js';

const BLOCK = 512;
const MEBIBYTE = 1_048_576;

/** How many deliveries must be refused before the disk counts as full. */
const REFUSED = 20;

/** How long it may take until the disk is full, or deliveries are accepted again, in milliseconds. */
const PATIENCE = 20_000;

/**
 * The kernel refuses to write beyond a size of file (EFBIG), as it refuses on a full disk (ENOSPC). It needs no rights.
 */
export const fullDisk: readonly Fault[] = [
  {
    name: 'full disk',
    on: 'fragile',
    happen: async ({ subject, load, random }) => {
      await subject.stop();
      // Either the write-ahead log can't grow, or the database can't: SQLite moves the log to it at 4 MiB.
      const limit = random.pick([2 * MEBIBYTE, subject.largestFile() + random.integer(1, 3) * MEBIBYTE]);
      await subject.start(Math.ceil(limit / BLOCK));
      load.isLarge = true;
      const { totals } = subject.ledger;
      const refusedBefore = totals.refused.get(503) ?? 0;
      await until(() => (totals.refused.get(503) ?? 0) >= refusedBefore + REFUSED, 'no delivery was refused');
      load.isLarge = false;
      if (random.chance(0.5) && subject.receiver.liftFileLimit()) {
        const acknowledgedBefore = totals.acknowledged;
        await until(() => totals.acknowledged > acknowledgedBefore + REFUSED, 'nothing was accepted again');
      }
      await pause(random.integer(0, LOAD_TIME / 2));
      if (random.chance(0.5)) await subject.kill();
      else await subject.stop();
    },
  },
];

async function until(isTrue: () => boolean, otherwise: string): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Failure(`With a full disk, ${otherwise}.`);
    await pause(20);
  }
}
