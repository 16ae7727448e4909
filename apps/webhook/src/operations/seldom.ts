/**
 * Limits how often something is looked up. Whoever asks within the interval, or while a look-up runs, gets the result of
 * the last one.
 *
 * @param interval in milliseconds
 * @param now in milliseconds, of a clock that never goes back
 */
export function seldom<Result>(
  interval: number,
  lookUp: () => Promise<Result>,
  now: () => number = performance.now.bind(performance),
): () => Promise<Result> {
  let last: Promise<Result> | undefined;
  let isRunning = false;
  let since = -Infinity;
  return () => {
    if (last !== undefined && (isRunning || now() - since < interval)) return last;
    since = now();
    isRunning = true;
    last = lookUp().finally(() => (isRunning = false));
    return last;
  };
}
