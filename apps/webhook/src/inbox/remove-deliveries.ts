import { countWithin, type Handling, lookFor, summariesOf } from './find-deliveries.js';
import type { DeliverySummary, Retention } from './inbox-operations.js';
import { isReadable, type OperationStatements } from './operation-statements.js';

/** Most deliveries that are deleted in one transaction, and most content of several. */
const MAX_REMOVED = 256;
const MAX_REMOVED_BYTES = 4 * 1_048_576;

/** What to delete next. */
export interface Expired {
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
export function findExpired(
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

/** What can't be read because of damage can't be deleted either. */
function isRemovable(delivery: DeliverySummary): boolean {
  return (delivery.state === 'handled' || delivery.state === 'discarded') && isReadable(delivery);
}
