/**
 * `npm run simulate`: drives the inbox and the dispatcher through one plan after the other, in virtual time. A seed decides
 * each plan, and replays exactly. Exits with 1 if the receiver broke a promise, and says how to see it again.
 *
 * - `--seed 7`: only this one
 * - `--from 7`: this one and those that follow; from 1 by default
 * - `--new`: from one that nobody has run
 * - `--seconds 10`, `--seeds 300`: how long; as many as a minute holds by default
 * - `--poison`: instead, a delivery that ends its process, among good ones
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { drawPlan } from './plan.js';
import { simulatePoison } from './poison.js';
import { simulate } from './simulate.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

try {
  const options = { seed: text, from: text, seeds: text, seconds: text, new: flag, poison: flag };
  const { values } = parseArgs({ options });
  if (values.poison) await simulatePoison();
  else {
    const first =
      number('seed', values.seed) ?? number('from', values.from) ?? (values.new ? randomInt(2 ** 32) : 1);
    const seeds = values.seed === undefined ? (number('seeds', values.seeds) ?? Infinity) : 1;
    const seconds = number('seconds', values.seconds) ?? (seeds === Infinity ? 60 : Infinity);
    await simulateMany(first, seeds, seconds);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

async function simulateMany(first: number, seeds: number, seconds: number): Promise<void> {
  const end = performance.now() + 1_000 * seconds;
  let seed = first;
  for (; seed < first + seeds && performance.now() < end; seed += 1) await simulate(drawPlan(seed));
  console.log(`The receiver kept its promises under ${seed - first} seeds, from ${first} to ${seed - 1}.`);
}

/** @throws Error that says what is wrong with an option */
function number(option: string, value: string | undefined): number | undefined {
  if (value === undefined || /^\d{1,10}$/.test(value)) return value === undefined ? undefined : Number(value);
  throw new Error(`--${option} must be a whole number (got ${value}).`);
}
