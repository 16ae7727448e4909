import { setTimeout } from 'node:timers/promises';

import { MAX_LIMIT } from '../operations/parameters.js';
import { withConnection } from './connection.js';
import { linesOf, type Listed } from './look.js';
import { jsonText, type Output } from './printable.js';
import { CommandError, type Terminal } from './terminal.js';

/** How long {@link tail} waits before it looks again, in milliseconds. */
const INTERVAL = 1_000;

/** Longer than a receiver waits for PostgreSQL to store what has an id already, in milliseconds. */
const LONGEST_WRITE = 60_000;

/** `plant-inbox tail`: ends with Ctrl-C */
export async function tail(
  terminal: Terminal,
  inbox: string,
  { output }: { output?: Output },
): Promise<void> {
  const asJson = (output ?? (terminal.isTTY ? 'text' : 'json')) === 'json';
  const interrupted = terminal.interruption();
  await withConnection(inbox, async ({ get, isRunning }) => {
    if (isRunning === false)
      throw new CommandError('No receiver has the inbox open, so nothing arrives. Start it, then run tail.');
    const { deliveries: old } = await get<Listed>('/deliveries', { limit: MAX_LIMIT });
    const unseen = new UnseenIds(old.length < MAX_LIMIT ? 1 : old.at(-1)!.id);
    for (const { id } of old) unseen.take(id);
    terminal.report('New deliveries follow. Ctrl-C ends this.');
    let firstId = unseen.first();
    while (!interrupted.aborted) {
      const { deliveries } = await get<Listed>('/deliveries', { firstId, order: 'oldest', limit: MAX_LIMIT });
      const added = deliveries.filter(({ id }) => unseen.take(id));
      const lines = asJson ? added.map((one) => jsonText(one, 0)) : linesOf(terminal, added).slice(1);
      await terminal.write(lines.join(''));
      if (deliveries.length === MAX_LIMIT) {
        firstId = deliveries.at(-1)!.id + 1;
        continue;
      }
      await setTimeout(INTERVAL, undefined, { signal: interrupted }).catch(() => undefined);
      firstId = unseen.first();
    }
  });
}

/** Ids with which no delivery was seen; without `since`, those above all that were. */
interface Gap {
  readonly first: number;
  readonly last: number;
  /** When a delivery with a higher id was seen. */
  readonly since?: number;
}

/**
 * The ids of deliveries that may still be stored. On a shared inbox, a delivery may be stored later than one with a higher
 * id. An id that stays behind for too long has no delivery.
 */
export class UnseenIds {
  #gaps: readonly Gap[];

  /**
   * @param first all that are smaller were seen
   * @param now a clock in milliseconds
   */
  constructor(
    first: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#gaps = [{ first, last: Infinity }];
  }

  /** The smallest one. */
  first(): number {
    const start = this.now() - LONGEST_WRITE;
    this.#gaps = this.#gaps.filter(({ since = Infinity }) => since >= start);
    return this.#gaps[0]!.first;
  }

  /** Notes that a delivery was seen. Returns whether it was not seen before. */
  take(id: number): boolean {
    const gap = this.#gaps.find(({ first, last }) => first <= id && id <= last);
    if (gap === undefined) return false;
    const parts = [
      { since: this.now(), ...gap, last: id - 1 },
      { ...gap, first: id + 1 },
    ].filter(({ first, last }) => first <= last);
    this.#gaps = this.#gaps.flatMap((each) => (each === gap ? parts : [each]));
    return true;
  }
}
