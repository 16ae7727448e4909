import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { type Handling, lookFor, summariesOf } from './find-deliveries.js';
import { countWithin, type DeliverySummary, type Retention } from './inbox-operations.js';
import type { InboxDatabase } from './open-database.js';
import type { OperationStatements } from './operation-statements.js';

/** Most deliveries that are deleted in one transaction, a few milliseconds, and most content of several. */
const MAX_REMOVED = 64;
const MAX_REMOVED_BYTES = 4 * 1_048_576;

/** The inbox from which deliveries are deleted. */
interface EmptiedInbox {
  handling(): Handling;
  /** Everything up to this id is handled, parked or in the backlog. */
  handledThrough(): number;
  transaction<Result>(write: () => Result): Result;
}

/** Deletes what the retention doesn't keep from an embedded inbox, the oldest first. */
export class Remover {
  readonly #statements: OperationStatements;
  /** Up to this id, there is nothing to delete. */
  #removedThrough = 0;

  constructor(
    private readonly files: Pick<InboxDatabase, 'operations' | 'used' | 'checkpoints'>,
    private readonly inbox: EmptiedInbox,
  ) {
    this.#statements = files.operations;
  }

  /** Deletes a part of what is expired, and returns how much. 0 when nothing is left to delete. */
  async removeExpired(retention: Retention, signal?: AbortSignal): Promise<number> {
    const { checkpoints } = this.files;
    let after: number | undefined = this.#removedThrough;
    while (after !== undefined) {
      const from: number = after;
      const { deliveries, next } = await checkpoints.between(() => this.#removeAfter(from, retention));
      if (deliveries.length > 0) return deliveries.length;
      after = next;
      await turnOfTheLoop();
      if (signal?.aborted) return 0;
    }
    const before = Date.now() - retention.maxEventAge;
    return checkpoints.between(() => this.inbox.transaction(() => this.#statements.removeEvents(before)));
  }

  #removeAfter(after: number, { maxAge, maxBytes = Infinity }: Retention): Expired {
    const expired = findExpired(
      this.#statements,
      this.inbox.handling(),
      { maxAge },
      after,
      this.inbox.handledThrough(),
      this.files.used() - maxBytes,
    );
    const { deliveries, keepsAll, next } = expired;
    if (deliveries.length > 0) {
      this.inbox.transaction(() => this.#statements.remove(deliveries));
    } else if (keepsAll && after === this.#removedThrough && next !== undefined) {
      this.#removedThrough = next;
    }
    return expired;
  }

  /** These can be deleted now, or could have been before. */
  mayRemove(ids: readonly number[]): void {
    for (const id of ids) this.#removedThrough = Math.min(this.#removedThrough, id - 1);
  }
}

/** What to delete next. */
interface Expired {
  readonly deliveries: readonly DeliverySummary[];
  /** Where to look next; undefined if nothing further can be expired. */
  readonly next: number | undefined;
  /** Whether nothing that was looked at can be deleted, ever or until its state changes. */
  readonly keepsAll: boolean;
}

/**
 * Looks at some deliveries, the oldest first, for what the retention doesn't keep. Deliveries come in the order of their
 * ids, nearly always in the order of their times. So it need not look further once something is younger, unless a wrong
 * clock has dated that into the future.
 *
 * @param after where to begin
 * @param through the last id that may be deleted
 * @param excess how many bytes the inbox is too large
 */
function findExpired(
  statements: OperationStatements,
  handling: Handling,
  { maxAge }: Pick<Retention, 'maxAge'>,
  after: number,
  through: number,
  excess: number,
): Expired {
  const now = Date.now();
  const { ids, count, last } = lookFor(
    statements,
    handling,
    { lastId: through },
    'oldest first',
    after,
    MAX_REMOVED,
  );
  const removable = summariesOf(statements, handling, ids).filter(isRemovable);
  let left = excess;
  const expired = removable.filter(({ state, receivedAt, bytes }) => {
    if (receivedAt < now - maxAge) return true;
    if (state !== 'handled' || left <= 0) return false;
    left -= bytes;
    return true;
  });
  const isYoung = excess <= 0 && removable.some(({ receivedAt }) => receivedAt <= now);
  return {
    deliveries: expired.slice(0, countWithin(expired, MAX_REMOVED_BYTES)),
    next: isYoung || count < MAX_REMOVED ? undefined : last!,
    keepsAll: removable.length === 0,
  };
}

function isRemovable({ state }: DeliverySummary): boolean {
  return state === 'handled' || state === 'discarded';
}
