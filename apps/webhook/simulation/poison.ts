import type { Plan, PlannedDelivery } from './plan.js';
import { simulate } from './simulate.js';

/** A load of good deliveries. Times in milliseconds. */
interface Load {
  readonly count: number;
  /** From one to the next. */
  readonly interval: number;
  /** How long the handler takes. */
  readonly takes: number;
}

const LOADS: readonly Load[] = [
  { count: 10_000, interval: 1, takes: 10 },
  { count: 600, interval: 66, takes: 1_000 },
  { count: 400, interval: 110, takes: 2_000 },
];

const GOOD = { eventId: null, isRefused: false, blocks: false, failures: 0, failure: 'rejects' } as const;
const POISON = { ...GOOD, failures: Infinity, failure: 'ends the process', takes: 50 } as const;

function planOf({ count, interval, takes }: Load): Plan {
  const poison = Math.floor(count / 5);
  const deliveries = Array.from({ length: count + 1 }, (_, number): PlannedDelivery => ({
    ...GOOD,
    takes,
    at: number * interval,
    ...(number === poison && POISON),
  }));
  const limits = { concurrency: 20, timeout: 30_000, maxAttempts: 6, backoff: 1_000, maxBackoff: 3_600_000 };
  return {
    ...{ seed: 1, receivers: 1, latency: 2, maxAge: undefined },
    limits,
    deliveries,
    incidents: [],
    end: 0,
  };
}

/** One delivery ends its process each time, among good ones: says what became of them. */
export async function simulatePoison(): Promise<void> {
  for (const load of LOADS) {
    const { ledger, promises } = await simulate(planOf(load));
    const rows = [...ledger.known.values()];
    const good = rows.filter(({ row }) => row.state === 'handled');
    const waits = good
      .map(({ since, acknowledgedAt }) => since - acknowledgedAt!)
      .sort((one, other) => one - other);
    const part = (share: number): string =>
      `${(waits[Math.floor(share * (waits.length - 1))]! / 1_000).toFixed(2)} s`;
    const more = (runs: number): number => good.filter((delivery) => delivery.runs > runs).length;
    console.log(
      `${load.count} deliveries, one each ${load.interval} ms, of ${load.takes} ms: ${promises.receivers.size - 1} ends of the process; ` +
        `parked: ${rows.length - good.length}; run twice: ${more(1) - more(2)}, more often: ${more(2)}; ` +
        `time until handled: median ${part(0.5)}, 99 % ${part(0.99)}, most ${part(1)}`,
    );
  }
}
