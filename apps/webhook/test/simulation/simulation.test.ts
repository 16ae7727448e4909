import type { IncomingDelivery } from '../../src/inbox/delivery.js';
import { Inbox } from '../../src/inbox/inbox.js';
import type { Result } from '../../src/inbox/store.js';
import { drawPlan, PLAIN } from './plan.js';
import type { Parts } from './receiver.js';
import { simulate } from './simulate.js';
import { SimulatedStore } from './store.js';

/** All of them pass; under them, each planted fault is found. */
const SEEDS = Array.from({ length: 300 }, (_, index) => index + 1);

async function simulateAll(planted?: Partial<Parts>): Promise<void> {
  for (const seed of SEEDS) await simulate(drawPlan(seed), planted);
}

test('the receiver keeps its promises whatever happens', async () => {
  await simulateAll();
}, 300_000);

test('a seed replays exactly', async () => {
  const journals = [];
  for (const seed of [7, 7, 8]) journals.push((await simulate(drawPlan(seed))).promises.journal);
  expect(journals[0]).toEqual(journals[1]);
  expect(journals[0]).not.toEqual(journals[2]);
});

test('a delivery that ends its process is parked, and delays no other', async () => {
  const good = { ...PLAIN, takes: 10 };
  const poison = { ...good, failures: Infinity, failure: 'ends the process' } as const;
  const { promises } = await simulate({
    ...{ seed: 1, receivers: 1, latency: 2, maxAge: undefined, incidents: [], end: 0 },
    limits: { concurrency: 20, timeout: 30_000, maxAttempts: 6, backoff: 1_000, maxBackoff: 3_600_000 },
    deliveries: Array.from({ length: 2_000 }, (_, at) => ({ ...(at === 400 ? poison : good), at })),
  });

  const all = [...promises.known.values()];
  expect(all.filter(({ row }) => row.state !== 'handled')).toMatchObject([
    { row: { state: 'parked' }, runs: 6 },
  ]);
  const waits = all
    .map(({ since, acknowledgedAt }) => since - acknowledgedAt!)
    .sort((one, other) => one - other);
  expect(waits[1_000]).toBeLessThan(2_000);
});

class Acknowledging extends Inbox {
  override accept(delivery: IncomingDelivery): Promise<number> {
    super.accept(delivery).catch(() => undefined);
    return Promise.resolve(1);
  }
}

class Forgetful extends Inbox {
  override settle(): void {
    // The result is lost.
  }
}

class Generous extends Inbox {
  override grant(places: number): void {
    super.grant(2 * places);
  }
}

class Unpausable extends Inbox {
  override hold(): Promise<void> {
    return Promise.resolve();
  }
}

class Late extends Inbox {
  override mayBegin(): boolean {
    return true;
  }
}

class Unleased extends SimulatedStore {
  protected override mayWrite(): boolean {
    return true;
  }
}

class Suspecting extends SimulatedStore {
  protected override maySuspect(): boolean {
    return true;
  }
}

class Overtaken extends SimulatedStore {
  protected override resultsOf(results: readonly Result[]): readonly Result[] {
    return results.map(([name, id, , ...values]) => {
      const startedAt = this.database.findRunning(id)?.startedAt ?? 0;
      return [name, id, startedAt, ...values] as unknown as Result;
    });
  }
}

class Losing extends SimulatedStore {
  protected override leftByFailed(places: number): number {
    return this.cycles > 1 ? 0 : places;
  }
}

test.each<[fault: string, planted: Partial<Parts>, message: RegExp]>([
  ['acknowledges what is not stored', { Inbox: Acknowledging }, /is acknowledged, and isn't stored/],
  ['forgets results', { Inbox: Forgetful }, /is running at [AB]\d+ since \d+ ms, and has no attempt/],
  ['lets too many run', { Inbox: Generous }, /has room for \d+/],
  ['does not pause', { Inbox: Unpausable }, /came during the pause|is paused since/],
  [
    'begins what it claimed before its lease was lost',
    { Inbox: Late },
    /begins at [AB]\d+: it is \w+ at [AB]/,
  ],
  [
    'claims after its lease was lost',
    { Store: Unleased },
    /was claimed by [AB]\d+, which has lost its lease/,
  ],
  ['lets a second cycle run a suspect', { Store: Suspecting }, /2 suspects run/],
  [
    'counts the result of an attempt that was adopted',
    { Store: Overtaken },
    /its attempt has another result|it is released, and has begun|it is handled at [AB]/,
  ],
  ['loses the credit of a cycle that fails beside another', { Store: Losing }, /has room for \d+/],
])(
  'a receiver that %s breaks a promise, and its seed is told',
  async (_fault, planted, message) => {
    const broken = simulateAll(planted);
    await expect(broken).rejects.toThrow(message);
    await expect(broken).rejects.toThrow(/npm run simulate -- --seed \d+$/);
  },
  300_000,
);
