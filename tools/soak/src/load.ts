import { setTimeout as pause } from 'node:timers/promises';

import type { Inbox } from './inbox.js';
import type { Fate } from './ledger.js';
import { chance, integer, pick } from './random.js';

/** How many senders send at the same time. */
const SENDERS = 24;

/** The longest pause of a sender after a delivery, in milliseconds. It makes the rate. */
const MAX_PAUSE = 100;

/** How long a response may take, in milliseconds. */
const RESPONSE_TIMEOUT = 20_000;

/** Sizes of contents, the frequent ones more than once: in a page of SQLite, across a few, across many. */
export const SIZES = [0, 32, 32, 200, 200, 200, 700, 700, 700, 700, 1_500, 1_500, 4_096, 4_096, 60_000];

/** Many senders, until they are stopped. Some of their deliveries come in chunks, and some are broken off. */
export class Load {
  /** What the handler does with some deliveries. */
  fates: readonly Fate[] = ['wait', 'wait', 'fail once'];
  /** How many deliveries have one of these fates; the others are handled at once. */
  fateShare = 0.05;
  sizes: readonly number[] = SIZES;
  #senders: Promise<void>[] = [];
  #isStopped = false;

  /** @param inbox what the deliveries are sent to, while a receiver of it listens */
  constructor(private readonly inbox: Inbox) {}

  start(): void {
    this.#senders = Array.from({ length: SENDERS }, () => this.#run());
  }

  /** Waits for the deliveries in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#senders);
  }

  /** Sends one delivery. Returns the status; undefined if no response came. */
  async send(url: string): Promise<number | undefined> {
    const fate = chance(this.fateShare) ? pick(this.fates) : 'handle';
    const sending = this.inbox.ledger.begin(fate, pick(this.sizes));
    const body = chance(0.5) ? sending.content : new Blob([sending.content]).stream();
    const headers = {
      authorization: `Bearer ${this.inbox.accessToken}`,
      'content-type': 'application/octet-stream',
    };
    const timeout = chance(0.1) ? integer(0, MAX_PAUSE) : RESPONSE_TIMEOUT;
    const signal = AbortSignal.timeout(timeout);
    const request = fetch(url, { method: 'POST', headers, body, duplex: 'half', signal });
    const status = await request.then(
      (response) => response.status,
      () => undefined,
    );
    this.inbox.ledger.responded(sending, status);
    return status;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const { deliveryUrl } = this.inbox;
      if (deliveryUrl !== undefined) await this.send(deliveryUrl);
      await pause(integer(0, MAX_PAUSE));
    }
  }
}
