import type { DispatcherLimits } from '../../src/dispatch/dispatcher.js';
import type { DeliveryFilter } from '../../src/inbox/inbox-operations.js';
import { Random } from './virtual-time.js';

/** A delivery, and what its handler does with it. Times in milliseconds. */
export interface PlannedDelivery {
  readonly at: number;
  /** Several deliveries may be of one event. */
  readonly eventId: string | null;
  /** With 0, the handler returns at once. */
  readonly takes: number;
  readonly blocks: boolean;
  /** So many attempts fail first. */
  readonly failures: number;
  readonly failure: 'rejects' | 'hangs' | 'ends the process';
}

/** Something that goes wrong, or that an operator does. Times in milliseconds. */
export type Incident = { readonly at: number } & (
  | { readonly kind: 'kill' | 'kill after the next commit'; readonly down: number }
  | { readonly kind: 'stop'; readonly timeout: number; readonly down: number }
  | { readonly kind: 'the store refuses' | 'replies are lost'; readonly lasts: number }
  | { readonly kind: 'it stands still' | 'the database stands still'; readonly lasts: number }
  | { readonly kind: 'pause'; readonly lasts: number }
  | { readonly kind: 'replay' | 'discard'; readonly filter: DeliveryFilter }
  | { readonly kind: 'the clock jumps'; readonly by: number }
);

/** What happens in a simulation. What it leaves open, such as how long each commit takes, the seed decides. */
export interface Plan {
  readonly seed: number;
  readonly receivers: number;
  readonly limits: DispatcherLimits;
  /** The longest way to the database and back. */
  readonly latency: number;
  /** Undefined to keep everything. */
  readonly maxAge: number | undefined;
  readonly deliveries: readonly PlannedDelivery[];
  readonly incidents: readonly Incident[];
  /** When nothing more goes wrong. */
  readonly end: number;
}

const MINUTE = 60_000;

/** What an operator replays. */
const FILTERS: readonly DeliveryFilter[] = [
  {},
  { state: 'handled' },
  { state: 'parked' },
  { state: 'retrying' },
];

/** Draws a plan. A small one finds the same faults as a large one, and sooner. */
export function drawPlan(seed: number): Plan {
  const random = new Random(seed);
  const end = random.between(1_000, 12_000);
  const backoff = random.chance(0.3) ? random.between(1, 20) : random.between(10, 500);
  const receivers = random.pick([1, 1, 2]);
  const latency = random.pick([0, 2, 2, 10, 40]);
  const maxAge = random.chance(0.3) ? random.between(1_000, 6_000) : undefined;
  const bursts = Array.from({ length: random.between(1, 4) }, () => random.between(0, end));

  const drawDelivery = (): PlannedDelivery => {
    const isQuick = random.chance(0.85);
    return {
      at: random.chance(0.5) ? random.pick(bursts) : random.between(0, end),
      eventId: random.chance(0.1) ? `event ${random.between(1, 5)}` : null,
      takes: random.chance(0.3) ? 0 : random.between(1, isQuick ? 60 : 4_000),
      blocks: random.chance(0.05),
      failures: random.chance(0.2) ? random.between(1, 7) : 0,
      failure: random.pick(['rejects', 'rejects', 'rejects', 'hangs', 'ends the process']),
    };
  };

  const drawIncident = (): Incident => {
    // Most goes wrong that happens while much is under way.
    const at = random.chance(0.5) ? random.pick(bursts) + random.between(0, 300) : random.between(0, end);
    const lasts = random.chance(0.1) ? random.between(1, 20_000) : random.between(1, 1_500);
    const down = random.between(1, 1_000);
    const jump = random.chance(0.3) ? random.between(500, 50_000) : random.between(1, 11_520) * 5 * MINUTE;
    const ofShared: readonly (() => Incident)[] = [
      () => ({ at, kind: 'replies are lost', lasts }),
      () => ({ at, kind: 'it stands still', lasts: random.between(1, 40_000) }),
      () => ({ at, kind: 'the database stands still', lasts: random.between(1, 40_000) }),
    ];
    return random.pick<() => Incident>([
      () => ({ at, kind: 'kill', down }),
      () => ({ at, kind: 'kill after the next commit', down }),
      () => ({ at, kind: 'stop', timeout: random.between(1, 2_000), down }),
      () => ({ at, kind: 'the store refuses', lasts }),
      () => ({ at, kind: 'the store refuses', lasts: 0 }),
      () => ({ at, kind: 'pause', lasts: random.between(1, 4_000) }),
      () => ({ at, kind: 'replay', filter: random.pick(FILTERS) }),
      () => ({ at, kind: 'discard', filter: {} }),
      () => ({ at, kind: 'the clock jumps', by: random.pick([-1, 1]) * jump }),
      ...(receivers > 1 ? ofShared : []),
    ])();
  };

  return {
    ...{ seed, receivers, latency, maxAge, end },
    limits: {
      concurrency: random.chance(0.6) ? random.between(1, 4) : random.between(1, 20),
      timeout: random.between(300, 3_000),
      maxAttempts: random.pick([1, 2, 3, 4, 6]),
      backoff,
      // The longer it is, the less the claims heal of what a clock has dated.
      maxBackoff: random.chance(0.3) ? 60_000 : backoff * 2 ** random.between(0, 5),
    },
    deliveries: Array.from({ length: random.between(1, 40) }, drawDelivery),
    incidents: Array.from({ length: random.between(0, 6) }, drawIncident).sort(
      (one, other) => one.at - other.at,
    ),
  };
}

/** The plan, a line for each thing that happens. */
export function describePlan({ deliveries, incidents, ...plan }: Plan): string[] {
  const lines = deliveries.map((delivery, number) => ({ ...delivery, number }));
  return [plan, ...lines, ...incidents].map((line) => JSON.stringify(line));
}
