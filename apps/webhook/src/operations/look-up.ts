import { setTimeout } from 'node:timers/promises';

/** Longest time that somebody who asks waits for the inbox, in milliseconds. An inbox on another machine may hang. */
export const INBOX_TIMEOUT = 2_000;

/**
 * Waits for a result, and no longer than the limit.
 *
 * @param limit in milliseconds
 * @param otherwise what is returned after that time
 */
export function within<Result, Other>(
  limit: number,
  running: Promise<Result>,
  otherwise: Other,
): Promise<Result | Other> {
  return Promise.race([running, setTimeout(limit, otherwise, { ref: false })]);
}

/**
 * Limits how often something is looked up. Whoever asks within the interval, or while a look-up runs, gets the result of
 * the last one. One that failed is over at once: nobody hears later of a fault that has ended.
 *
 * @param interval in milliseconds
 */
export function atMostEvery<Result>(interval: number, lookUp: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<Result> | undefined;
  let isRunning = false;
  let since = -Infinity;
  return () => {
    if (last !== undefined && (isRunning || performance.now() - since < interval)) return last;
    since = performance.now();
    isRunning = true;
    last = lookUp().finally(() => (isRunning = false));
    last.catch(() => (since = -Infinity));
    return last;
  };
}
