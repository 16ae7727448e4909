/** Fields of a line of the log. */
type Fields = Readonly<Record<string, unknown>>;

/** Writes one line of the log. */
export type WriteLine = (fields: Fields) => void;

/** Shortest time between two lines, in milliseconds. */
const INTERVAL = 1_000;

/**
 * Limits how often a message is logged that may occur for each delivery, such as a full disk. The first occurrence is
 * logged at once. Of those that follow within the interval, the last one is logged at its end, with the number of the
 * others as `omitted`.
 *
 * @param interval in milliseconds
 */
export function throttledLog(write: WriteLine, interval = INTERVAL): WriteLine {
  let latest: Fields = {};
  /** Occurrences since the last line. */
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const writeLatest = (): void => {
    timer = undefined;
    if (count === 0) return;
    write(count === 1 ? latest : { ...latest, omitted: count - 1 });
    count = 0;
    timer = setTimeout(writeLatest, interval).unref();
  };
  return (fields) => {
    latest = fields;
    count += 1;
    if (timer === undefined) writeLatest();
  };
}
