import { afterThisTest, makeFolder } from '@plant-store/test-support';

import type { AttemptResult, Delivery, Inbox, IncomingDelivery } from '../src/inbox/inbox.js';

/** Opens the inbox of a folder. */
export type OpenInbox = (folder: string) => Inbox | Promise<Inbox>;

/** An adapter of the port {@link Inbox}, for its suites. */
export interface Adapter {
  readonly open: OpenInbox;
  /** Returns a folder that is as if the process had ended now. */
  readonly crash: (folder: string) => string;
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
  #folder = makeFolder();

  constructor(private readonly adapter: Adapter) {}

  async open(): Promise<void> {
    const inbox = await this.adapter.open(this.#folder);
    this.inbox = inbox;
    afterThisTest(() => inbox.close());
  }

  async reopen(): Promise<void> {
    await this.inbox.close();
    await this.open();
  }

  async reopenAfterCrash(): Promise<void> {
    this.#folder = this.adapter.crash(this.#folder);
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
