/** Fields of a line of the log. */
type Fields = Readonly<Record<string, unknown>>;

/** Writes one line of the log. */
export type WriteLine = (fields: Fields) => void;

/**
 * Limits how often a message is logged that may occur for each delivery, such as a full disk. The first occurrence is
 * logged at once. Of those that follow within the interval, the last one is logged at its end, with their number as
 * `times`.
 *
 * @param interval the shortest time between two lines, in milliseconds
 */
export function throttledLog(write: WriteLine, interval = 1_000): WriteLine {
  let latest: Fields = {};
  /** Occurrences since the last line. */
  let times = 0;
  let timer: NodeJS.Timeout | undefined;
  const writeLatest = (): void => {
    timer = undefined;
    if (times === 0) return;
    write(times === 1 ? latest : { ...latest, times });
    times = 0;
    timer = setTimeout(writeLatest, interval).unref();
  };
  return (fields) => {
    latest = fields;
    times += 1;
    if (timer === undefined) writeLatest();
  };
}
