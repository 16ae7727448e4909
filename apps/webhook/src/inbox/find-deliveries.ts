import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { DamagedRowError } from './damage.js';
import {
  type Batch,
  countWithin,
  type DeliveryFilter,
  type DeliverySummary,
  MAX_PART_BYTES,
  type Page,
  type StoredDelivery,
} from './inbox-operations.js';
import type { Found, OperationStatements } from './operation-statements.js';

/** Most deliveries that are looked at in one turn of the event loop. */
const MAX_LOOK = 4_096;

/** Times that are before and after all others. */
const EARLIEST = Number.MIN_SAFE_INTEGER;
const LATEST = Number.MAX_SAFE_INTEGER;

/** What an inbox that is open knows of its deliveries, and its tables don't say. */
export interface Handling {
  /** Of the last delivery. */
  readonly lastId: number;
  /** Of the last delivery that was claimed. */
  readonly claimedThrough: number;
  /** Claimed for the first time, and not ended, in the order of their ids. */
  readonly open: ReadonlySet<number>;
}

/** The deliveries of a part of a selection. */
export interface Part {
  readonly deliveries: readonly DeliverySummary[];
  /** Where the next part begins; undefined after the last. */
  readonly next: number | undefined;
}

/** The deliveries of a page. It reads a bounded number in a turn of the event loop. */
export async function listDeliveries(
  statements: OperationStatements,
  handling: () => Handling,
  filter: DeliveryFilter,
  { order, after, limit }: Page,
): Promise<DeliverySummary[]> {
  const found: DeliverySummary[] = [];
  let from = after;
  for (let look = Math.min(limit, MAX_LOOK); look > 0; look = Math.min(2 * look, MAX_LOOK)) {
    const { ids, count, last } = lookFor(statements, handling(), filter, order, from, look);
    for (let at = 0; at < ids.length && found.length < limit; at += limit) {
      const summaries = summariesOf(statements, handling(), ids.slice(at, at + limit));
      found.push(...summaries.filter((delivery) => matches(filter, delivery)));
    }
    if (found.length >= limit || count < look) break;
    from = last!;
    await turnOfTheLoop();
  }
  return found.slice(0, limit);
}

/**
 * Finds a part of a selection, in the order of the ids.
 *
 * @param limitsBytes whether the contents of a part are limited, because all of them are read or deleted
 */
export function findPart(
  statements: OperationStatements,
  handling: Handling,
  { filter, after, limit }: Batch,
  limitsBytes: boolean,
): Part {
  const { ids, count: looked, last } = lookFor(statements, handling, filter, 'oldest first', after, limit);
  const deliveries = summariesOf(statements, handling, ids).filter((delivery) => matches(filter, delivery));
  const count = limitsBytes ? countWithin(deliveries, MAX_PART_BYTES) : deliveries.length;
  if (count < deliveries.length)
    return { deliveries: deliveries.slice(0, count), next: deliveries[count - 1]!.id };
  return { deliveries, next: looked < limit ? undefined : last! };
}

/** A delivery with what was sent. */
export function withSent(statements: OperationStatements, summary: DeliverySummary): StoredDelivery {
  return { ...summary, ...statements.sent(summary.id) };
}

/** Those of these that are stored, in their order. */
export function summariesOf(
  statements: OperationStatements,
  { claimedThrough, open }: Handling,
  ids: readonly number[],
): DeliverySummary[] {
  const received = new Map(statements.received(ids).map((one) => [one.id, one]));
  const isWaiting = (id: number): boolean => id > claimedThrough || open.has(id);
  return statements.outcomes(ids).flatMap((outcome) => {
    const { id } = outcome;
    const state = outcome.state ?? (isWaiting(id) ? 'waiting' : 'handled');
    const one = received.get(id);
    if (one !== undefined) return [{ ...one, ...outcome, state }];
    // One that was handled may have been deleted.
    if (state !== 'handled') throw new DamagedRowError(`delivery ${id} is missing`);
    return [];
  });
}

/**
 * Looks at deliveries for those that match.
 *
 * @param after the list begins behind this id; undefined for its beginning
 */
export function lookFor(
  statements: OperationStatements,
  { lastId, claimedThrough, open }: Handling,
  filter: DeliveryFilter,
  order: Page['order'],
  after: number | undefined,
  limit: number,
): Found {
  const { state, firstId = 1, lastId: lastWanted = lastId, receivedFrom, receivedBefore } = filter;
  const isOldestFirst = order === 'oldest first';
  const first = Math.max(1, firstId, isOldestFirst ? (after ?? 0) + 1 : 1);
  const most = state === 'handled' ? claimedThrough : lastId;
  const last = Math.min(most, lastWanted, isOldestFirst ? most : (after ?? Infinity) - 1);
  const anyTime = receivedFrom === undefined && receivedBefore === undefined;
  const times = anyTime ? undefined : ([receivedFrom ?? EARLIEST, receivedBefore ?? LATEST] as const);
  return statements.look({ state, first, last, order, limit, times, open, claimedThrough });
}

function matches(filter: DeliveryFilter, { state, receivedAt }: DeliverySummary): boolean {
  const { state: wanted = state, receivedFrom = -Infinity, receivedBefore = Infinity } = filter;
  return state === wanted && receivedAt >= receivedFrom && receivedAt < receivedBefore;
}
