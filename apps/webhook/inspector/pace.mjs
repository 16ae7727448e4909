/** At 15,000 deliveries a second, the page still changes at most once a second. */
const INTERVAL = 1_000;

/**
 * Makes a function that calls `work` soon after it was asked to: at most once an interval, and not while it is still at
 * work.
 *
 * @param {() => Promise<void>} work must not reject
 */
export function calmly(work) {
  let isWanted = false;
  let isBusy = false;
  return async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await Promise.all([work(), new Promise((resolve) => setTimeout(resolve, INTERVAL))]);
    }
    isBusy = false;
  };
}
