import { afterThisTest, makeFolder } from '@plant-store/test-support';

import type { AttemptResult, Delivery, Inbox, IncomingDelivery } from '../src/inbox/inbox.js';

/** An adapter of the port {@link Inbox}, for its suites. An inbox has a place: a folder, or the URL of a database. */
export interface Adapter {
  /** Makes an empty place. By default a folder. */
  readonly make?: () => string | Promise<string>;
  readonly open: (place: string) => Inbox | Promise<Inbox>;
  /** Returns a place that is as if the process had ended now. */
  readonly crash: (place: string) => string | Promise<string>;
  /** Whether it keeps to a limit of bytes only by whole parts, much larger than those of the tests. */
  readonly removesParts?: boolean;
  /** How often the test with arbitrary turns runs. By default 40 times. */
  readonly propertyRuns?: number;
}

export const HANDLED: AttemptResult = { kind: 'handled' };
export const PARKED: AttemptResult = { kind: 'parked', error: 'no more' };

export const failed = (retryAfter: number): AttemptResult => ({
  kind: 'failed',
  error: 'not yet',
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

  async claim(limit = 1_000): Promise<readonly Delivery[]> {
    return (await this.inbox.claim(limit)).deliveries;
  }

  async claimIds(limit = 1_000): Promise<number[]> {
    return (await this.claim(limit)).map(({ id }) => id);
  }

  /** Accepts deliveries with the contents `content 1`, `content 2`, …, all at once. Returns their ids. */
  accept(count: number, given: Partial<IncomingDelivery> = {}): Promise<number[]> {
    return Promise.all(
      Array.from({ length: count }, (_, index) => this.inbox.accept(incoming(`content ${index + 1}`, given))),
    );
  }

  /** Claims a delivery for each of these results, and stores the result. */
  async settle(...results: readonly AttemptResult[]): Promise<void> {
    const claimed = await this.claim(results.length);
    await Promise.all(claimed.map((delivery, index) => this.inbox.settle(delivery, results[index]!)));
  }
}
