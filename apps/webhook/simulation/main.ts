import { parseArgs } from 'node:util';

import { drawPlan } from './plan.js';
import { simulate } from './simulate.js';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seed: text, seeds: text, from: text, seconds: text } });
const first = Number(values.seed ?? values.from ?? 1);
const seeds = values.seed === undefined ? Number(values.seeds ?? Infinity) : 1;
const end = performance.now() + 1_000 * Number(values.seconds ?? 60);
let seed = first;
try {
  for (; seed < first + seeds && performance.now() < end; seed += 1) await simulate(drawPlan(seed));
  console.log(`${seed - first} seeds from ${first}: the inbox kept its promises.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
