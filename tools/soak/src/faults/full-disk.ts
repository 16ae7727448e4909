import { setTimeout as pause } from 'node:timers/promises';

import { type Fault, LOAD_TIME, untilAccepted, untilRefused } from './fault.js';

const BLOCK = 512;
const MEBIBYTE = 1_048_576;

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
      await untilRefused(subject);
      load.isLarge = false;
      if (random.chance(0.5) && subject.receiver.liftFileLimit()) await untilAccepted(subject);
      await pause(random.integer(0, LOAD_TIME / 2));
      if (random.chance(0.5)) await subject.kill();
      else await subject.stop();
    },
  },
];
