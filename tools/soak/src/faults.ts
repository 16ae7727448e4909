import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
import type { PostgresServer } from '@plant-store/test-support/postgres';

import type { Inbox } from './inbox.js';
import { type Load, SIZES } from './load.js';
import { Operator } from './operator.js';
import { chance, integer, pick } from './random.js';

/** What a fault has to do with. */
export interface Round {
  /** An inbox that doesn't exist yet: the fault starts its first receiver. */
  readonly inbox: Inbox;
  /** The load, which goes on while the fault happens. */
  readonly load: Load;
  /** The server of all inboxes. Undefined if they are embedded. */
  readonly postgres: PostgresServer | undefined;
}

/** Something that goes wrong in a round, while deliveries are sent. */
export interface Fault {
  readonly name: string;
  /** The inboxes that it happens to. By default both kinds. */
  readonly of?: 'embedded' | 'shared';
  /** Lets it happen, and returns when it is over. The receiver may have ended then. */
  happen(round: Round): Promise<void>;
}

/** The longest time for which a load runs before the receiver is ended, in milliseconds. */
const LOAD_TIME = 1_500;

/** A start takes about this long, in milliseconds, so a random moment of it lies within. */
const START_TIME = 900;

/** How long a receiver may take to end after its disk has failed, in milliseconds. */
const END_TIMEOUT = 3_000;

/** How long it may take until deliveries are refused, or accepted again, in milliseconds. */
const PATIENCE = 30_000;

/** How many deliveries must be refused, or accepted, before one is sure. */
const ENOUGH = 20;

const MEBIBYTE = 1_048_576;

/** Every fault. **Add a new one here.** */
export const faults: readonly Fault[] = [
  {
    name: 'SIGKILL while it works, starts and stops',
    happen: async ({ inbox }) => {
      for (let left = integer(3, 6); left > 0; left -= 1) {
        if (chance(0.3)) {
          inbox.spawn();
          await pause(integer(0, START_TIME));
        } else {
          await inbox.start();
          await pause(integer(0, LOAD_TIME));
        }
        if (chance(0.3)) {
          inbox.receiver.signal('SIGTERM');
          await pause(integer(0, 100));
        }
        await inbox.kill();
      }
    },
  },
  {
    name: 'SIGKILL while an operator works',
    happen: async ({ inbox, load }) => {
      load.fates = ['fail', 'fail once', 'wait'];
      load.fateShare = 0.3;
      const retention = { RETENTION_MS: '1000' };
      for (let left = integer(2, 4); left > 0; left -= 1) {
        await inbox.start(retention);
        const operator = new Operator(inbox);
        await pause(integer(LOAD_TIME / 3, LOAD_TIME));
        await inbox.kill();
        await operator.stop();
      }
      await inbox.start(retention);
      await inbox.operations.change('/handler/resume');
    },
  },
  {
    // The kernel refuses to write beyond a size of file (EFBIG), as it refuses on a full disk (ENOSPC). It needs no
    // rights.
    name: 'full disk',
    of: 'embedded',
    happen: async ({ inbox, load }) => {
      await inbox.start();
      await untilMore('acknowledged', inbox);
      await inbox.stop();
      // Either the write-ahead log can't grow, or the database can't: SQLite moves the log to it at 4 MiB.
      const limit = pick([2 * MEBIBYTE, largestFileOf(inbox) + integer(1, 3) * MEBIBYTE]);
      await inbox.start({}, Math.ceil(limit / 512));
      inbox.ledger.mayRepeat = true;
      load.sizes = [150_000];
      await untilMore('refused', inbox);
      load.sizes = SIZES;
      await pause(integer(0, LOAD_TIME / 2));
      if (chance(0.5)) await inbox.kill();
      else await inbox.stop();
    },
  },
  {
    // No delivery is acknowledged whose flush failed: so it is flushed before it is acknowledged. It needs Linux and a C
    // compiler.
    name: 'disk that fails to flush',
    of: 'embedded',
    happen: async ({ inbox, load }) => {
      const library = compileFlushFaults(inbox.folder);
      if (library === undefined) return inbox.start();
      const fails = join(inbox.folder, 'flushes-fail');
      await inbox.start({ LD_PRELOAD: library, FLUSH_FAILS_IF: fails });
      const { receiver } = inbox;
      const url = receiver.url!;
      await untilMore('acknowledged', inbox);
      await pause(integer(0, LOAD_TIME / 2));
      inbox.ledger.mayRepeat = true;
      writeFileSync(fails, '');
      for (let sent = 0; sent < 10; sent += 1) {
        if ((await load.send(url)) === 204)
          throw new Error('A delivery was acknowledged that was not flushed.');
      }
      const exit = await Promise.race([receiver.exit, pause(END_TIMEOUT)]);
      if (exit === undefined) await inbox.kill();
      else if (typeof exit !== 'number') throw new Error(`The receiver ended by ${exit}.`);
      rmSync(fails);
    },
  },
  {
    name: 'PostgreSQL killed',
    of: 'shared',
    happen: async ({ inbox, postgres }) => {
      const server = postgres!;
      await inbox.start();
      await pause(integer(0, LOAD_TIME));
      inbox.ledger.mayRepeat = true;
      await (chance(0.5) ? server.crash() : server.kill());
      await pause(integer(0, LOAD_TIME));
      await server.startAgain();
      await untilMore('acknowledged', inbox);
    },
  },
];

/** Waits until more deliveries are acknowledged, or refused with 503. */
async function untilMore(what: 'acknowledged' | 'refused', { ledger: { totals } }: Inbox): Promise<void> {
  const enough = totals[what] + ENOUGH;
  const deadline = Date.now() + PATIENCE;
  while (totals[what] < enough) {
    if (Date.now() > deadline) throw new Error(`No more deliveries are ${what}.`);
    await pause(20);
  }
}

/** Size of the largest file of an embedded inbox, in bytes. */
function largestFileOf({ folder }: Inbox): number {
  const inbox = join(folder, 'inbox');
  return Math.max(...readdirSync(inbox).map((name) => statSync(join(inbox, name)).size));
}
