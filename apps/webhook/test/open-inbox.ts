import { afterThisTest, type CleanUp, makeFolder } from '@plant-store/test-support';

import type { AttemptResult, Claimed, Delivery, Inbox, IncomingDelivery } from '../src/inbox/inbox.js';
import type { Batch, BatchResult, DeliveryFilter, DeliverySummary } from '../src/inbox/inbox-operations.js';
import { openSqliteInbox } from '../src/inbox/open-inbox.js';

/** A kind of {@link Inbox}, for its suites. An inbox has a place: a folder, or the URL of a database. */
export interface Adapter {
  /** Makes an empty place. By default a folder. */
  readonly make?: () => string | Promise<string>;
  readonly open: (place: string) => Promise<Inbox>;
  /** Returns a place that is as if the process had ended now. */
  readonly crash: (place: string) => string | Promise<string>;
  /** Whether RETENTION_BYTES is refused for it: deleted rows give their space back only to their table. */
  readonly isUnlimited?: boolean;
}

/**
 * Opens an embedded inbox. A loss fails the test.
 *
 * @param cleanUp when it is closed; by default after the test
 */
export async function openEmbedded(folder: string, cleanUp: CleanUp = afterThisTest): Promise<Inbox> {
  const inbox = await openSqliteInbox(folder, (error) => {
    throw error;
  });
  cleanUp(() => inbox.close());
  return inbox;
}

export const HANDLED: AttemptResult = { kind: 'handled' };
export const PARKED: AttemptResult = { kind: 'parked', error: 'no more', stack: null };

export const failed = (retryAfter: number): AttemptResult => ({
  kind: 'failed',
  error: 'not yet',
  stack: 'Error: not yet\n    at handle',
  retryAfter,
});

export const incoming = (
  content: string | Buffer,
  given: Partial<IncomingDelivery> = {},
): IncomingDelivery => ({
  method: 'POST',
  mediaType: 'text/plain',
  contentEncoding: null,
  eventId: null,
  fields: [],
  ...given,
  content: Buffer.from(content),
});

/** The whole numbers from the first to the last. */
export const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** A change of everything that a filter selects, in one part. */
export const all = (filter: DeliveryFilter = {}): Batch => ({ filter, after: 0, limit: 1_000 });

/** A change of one delivery. */
export const only = (id: number): Batch => all({ firstId: id, lastId: id });

/**
 * Sets the clock to another time.
 *
 * @returns sets it right again, which the end of the test does too
 */
export function setClock(difference: number): () => void {
  const { now } = Date;
  Date.now = () => now() + difference;
  const restore = (): void => void (Date.now = now);
  afterThisTest(restore);
  return restore;
}

/**
 * Expects a time that is now, to the minute: an inbox goes by a clock of its own, which may be some milliseconds from
 * `Date.now()`.
 */
export function expectNow(time: number): void {
  expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
}

/** An inbox that is closed when the current test ends. */
export class OpenedInbox {
  inbox!: Inbox;
  #place: string | undefined;

  constructor(private readonly adapter: Adapter) {}

  async open(): Promise<void> {
    const { make = makeFolder, open } = this.adapter;
    this.#place ??= await make();
    const inbox = await open(this.#place);
    this.inbox = inbox;
    afterThisTest(() => inbox.close());
  }

  async reopen(): Promise<void> {
    await this.inbox.close();
    await this.open();
  }

  async reopenAfterCrash(): Promise<void> {
    this.#place = await this.adapter.crash(this.#place!);
    await this.open();
  }

  /** Claims until there is nothing more, or the limit is reached. */
  async claim(limit = 1_000): Promise<readonly Delivery[]> {
    const claimed: Delivery[] = [];
    for (;;) {
      const { deliveries } = await this.inbox.claim(limit - claimed.length);
      claimed.push(...deliveries);
      if (deliveries.length === 0 || claimed.length === limit) return claimed;
    }
  }

  async claimIds(limit?: number): Promise<number[]> {
    return (await this.claim(limit)).map(({ id }) => id);
  }

  /** Accepts deliveries with the contents `content 1`, `content 2`, …, all at once. Returns their ids. */
  accept(count: number, given: Partial<IncomingDelivery> = {}): Promise<number[]> {
    return Promise.all(
      numbers(1, count).map((number) => this.inbox.accept(incoming(`content ${number}`, given))),
    );
  }

  /** Stores the result of an attempt that began just now. */
  end(claimed: Claimed, result: AttemptResult): Promise<void> {
    return this.inbox.settle(claimed, result, Date.now());
  }

  /** Claims a delivery for each of these results, and stores the result. */
  async settle(...results: readonly AttemptResult[]): Promise<void> {
    const claimed = await this.claim(results.length);
    await Promise.all(claimed.map((delivery, index) => this.end(delivery, results[index]!)));
  }

  replay(batch: Batch = all()): Promise<BatchResult> {
    return this.inbox.change(batch, { kind: 'replay' });
  }

  discard(batch: Batch = all(), reason = 'arbitrary'): Promise<BatchResult> {
    return this.inbox.change(batch, { kind: 'discard', reason });
  }

  list(filter: DeliveryFilter = {}): Promise<readonly DeliverySummary[]> {
    return this.inbox.list(filter, { order: 'oldest first', limit: 10_000 });
  }

  async ids(filter: DeliveryFilter = {}): Promise<number[]> {
    return (await this.list(filter)).map(({ id }) => id);
  }

  async states(): Promise<string> {
    return (await this.list()).map(({ state }) => state).join(' ');
  }
}
