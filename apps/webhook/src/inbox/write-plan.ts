import type { Delivery, IncomingDelivery, Outcome } from './inbox.js';
import type { Progress } from './progress.js';
import type { Exception } from './sqlite-statements.js';

/** Something that is to be written. */
export type Write =
  | { readonly kind: 'accept'; readonly incoming: IncomingDelivery; readonly receivedAt: number }
  | { readonly kind: 'settle'; readonly delivery: Delivery; readonly outcome: Outcome };

/** What one transaction changes. */
export interface WritePlan {
  /** For each write, the id of its delivery. */
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

/**
 * A handler that takes long must not keep what was handled after it from being written down: a delivery that lags
 * behind by more ids than this moves to the backlog.
 */
const MAX_LAG = 256;

/** A lag that every delivery exceeds that was claimed and has not ended. */
export const NO_LAG = -1;

/**
 * Plans a transaction without changing anything, so that a failed one leaves everything as it was.
 *
 * @param lastId of the deliveries that are kept
 * @param now in milliseconds since 1970
 * @param maxLag how far a delivery may lag behind before it moves to the backlog
 */
export function planWrites(
  writes: readonly Write[],
  lastId: number,
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
  for (const write of writes) {
    if (write.kind === 'settle') planSettlement(plan, write, progress, now);
    else
      plan.accepted.push({
        id: lastId + plan.accepted.length + 1,
        failures: 0,
        receivedAt: write.receivedAt,
        ...write.incoming,
      });
    plan.ids.push(write.kind === 'settle' ? write.delivery.id : lastId + plan.accepted.length);
  }
  return { ...plan, endedThrough: progress.endedThrough(plan.ended) };
}

function planSettlement(
  plan: Omit<WritePlan, 'endedThrough'>,
  { delivery: { id, failures }, outcome }: Extract<Write, { kind: 'settle' }>,
  progress: Progress,
  now: number,
): void {
  const inBacklog = !progress.has(id) || plan.ended.has(id);
  if (progress.has(id)) plan.ended.add(id);
  if (outcome.kind === 'failed') {
    plan.waiting.push({
      id,
      at: now + Math.ceil(outcome.retryAfter),
      failures: failures + 1,
      error: outcome.error,
    });
    return;
  }
  if (inBacklog) plan.leavingBacklog.push(id);
  if (outcome.kind === 'parked')
    plan.parked.push({ id, at: now, failures: failures + 1, error: outcome.error });
}
