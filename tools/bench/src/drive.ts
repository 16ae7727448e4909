import { type Figures, percentile } from './compare.js';

/**
 * Runs something again and again, with so many at the same time.
 *
 * @param run gets the number of the one that runs it, from 0
 */
export async function drive(
  run: (runner: number) => Promise<unknown>,
  inFlight: number,
  milliseconds: number,
): Promise<Figures<'count' | 'perSecond' | 'p99'>> {
  const latencies: number[] = [];
  const start = performance.now();
  const runOn = async (_: unknown, runner: number): Promise<void> => {
    for (let from: number; (from = performance.now()) < start + milliseconds;) {
      await run(runner);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, runOn));
  const count = latencies.length;
  const perSecond = (count * 1_000) / (performance.now() - start);
  return { count, perSecond, p99: percentile(latencies, 0.99) };
}
