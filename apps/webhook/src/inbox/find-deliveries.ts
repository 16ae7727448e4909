import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { isDamage } from './damage.js';
import type { Batch, DeliveryFilter, DeliverySummary, Page, StoredDelivery } from './inbox-operations.js';
import type { OperationStatements, Outcome, Received } from './operation-statements.js';

/** Most deliveries that are looked at in one turn of the event loop. */
const MAX_LOOK = 1_024;

/** Most content of one part of a selection, in bytes, if it has more than one delivery. */
const MAX_PART_BYTES = 4 * 1_048_576;

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
    const ids = listIds(statements, handling(), filter, order, from, look);
    found.push(...summariesOf(statements, handling(), ids).filter((delivery) => matches(filter, delivery)));
    if (found.length >= limit || ids.length < look) break;
    from = ids.at(-1);
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
  const ids = listIds(statements, handling, filter, 'oldest first', after, limit);
  const deliveries = summariesOf(statements, handling, ids).filter((delivery) => matches(filter, delivery));
  const count = limitsBytes ? countWithin(deliveries, MAX_PART_BYTES) : deliveries.length;
  if (count < deliveries.length)
    return { deliveries: deliveries.slice(0, count), next: deliveries[count - 1]!.id };
  return { deliveries, next: ids.length < limit ? undefined : ids.at(-1) };
}

/** How many of these have at most so much content together; at least one. */
export function countWithin(deliveries: readonly { readonly bytes: number }[], maxBytes: number): number {
  let total = 0;
  const count = deliveries.findIndex(({ bytes }) => (total += bytes) > maxBytes);
  return count === -1 ? deliveries.length : Math.max(1, count);
}

/** A delivery with what was sent. What can't be read because of damage is empty. */
export function withSent(statements: OperationStatements, summary: DeliverySummary): StoredDelivery {
  const sent = unlessDamaged(() => statements.sent(summary.id));
  return { ...summary, fields: sent?.fields ?? [], content: sent?.content ?? Buffer.alloc(0) };
}

/**
 * Those of these that are stored, in their order. Of one that can't be read because of damage, only the state is known.
 */
export function summariesOf(
  statements: OperationStatements,
  { claimedThrough, open }: Handling,
  ids: readonly number[],
): DeliverySummary[] {
  const received = new Map(readReceived(statements, ids).map((one) => [one.id, one]));
  const isWaiting = (id: number): boolean => id > claimedThrough || open.has(id);
  return statements.outcomes(ids).flatMap((outcome: Outcome) => {
    const { id, state } = outcome;
    const one = received.get(id);
    return one ? [{ ...one, ...outcome, state: state ?? (isWaiting(id) ? 'waiting' : 'handled') }] : [];
  });
}

function readReceived(statements: OperationStatements, ids: readonly number[]): Received[] {
  const all = unlessDamaged(() => statements.received(ids));
  if (all !== undefined) return all;
  return ids.flatMap((id) => unlessDamaged(() => statements.received([id])) ?? [unreadable(id)]);
}

const unreadable = (id: number): Received => ({
  id,
  receivedAt: 0,
  eventId: null,
  method: '',
  mediaType: null,
  contentEncoding: null,
  bytes: 0,
});

/**
 * Ids of deliveries that may match, in order: from the table of their state, if it has one, or else of all. If the table
 * of the deliveries is damaged, ids that aren't stored may be among them.
 *
 * @param after the list begins behind this id; undefined for its beginning
 */
function listIds(
  statements: OperationStatements,
  { lastId, claimedThrough, open }: Handling,
  { state, firstId = 1, lastId: lastWanted = lastId }: DeliveryFilter,
  order: Page['order'],
  after: number | undefined,
  limit: number,
): number[] {
  const isOldestFirst = order === 'oldest first';
  const first = Math.max(1, firstId, isOldestFirst ? (after ?? 0) + 1 : 1);
  const most = state === 'handled' ? claimedThrough : lastId;
  const last = Math.min(most, lastWanted, isOldestFirst ? most : (after ?? Infinity) - 1);
  const range = { first, last };
  if (state === 'waiting') return statements.listWaiting([...open], claimedThrough, range, order, limit);
  if (state === 'parked' || state === 'discarded') return statements.listIds(state, range, order, limit);
  const ids = unlessDamaged(() => statements.listIds('all', range, order, limit));
  if (ids !== undefined) return ids;
  const count = Math.max(0, Math.min(limit, last - first + 1));
  return Array.from({ length: count }, (_, index) => (isOldestFirst ? first + index : last - index));
}

function matches(filter: DeliveryFilter, { state, receivedAt }: DeliverySummary): boolean {
  const { state: wanted = state, receivedFrom = -Infinity, receivedBefore = Infinity } = filter;
  return state === wanted && receivedAt >= receivedFrom && receivedAt < receivedBefore;
}

/** Undefined if a damaged part of the file was read. */
function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}
