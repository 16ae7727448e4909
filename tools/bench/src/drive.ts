import type { Figures } from './compare.js';

/** Runs something again and again, with so many at the same time. */
export async function drive(
  run: () => Promise<unknown>,
  inFlight: number,
  milliseconds: number,
): Promise<Figures<'count' | 'perSecond'>> {
  let count = 0;
  const start = performance.now();
  const runOn = async (): Promise<void> => {
    for (; performance.now() < start + milliseconds; count += 1) await run();
  };
  await Promise.all(Array.from({ length: inFlight }, runOn));
  return { count, perSecond: (count * 1_000) / (performance.now() - start) };
}
