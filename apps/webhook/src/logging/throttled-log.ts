/** Writes one line of the log. */
export type WriteLine = (fields: Readonly<Record<string, unknown>>) => void;

/** Shortest time between two lines, in milliseconds. */
const INTERVAL = 1_000;

/**
 * Limits how often a message is logged that may occur for each delivery, such as a full disk. The first occurrence is
 * logged at once. A later line has the number of occurrences that were left out before it, as `omitted`.
 *
 * @param now in milliseconds, of a clock that never goes back
 */
export function throttledLog(
  write: WriteLine,
  now: () => number = performance.now.bind(performance),
): WriteLine {
  let quietUntil = -Infinity;
  let omitted = 0;
  return (fields) => {
    if (now() < quietUntil) {
      omitted += 1;
      return;
    }
    write(omitted === 0 ? fields : { ...fields, omitted });
    omitted = 0;
    quietUntil = now() + INTERVAL;
  };
}
