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
  /** With two, the inbox is shared. */
  readonly receivers: 1 | 2;
  readonly limits: DispatcherLimits;
  /** The longest way to the database, or back. */
  readonly latency: number;
  /** Undefined to keep everything. */
  readonly maxAge: number | undefined;
  readonly deliveries: readonly PlannedDelivery[];
  readonly incidents: readonly Incident[];
  /** When nothing more goes wrong. */
  readonly end: number;
}

/** A delivery that its handler handles at once. */
export const PLAIN: PlannedDelivery = {
  ...{ at: 0, eventId: null, takes: 0, blocks: false },
  ...{ failures: 0, failure: 'rejects' },
};

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
  const bursts = drawSome(random, 1, 4, () => random.between(0, end));
  const receivers = random.pick([1, 2] as const);
  const latency = random.pick([0, 2, 2, 10, 40]);
  const backoff = random.chance(0.3) ? random.between(1, 20) : random.between(10, 500);
  const plan: Plan = {
    ...{ seed, receivers, latency, end },
    limits: {
      concurrency: random.chance(0.6) ? random.between(1, 4) : random.between(1, 20),
      timeout: random.between(300, 3_000),
      maxAttempts: random.pick([1, 2, 3, 4, 6]),
      backoff,
      // The longer it is, the less the claims heal of what a clock has dated.
      maxBackoff: random.chance(0.3) ? MINUTE : backoff * 2 ** random.between(0, 5),
    },
    maxAge: random.chance(0.3) ? random.between(1_000, 6_000) : undefined,
    deliveries: drawSome(random, 1, 40, () => drawDelivery(random, end, bursts)),
    incidents: drawSome(random, 0, 6, () => drawIncident(random, { end, receivers, latency }, bursts)),
  };
  if (receivers === 1) return plan;
  return random.pick([() => plan, () => overtake(plan, random), () => suspect(plan, random)])();
}

function drawSome<Item>(random: Random, least: number, most: number, draw: () => Item): Item[] {
  return Array.from({ length: random.between(least, most) }, draw);
}

function drawDelivery(random: Random, end: number, bursts: readonly number[]): PlannedDelivery {
  const isQuick = random.chance(0.85);
  return {
    at: random.chance(0.5) ? random.pick(bursts) : random.between(0, end),
    eventId: random.chance(0.1) ? `event ${random.between(1, 5)}` : null,
    takes: random.chance(0.3) ? 0 : random.between(1, isQuick ? 60 : 4_000),
    blocks: random.chance(0.05),
    failures: random.chance(0.2) ? random.between(1, 7) : 0,
    failure: random.pick(['rejects', 'rejects', 'rejects', 'hangs', 'ends the process']),
  };
}

function drawIncident(
  random: Random,
  { end, receivers, latency }: Pick<Plan, 'end' | 'receivers' | 'latency'>,
  bursts: readonly number[],
): Incident {
  // Most goes wrong that happens while much is under way.
  const at = random.chance(0.5) ? random.pick(bursts) + random.between(0, 300) : random.between(0, end);
  const lasts = random.chance(0.1) ? random.between(1, 20_000) : random.between(1, 1_500);
  const down = random.between(1, 1_000);
  const jump = random.chance(0.3) ? random.between(500, 50_000) : random.between(1, 11_520) * 5 * MINUTE;
  const incidents: readonly Incident[] = [
    { at, kind: 'kill', down },
    { at, kind: 'kill after the next commit', down },
    { at, kind: 'stop', timeout: random.between(1, 2_000), down },
    { at, kind: 'the store refuses', lasts },
    { at, kind: 'the store refuses', lasts: 0 },
    {
      at: random.pick(bursts) + random.between(1, 2 * latency + 1),
      kind: 'pause',
      lasts: random.between(1, 4_000),
    },
    { at, kind: 'replay', filter: random.pick(FILTERS) },
    { at, kind: 'discard', filter: {} },
    { at, kind: 'the clock jumps', by: random.pick([-1, 1]) * jump },
  ];
  const ofShared: readonly Incident[] = [
    { at, kind: 'replies are lost', lasts },
    { at, kind: 'it stands still', lasts: random.between(1, 40_000) },
    { at, kind: 'the database stands still', lasts: random.between(1, 40_000) },
  ];
  return random.pick(receivers > 1 ? [...incidents, ...ofShared] : incidents);
}

/**
 * Beside what is planned, a receiver stands still past its lease: the other one adopts what it runs and what it has just
 * claimed, and still runs that when the first one comes back with its results. Then cycles overlap, and some fail.
 */
function overtake(plan: Plan, random: Random): Plan {
  const at = random.between(500, plan.end);
  const lasts = random.between(17_000, 22_000);
  const backAt = at + lasts + 3_000;
  const long = drawSome(random, 4, 12, () => ({
    ...PLAIN,
    at: at + random.between(0, 100),
    takes: random.between(4_000, 12_000),
  }));
  const late = drawSome(random, 10, 30, () => ({ ...PLAIN, at: backAt + random.between(0, 300) }));
  const incidents: readonly Incident[] = [
    { at: at + random.between(0, 150), kind: 'it stands still', lasts },
    { at: backAt + random.between(50, 200), kind: 'the store refuses', lasts: random.between(0, 100) },
  ];
  return {
    ...plan,
    end: backAt + 1_000,
    latency: random.pick([10, 40]),
    limits: { ...plan.limits, concurrency: random.between(8, 20), timeout: 30_000, maxAttempts: 6 },
    deliveries: [...plan.deliveries, ...long, ...late],
    incidents: [...plan.incidents, ...incidents],
  };
}

/**
 * Beside what is planned, some deliveries end each receiver that runs them, until they are suspects. They wait during a pause,
 * and are all due when it ends. Then others arrive, so that cycles overlap.
 */
function suspect(plan: Plan, random: Random): Plan {
  const at = random.between(0, 1_000);
  const pausedAt = at + random.between(24_000, 34_000);
  const resumedAt = at + random.between(46_000, 56_000);
  const poison = drawSome(random, 2, 4, () => ({
    ...PLAIN,
    ...{ at, takes: random.between(1, 300), failures: 3, failure: 'ends the process' as const },
  }));
  const innocent = drawSome(random, 2, 8, () => ({ ...PLAIN, at, takes: random.between(300, 3_000) }));
  const late = drawSome(random, 5, 20, () => ({ ...PLAIN, at: resumedAt + random.between(0, 200) }));
  return {
    ...plan,
    end: resumedAt + 1_000,
    latency: random.pick([10, 40]),
    limits: { ...plan.limits, concurrency: random.between(4, 20), maxAttempts: 6 },
    deliveries: [...plan.deliveries, ...poison, ...innocent, ...late],
    incidents: [...plan.incidents, { at: pausedAt, kind: 'pause', lasts: resumedAt - pausedAt }],
  };
}

/** The plan, a line for each thing that happens. */
export function describePlan({ deliveries, incidents, ...plan }: Plan): string[] {
  const lines = deliveries.map((delivery, number) => ({ ...delivery, number }));
  return [plan, ...lines, ...incidents].map((line) => JSON.stringify(line));
}
