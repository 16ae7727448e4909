import type { IncomingDelivery } from '../src/inbox/delivery.js';
import { Inbox } from '../src/inbox/inbox.js';
import { drawPlan } from './plan.js';
import { simulate } from './simulate.js';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('the receiver keeps its promises whatever happens', async () => {
  for (const seed of seeds(300)) await simulate(drawPlan(seed));
});

test('a seed replays exactly', async () => {
  const journals = [];
  for (const seed of [7, 7, 8]) journals.push((await simulate(drawPlan(seed))).journal.lines);
  expect(journals[0]).toEqual(journals[1]);
  expect(journals[0]).not.toEqual(journals[2]);
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
  override setPaused(): Promise<void> {
    return Promise.resolve();
  }
}

test.each([
  ['acknowledges what is not stored', Acknowledging, /is acknowledged, and isn't stored/],
  ['forgets results', Forgetful, /is running at [AB]\d+ since \d+ ms, and has no attempt/],
  ['lets too many run', Generous, /has room for \d+/],
  ['does not pause', Unpausable, /came during the pause/],
])('an inbox that %s breaks a promise, and its seed is told', async (_fault, Kind, message) => {
  const simulateAll = async (): Promise<void> => {
    for (const seed of seeds(50)) await simulate(drawPlan(seed), Kind);
  };
  await expect(simulateAll()).rejects.toThrow(message);
  await expect(simulateAll()).rejects.toThrow(/npm run simulate -- --seed \d+$/);
});
