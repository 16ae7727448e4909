/**
 * `npm run simulate`: drives the inbox and the dispatcher through one plan after the other, in virtual time. A seed decides
 * each plan, and replays exactly. Exits with 1 if the receiver broke a promise, and says how to see it again.
 *
 * - `--seed 7`: only this one
 * - `--from 7`: this one and those that follow; from 1 by default
 * - `--new`: from one that nobody has run
 * - `--seeds 300`: so many; as many as a minute holds by default
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { drawPlan } from './plan.js';
import { simulate } from './simulate.js';

const text = { type: 'string' } as const;

async function simulateMany(first: number, seeds: number): Promise<void> {
  const end = performance.now() + (seeds === Infinity ? 60_000 : Infinity);
  let seed = first;
  process.on('unhandledRejection', (error) => {
    console.error(`Seed ${seed} breaks a promise: nobody handles this.`, error);
    process.exit(1);
  });
  for (; seed < first + seeds && performance.now() < end; seed += 1) await simulate(drawPlan(seed));
  console.log(`The receiver kept its promises under ${seed - first} seeds, from ${first} to ${seed - 1}.`);
}

try {
  const options = { seed: text, from: text, seeds: text, new: { type: 'boolean' } } as const;
  const { seed, from, seeds, new: isNew } = parseArgs({ options }).values;
  const first = Number(seed ?? from ?? (isNew ? randomInt(2 ** 32) : 1));
  await simulateMany(first, seed === undefined ? Number(seeds ?? Infinity) : 1);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
