/**
 * The wait before something is tried again, in milliseconds. It doubles with each failure up to the maximum, and is drawn from
 * its upper half, so that what failed together doesn't come back together.
 *
 * @param failures how often it has failed, 1 or more
 */
export function backoff(
  failures: number,
  first: number,
  maximum: number,
  random: () => number = Math.random,
): number {
  const longest = Math.min(maximum, first * 2 ** (failures - 1));
  return Math.ceil(longest / 2 + (longest / 2) * random());
}
