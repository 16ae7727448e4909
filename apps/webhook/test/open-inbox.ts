import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

import { afterThisTest, type CleanUp, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Delivery } from '@plant-store/handler';

import { CHANGEABLE } from '../src/inbox/acts.js';
import type { AttemptResult, Claimed, IncomingDelivery, RetryPolicy } from '../src/inbox/delivery.js';
import type { Consumer, Inbox } from '../src/inbox/inbox.js';
import type {
  Act,
  Batch,
  ChangeKind,
  DeliveryFilter,
  ListedDelivery,
  Origin,
} from '../src/inbox/inbox-operations.js';
import { openInbox } from '../src/inbox/open-inbox.js';
import { sql } from '../src/inbox/sql.js';
import type { Store } from '../src/inbox/store.js';

/** A kind of {@link Inbox}, for its suites. An inbox has a place: a folder, or the URL of a database. */
export interface Adapter {
  /** Makes an empty place. By default a folder. */
  readonly make?: () => string | Promise<string>;
  readonly open: (place: string) => Promise<Inbox>;
  /** Returns a place that is as if the process had ended now. */
  readonly crash: (place: string) => string | Promise<string>;
  /** Runs statements in the database of a place. */
  readonly sql: (place: string, text: string) => unknown;
  /** Makes the database refuse every delivery because of "no arrivals". */
  readonly refuseArrivals: string;
  /** Whether RETENTION_BYTES is refused for it: deleted rows give their space back only to their table. */
  readonly isUnlimited?: boolean;
}

/**
 * Opens an embedded inbox. A loss fails the test.
 *
 * @param cleanUp when it is closed; by default after the test
 */
export async function openEmbedded(
  folder: string,
  cleanUp: CleanUp = afterThisTest,
  listeners: Parameters<typeof openInbox>[1] = {},
): Promise<Inbox> {
  const onLost = (error: Error): never => {
    throw error;
  };
  const inbox = await openInbox(`file:${folder}`, { onLost, ...listeners });
  cleanUp(() => inbox.close());
  return inbox;
}

/** Runs statements in a database, beside whoever has it open. */
export function runSql(file: string, text: string): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = 5000; ${text}`);
  database.close();
}

export const HANDLED: AttemptResult = { kind: 'handled' };
export const PARKED = {
  kind: 'parked',
  error: 'no more',
  stack: null,
  duration: 7,
} as const satisfies AttemptResult;

export const failed = (retryAfter: number): Extract<AttemptResult, { kind: 'failed' }> => ({
  kind: 'failed',
  error: 'not yet',
  stack: 'Error: not yet\n    at handle',
  duration: 7,
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

/** Everything that a filter selects, in one part. */
export const all = (filter: DeliveryFilter = {}): Batch => ({ filter, after: 0, limit: 1_000 });

/** One delivery. */
export const only = (id: number): DeliveryFilter => ({ ids: [id] });

/** Who acts in tests, and why. */
export const originOf = (reason: string | null = null): Origin => ({
  operator: 'ada@example',
  source: 'a test',
  reason,
});

/** Changes deliveries. Resolves with the act when it is over. */
export async function act(
  inbox: Inbox,
  kind: ChangeKind,
  filter: DeliveryFilter = {},
  reason: string | null = null,
): Promise<Act> {
  const chosen = { state: CHANGEABLE[kind], ...filter };
  const { id } = await inbox.operations.acts.begin(kind, chosen, originOf(reason));
  await inbox.operations.acts.untilIdle();
  return (await inbox.operations.acts.find(id))!;
}

/** Expects a time that is now, to the minute. */
export function expectNow(time: number): void {
  expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
}

/** Resolves when a write that is called now is stored. @throws ReceiverError if nothing can be written */
export async function untilWritten(inbox: Inbox): Promise<void> {
  const { store } = inbox as unknown as { readonly store: Store };
  await store.run(sql`SELECT 1`);
}

/** Resolves when what was called before is stored, and what is due was handed on. */
export async function untilStored(inbox: Inbox): Promise<void> {
  // An inbox looks again after a millisecond if more is due. A cycle that is under way may have another behind it.
  await delay(2);
  for (let cycles = 0; cycles < 2; cycles += 1) {
    await turn();
    await inbox.untilCommitted();
    await untilWritten(inbox);
  }
  await turn();
}

const POLICY: RetryPolicy = { maxAttempts: 1_000, backoff: 1, maxBackoff: 3 * 3_600_000 };

/** Has no handler: a test says what of an inbox runs, and what becomes of it. */
export class Claims implements Consumer {
  /** How many were handed on at a time. */
  readonly sizes: number[] = [];
  #taken: Delivery[] = [];

  private constructor(private readonly inbox: Inbox) {}

  static begin(inbox: Inbox, policy: Partial<RetryPolicy> = {}): Claims {
    const claims = new Claims(inbox);
    inbox.begin(claims, { ...POLICY, ...policy });
    return claims;
  }

  take(deliveries: readonly Delivery[]): void {
    this.#taken.push(...deliveries);
    this.sizes.push(deliveries.length);
  }

  release(): void {
    // What was handed on runs.
  }

  /** What runs since the last call: as many as the limit, or as are due. */
  async claim(limit = 1_000): Promise<Delivery[]> {
    this.inbox.grant(limit);
    for (let before = -1; this.#taken.length < limit && this.#taken.length > before;) {
      before = this.#taken.length;
      await untilStored(this.inbox);
    }
    this.inbox.grant(this.#taken.length - limit);
    return this.#taken.splice(0);
  }

  /** Claims a delivery for each of these results, and stores the result. */
  async settle(...results: readonly AttemptResult[]): Promise<void> {
    const claimed = await this.claim(results.length);
    for (const [index, delivery] of claimed.entries()) this.inbox.settle(delivery, results[index]!);
    await untilStored(this.inbox);
  }
}

/** An inbox that is closed when the current test ends. */
export class OpenedInbox {
  inbox!: Inbox;
  claims!: Claims;
  #place: string | undefined;

  constructor(private readonly adapter: Adapter) {}

  async open(policy?: Partial<RetryPolicy>): Promise<void> {
    const { make = makeFolder, open } = this.adapter;
    this.#place ??= await make();
    const inbox = await open(this.#place);
    this.inbox = inbox;
    afterThisTest(() => inbox.close());
    this.claims = Claims.begin(inbox, policy);
    // What was running when another process ended comes again by then.
    await untilWritten(inbox);
  }

  get place(): string {
    return this.#place!;
  }

  async reopen(): Promise<void> {
    await this.inbox.close();
    await this.open();
  }

  async reopenAfterCrash(policy?: Partial<RetryPolicy>): Promise<void> {
    this.#place = await this.adapter.crash(this.#place!);
    await this.open(policy);
  }

  /** Makes all that is stored so much older, in milliseconds. */
  async age(difference: number): Promise<void> {
    const times = (...columns: readonly string[]): string =>
      columns.map((column) => `${column} = ${column} - ${difference}`).join(', ');
    await this.adapter.sql(
      this.#place!,
      `UPDATE delivery SET ${times('received_at', 'due_at', 'claimed_at', 'ended_at')};
      UPDATE event SET ${times('received_at')}; UPDATE act SET ${times('at')}`,
    );
  }

  claim(limit?: number): Promise<readonly Delivery[]> {
    return this.claims.claim(limit);
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

  /** Stores the result of an attempt. */
  async end(claimed: Claimed, result: AttemptResult): Promise<void> {
    this.inbox.settle(claimed, result);
    await untilStored(this.inbox);
  }

  settle(...results: readonly AttemptResult[]): Promise<void> {
    return this.claims.settle(...results);
  }

  replay(filter?: DeliveryFilter): Promise<Act> {
    return act(this.inbox, 'replay', filter);
  }

  discard(filter?: DeliveryFilter, reason = 'arbitrary'): Promise<Act> {
    return act(this.inbox, 'discard', filter, reason);
  }

  list(filter: DeliveryFilter = {}): Promise<readonly ListedDelivery[]> {
    return this.inbox.operations.list(filter, { order: 'oldest first', limit: 10_000 });
  }

  async ids(filter: DeliveryFilter = {}): Promise<number[]> {
    return (await this.list(filter)).map(({ id }) => id);
  }

  async states(): Promise<string> {
    return (await this.list()).map(({ state }) => state).join(' ');
  }
}
