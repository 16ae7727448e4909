/** Writes a line of the log, about one or several occasions of the same kind. */
export type LogOccasion = (fields: Readonly<Record<string, unknown>>) => void;

/** Shortest time between two lines of the same kind, in milliseconds. */
const INTERVAL = 1_000;

/**
 * Bounds how often something is logged that may happen for each delivery, such as a disk that stays full. The first
 * occasion is logged at once; a later one says how many it stands for.
 *
 * @param now in milliseconds, of a clock that never goes back
 */
export function limitRate(
  write: LogOccasion,
  now: () => number = performance.now.bind(performance),
): LogOccasion {
  let quietUntil = -Infinity;
  let unsaid = 0;
  return (fields) => {
    if (now() < quietUntil) {
      unsaid += 1;
      return;
    }
    write(unsaid === 0 ? fields : { ...fields, unsaid });
    unsaid = 0;
    quietUntil = now() + INTERVAL;
  };
}
