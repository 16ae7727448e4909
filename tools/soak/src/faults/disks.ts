import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Failure } from '../receiver.js';
import type { Subject } from '../subject.js';
import { type Fault, LOAD_TIME, untilAccepted, untilRefused } from './fault.js';

const BLOCK = 512;
const MEBIBYTE = 1_048_576;

/** How long a receiver may take to end after its disk has failed, in milliseconds. */
const END_TIMEOUT = 3_000;

/** How many deliveries are sent to a disk that fails. */
const SENT = 10;

/** The disk under an embedded inbox. */
export const disks: readonly Fault[] = [
  {
    // The kernel refuses to write beyond a size of file (EFBIG), as it refuses on a full disk (ENOSPC). It needs no
    // rights.
    name: 'full disk',
    on: 'fragile',
    canHappen: ({ postgres }) => postgres === undefined,
    happen: async ({ subject, load, random }) => {
      await subject.stop();
      // Either the write-ahead log can't grow, or the database can't: SQLite moves the log to it at 4 MiB.
      const limit = random.pick([2 * MEBIBYTE, largestFileOf(subject) + random.integer(1, 3) * MEBIBYTE]);
      await subject.start({ maxFileBlocks: Math.ceil(limit / BLOCK) });
      subject.expectRepeats();
      load.isLarge = true;
      await untilRefused(subject);
      load.isLarge = false;
      if (random.chance(0.5) && subject.receiver.liftFileLimit()) await untilAccepted(subject);
      await pause(random.integer(0, LOAD_TIME / 2));
      if (random.chance(0.5)) await subject.kill();
      else await subject.stop();
    },
  },
  {
    // No delivery is acknowledged whose flush failed: so it is flushed before it is acknowledged.
    name: 'disk that fails to flush',
    on: 'fragile',
    canHappen: ({ postgres, flushFaults }) => postgres === undefined && flushFaults !== undefined,
    happen: async ({ subject, load, random, equipment }) => {
      const fails = join(subject.folder, 'flushes-fail');
      await subject.stop();
      await subject.start({ settings: { LD_PRELOAD: equipment.flushFaults!, FLUSH_FAILS_IF: fails } });
      await untilAccepted(subject);
      await pause(random.integer(0, LOAD_TIME / 2));
      subject.expectEnd();
      writeFileSync(fails, '');
      for (let sent = 0; sent < SENT; sent += 1) {
        if ((await load.sendOne('handle')) === 204)
          throw new Failure('A delivery was acknowledged that was not flushed.', subject.receiver.lastLines);
      }
      await endAfterFault(subject);
      rmSync(fails);
    },
  },
];

/** The receiver ends with an exit code of its own, or stays up, refuses everything, and is killed. */
async function endAfterFault(subject: Subject): Promise<void> {
  const { receiver } = subject;
  const exit = await Promise.race([receiver.exit, pause(END_TIMEOUT)]);
  if (exit === undefined) await subject.kill();
  else if (!exit.code) throw new Failure('The receiver ended without an exit code.', receiver.lastLines);
}

/** Size of the largest file of an embedded inbox, in bytes. */
function largestFileOf({ folder }: Subject): number {
  const inbox = join(folder, 'inbox');
  return Math.max(...readdirSync(inbox).map((name) => statSync(join(inbox, name)).size));
}
