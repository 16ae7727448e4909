import { setTimeout } from 'node:timers/promises';

import type { Transactions } from '../inbox/sql-operations.js';
import { MAX_LIMIT } from '../operations/parameters.js';
import { type Connection, withConnection } from './connection.js';
import { listText, type Listed } from './look.js';
import { jsonLines, type Output } from './printable.js';
import { CommandError, type Terminal } from './terminal.js';

/** How long {@link tail} waits before it looks again, in milliseconds. */
const INTERVAL = 1_000;

/** `plant-inbox tail`: ends with Ctrl-C */
export async function tail(
  terminal: Terminal,
  inbox: string,
  { output }: { output?: Output },
): Promise<void> {
  const asJson = (output ?? (terminal.isTTY ? 'text' : 'json')) === 'json';
  const interrupted = terminal.interruption();
  await withConnection(inbox, async ({ get, isRunning, transactions }) => {
    if (isRunning === false)
      throw new CommandError('No receiver has the inbox open, so nothing arrives. Start it, then run tail.');
    const { deliveries: old } = await get<Listed>('/deliveries', { limit: MAX_LIMIT });
    const unseen = new UnseenIds(old.length < MAX_LIMIT ? 1 : old.at(-1)!.id);
    for (const { id } of old) unseen.take(id);
    terminal.report('New deliveries follow. Ctrl-C ends this.');
    while (!interrupted.aborted) {
      // Before the deliveries: what has ended by now is among them.
      const running = await transactions?.();
      if (running !== undefined) unseen.limit(running);
      for (const range of unseen.ranges)
        for await (const page of pagesOf(get, range)) {
          const added = page.filter(({ id }) => unseen.take(id));
          await terminal.write(asJson ? jsonLines(added) : listText(terminal, added).replace(/^.*\n/, ''));
        }
      unseen.forget(running);
      await setTimeout(INTERVAL, undefined, { signal: interrupted }).catch(() => undefined);
    }
  });
}

/** The deliveries with ids of a range, the oldest first. */
async function* pagesOf(
  get: Connection['get'],
  { first, last }: Range,
): AsyncGenerator<Listed['deliveries']> {
  const part = { lastId: Math.min(last, Number.MAX_SAFE_INTEGER), order: 'oldest', limit: MAX_LIMIT };
  let firstId = first;
  for (let isFull = true; isFull && firstId <= last;) {
    const { deliveries } = await get<Listed>('/deliveries', { ...part, firstId });
    yield deliveries;
    isFull = deliveries.length === MAX_LIMIT;
    firstId = (deliveries.at(-1)?.id ?? last) + 1;
  }
}

/** Ids with which no delivery was seen. */
interface Range {
  readonly first: number;
  readonly last: number;
  /** A delivery with one of them may be stored by a transaction before this one, and by no other. */
  readonly until?: number;
}

/**
 * The ids of deliveries that may still be stored. On a shared inbox, one transaction takes a smaller id than another, and
 * may end later. So an id that was passed over stays until every transaction has ended that may have taken it.
 */
export class UnseenIds {
  #ranges: readonly Range[];

  /** @param first all that are smaller were seen */
  constructor(first: number) {
    this.#ranges = [{ first, last: Infinity }];
  }

  /** Where to look. The last range has all ids that are larger than any that was seen. */
  get ranges(): readonly Range[] {
    return this.#ranges;
  }

  /** Notes that a delivery was seen. Returns whether it was not seen before. */
  take(id: number): boolean {
    const range = this.#ranges.find(({ first, last }) => first <= id && id <= last);
    if (range === undefined) return false;
    const parts = [
      { ...range, last: id - 1 },
      { ...range, first: id + 1 },
    ].filter(({ first, last }) => first <= last);
    this.#ranges = this.#ranges.flatMap((each) => (each === range ? parts : [each]));
    return true;
  }

  /** Notes of all that were passed over: they were taken before any transaction that has yet to begin. */
  limit({ next }: Transactions): void {
    this.#ranges = this.#ranges.map((range) => (range.last === Infinity ? range : { until: next, ...range }));
  }

  /**
   * Forgets the ids that no transaction can store any more.
   *
   * @param running before all ranges were looked at; undefined if deliveries are stored in the order of their ids
   */
  forget(running?: Transactions): void {
    const isLeft = ({ last, until = Infinity }: Range): boolean =>
      last === Infinity || (running !== undefined && until > running.oldest);
    this.#ranges = this.#ranges.filter(isLeft);
  }
}
