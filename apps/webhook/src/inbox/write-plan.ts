import {
  type AttemptResult,
  type Delivery,
  type IncomingDelivery,
  type Interrupted,
  storableText,
} from './inbox.js';
import type { Progress } from './progress.js';
import type { BacklogRow } from './sqlite-statements.js';

/** A change that an operator makes. */
export interface Change {
  /** Reads what to change and writes it, before anything else of the transaction. Repeated if that has failed. */
  readonly write: () => void;
  /** Its transaction is committed. */
  readonly committed?: () => void;
}

/** Something that is to be written. */
export type Write =
  | { readonly kind: 'accept'; readonly incoming: IncomingDelivery; readonly receivedAt: number }
  | { readonly kind: 'settle'; readonly delivery: Interrupted; readonly result: AttemptResult }
  | { readonly kind: 'change'; readonly change: Change };

/** What an inbox contains before a transaction. */
export interface Stored {
  /** Of the last delivery. */
  readonly lastId: number;
  /** The id of the delivery of each event that is stored, at least of those that are to be written. */
  readonly events: ReadonlyMap<string, number>;
}

/** What one transaction changes. */
export interface WritePlan {
  /** For each write, the id of its delivery: for an event that is stored already, that of the first. 0 for a change. */
  readonly ids: number[];
  readonly accepted: Delivery[];
  /** Deliveries that were claimed for the first time and are settled now, or move to the backlog. */
  readonly ended: Set<number>;
  readonly handledThrough: number;
  /** New rows of the backlog. */
  readonly waiting: BacklogRow[];
  readonly parked: BacklogRow[];
  readonly leavingBacklog: number[];
}

type Plan = Omit<WritePlan, 'handledThrough'>;

/** The events of the deliveries that are to be accepted. */
export function eventIdsOf(writes: readonly Write[]): string[] {
  const eventIds: string[] = [];
  for (const write of writes) {
    if (write.kind === 'accept' && write.incoming.eventId !== null) eventIds.push(write.incoming.eventId);
  }
  return eventIds;
}

/**
 * Plans a transaction without changing anything, so that a failed transaction leaves everything as it was.
 *
 * @param now in milliseconds since 1970
 * @param maxLag see {@link Progress.stragglers}
 */
export function planWrites(
  writes: readonly Write[],
  stored: Stored,
  progress: Progress,
  now: number,
  maxLag?: number,
): WritePlan {
  const lagging = progress.stragglers(maxLag);
  const plan = {
    ids: [] as number[],
    accepted: [] as Delivery[],
    ended: new Set(lagging),
    waiting: lagging.map((id): BacklogRow => ({ id, at: now, failures: 0, error: null })),
    parked: [] as BacklogRow[],
    leavingBacklog: [] as number[],
  };
  const events = new Map(stored.events);
  for (const write of writes) {
    if (write.kind === 'settle') planSettlement(plan, write, progress, now);
    else if (write.kind === 'accept') planAcceptance(plan, write, stored.lastId, events);
    else plan.ids.push(0);
  }
  return { ...plan, handledThrough: progress.handledThrough(plan.ended) };
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
  plan.accepted.push({ id, failures: 0, suspect: false, receivedAt, ...incoming });
  if (eventId !== null) events.set(eventId, id);
}

function planSettlement(
  plan: Plan,
  { delivery: { id, failures }, result }: Extract<Write, { kind: 'settle' }>,
  progress: Progress,
  now: number,
): void {
  plan.ids.push(id);
  const inBacklog = !progress.has(id) || plan.ended.has(id);
  if (progress.has(id)) plan.ended.add(id);
  if (result.kind === 'failed') {
    const at = now + Math.ceil(result.retryAfter);
    const { suspect = false } = result;
    plan.waiting.push({ id, at, failures: failures + 1, error: storableText(result.error), suspect });
    return;
  }
  if (inBacklog) plan.leavingBacklog.push(id);
  if (result.kind === 'parked')
    plan.parked.push({ id, at: now, failures: failures + 1, error: storableText(result.error) });
}
