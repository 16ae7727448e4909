import type { IncomingDelivery } from '../../src/inbox/delivery.js';
import { Inbox } from '../../src/inbox/inbox.js';
import { drawPlan } from './plan.js';
import { simulate } from './simulate.js';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('the receiver keeps its promises whatever happens', async () => {
  for (const seed of seeds(300)) await simulate(drawPlan(seed));
}, 300_000);

test('a seed replays exactly', async () => {
  const journals = [];
  for (const seed of [7, 7, 8]) journals.push((await simulate(drawPlan(seed))).journal.lines);
  expect(journals[0]).toEqual(journals[1]);
  expect(journals[0]).not.toEqual(journals[2]);
});

test('a delivery that ends its process is parked, and delays no other', async () => {
  const good = {
    eventId: null,
    takes: 10,
    blocks: false,
    failures: 0,
    failure: 'rejects',
  } as const;
  const poison = { ...good, failures: Infinity, failure: 'ends the process' } as const;
  const { ledger } = await simulate({
    ...{ seed: 1, receivers: 1, latency: 2, maxAge: undefined, incidents: [], end: 0 },
    limits: { concurrency: 20, timeout: 30_000, maxAttempts: 6, backoff: 1_000, maxBackoff: 3_600_000 },
    deliveries: Array.from({ length: 2_000 }, (_, at) => ({ ...(at === 400 ? poison : good), at })),
  });

  const rows = [...ledger.known.values()];
  expect(rows.filter(({ row }) => row.state !== 'handled')).toMatchObject([
    { row: { state: 'parked' }, runs: 6 },
  ]);
  const waits = rows
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

test.each([
  ['acknowledges what is not stored', Acknowledging, /is acknowledged, and isn't stored/],
  ['forgets results', Forgetful, /is running at [AB]\d+ since \d+ ms, and has no attempt/],
  ['lets too many run', Generous, /has room for \d+/],
  ['does not pause', Unpausable, /came during the pause|is paused since/],
])('an inbox that %s breaks a promise, and its seed is told', async (_fault, Kind, message) => {
  const simulateAll = async (): Promise<void> => {
    for (const seed of seeds(50)) await simulate(drawPlan(seed), Kind);
  };
  await expect(simulateAll()).rejects.toThrow(message);
  await expect(simulateAll()).rejects.toThrow(/npm run simulate -- --seed \d+$/);
});
