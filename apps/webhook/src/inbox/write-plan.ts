import { errorText } from './error-text.js';
import type { Delivery, IncomingDelivery, Outcome } from './inbox.js';
import type { Progress } from './progress.js';
import type { Exception } from './sqlite-statements.js';

/** Something that is to be written. */
export type Write =
  | { readonly kind: 'accept'; readonly incoming: IncomingDelivery; readonly receivedAt: number }
  | { readonly kind: 'settle'; readonly delivery: Delivery; readonly outcome: Outcome };

/** What an inbox holds before a transaction. */
export interface Kept {
  /** Of the last delivery. */
  readonly lastId: number;
  /** The id of the delivery for each event that is kept already, at least of those that are to be written. */
  readonly events: ReadonlyMap<string, number>;
}

/** What one transaction changes. */
export interface WritePlan {
  /** For each write, the id of its delivery: for one of an event that is kept, that of the first. */
  readonly ids: number[];
  readonly accepted: Delivery[];
  /** Ended on their first attempt, or moved to the backlog. */
  readonly ended: Set<number>;
  readonly endedThrough: number;
  /** New places in the backlog. */
  readonly waiting: Exception[];
  readonly parked: Exception[];
  readonly leavingBacklog: number[];
}

type Plan = Omit<WritePlan, 'endedThrough'>;

/**
 * A handler that takes long must not keep what was handled after it from being written down: a delivery that lags
 * behind by more ids than this moves to the backlog.
 */
const MAX_LAG = 256;

/** A lag that every delivery exceeds that was claimed and has not ended. */
export const NO_LAG = -1;

/** The events of what is to be accepted. */
export function eventIdsOf(writes: readonly Write[]): string[] {
  const eventIds: string[] = [];
  for (const write of writes) {
    if (write.kind === 'accept' && write.incoming.eventId !== null) eventIds.push(write.incoming.eventId);
  }
  return eventIds;
}

/**
 * Plans a transaction without changing anything, so that a failed one leaves everything as it was.
 *
 * @param now in milliseconds since 1970
 * @param maxLag how far a delivery may lag behind before it moves to the backlog
 */
export function planWrites(
  writes: readonly Write[],
  kept: Kept,
  progress: Progress,
  now: number,
  maxLag = MAX_LAG,
): WritePlan {
  const lagging = progress.stragglers(maxLag);
  const plan = {
    ids: [] as number[],
    accepted: [] as Delivery[],
    ended: new Set(lagging),
    waiting: lagging.map((id): Exception => ({ id, at: now, failures: 0, error: null })),
    parked: [] as Exception[],
    leavingBacklog: [] as number[],
  };
  const events = new Map(kept.events);
  for (const write of writes) {
    if (write.kind === 'settle') planSettlement(plan, write, progress, now);
    else planAcceptance(plan, write, kept.lastId, events);
  }
  return { ...plan, endedThrough: progress.endedThrough(plan.ended) };
}

function planAcceptance(
  plan: Plan,
  { incoming, receivedAt }: Extract<Write, { kind: 'accept' }>,
  lastId: number,
  events: Map<string, number>,
): void {
  const { eventId } = incoming;
  const first = eventId === null ? undefined : events.get(eventId);
  const id = first ?? lastId + plan.accepted.length + 1;
  plan.ids.push(id);
  if (first !== undefined) return;
  plan.accepted.push({ id, failures: 0, receivedAt, ...incoming });
  if (eventId !== null) events.set(eventId, id);
}

function planSettlement(
  plan: Plan,
  { delivery: { id, failures }, outcome }: Extract<Write, { kind: 'settle' }>,
  progress: Progress,
  now: number,
): void {
  plan.ids.push(id);
  const inBacklog = !progress.has(id) || plan.ended.has(id);
  if (progress.has(id)) plan.ended.add(id);
  if (outcome.kind === 'failed') {
    plan.waiting.push({
      id,
      at: now + Math.ceil(outcome.retryAfter),
      failures: failures + 1,
      error: errorText(outcome.error),
    });
    return;
  }
  if (inBacklog) plan.leavingBacklog.push(id);
  if (outcome.kind === 'parked')
    plan.parked.push({ id, at: now, failures: failures + 1, error: errorText(outcome.error) });
}
