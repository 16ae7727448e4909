import type { ErrorCode } from '../errors/plant-store-error.js';

/** The longest delay of a Node timer, in milliseconds. */
export const longestTimer = 2 ** 31 - 1;

/** A time after which an attempt or a delivery fails. */
export interface Clock {
  readonly milliseconds: number;
  readonly option: 'attemptTimeout' | 'totalTimeout';
  readonly code: ErrorCode;
}

/** The clocks of a sender. */
export interface Clocks {
  readonly attempt: Clock;
  readonly total: Clock;
}

/** Makes the clocks from the time-outs, in milliseconds. */
export function createClocks(settings: Readonly<Record<Clock['option'], number>>): Clocks {
  const clock = (option: Clock['option'], code: ErrorCode): Clock =>
    Object.freeze({ option, code, milliseconds: settings[option] });
  return {
    attempt: clock('attemptTimeout', 'PLANT_STORE_ATTEMPT_TIMEOUT'),
    total: clock('totalTimeout', 'PLANT_STORE_TOTAL_TIMEOUT'),
  };
}
