/** The longest delay of a Node timer, in milliseconds. */
export const longestTimer = 2 ** 31 - 1;

/** Each option with a time after which an attempt or a delivery fails, and the code of its error. */
export const clockCodes = {
  attemptTimeout: 'PLANT_STORE_ATTEMPT_TIMEOUT',
  totalTimeout: 'PLANT_STORE_TOTAL_TIMEOUT',
} as const;

/** The option that sets the time of a clock. */
export type Clock = keyof typeof clockCodes;

/**
 * Calls back after so many milliseconds, once Node has read what arrived meanwhile. In a process that was stopped or
 * busy, timers would otherwise run out before the response that is there is read.
 *
 * @returns Stops the clock.
 */
export function startClock(milliseconds: number, callback: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (immediate = setImmediate(callback)), milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** The times of the clocks, in milliseconds. */
export type ClockTimes = Readonly<Record<Clock, number>>;
