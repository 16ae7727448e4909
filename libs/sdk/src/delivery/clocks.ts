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
export function createClocks(attemptTimeout: number, totalTimeout: number): Clocks {
  const attempt = clock('attemptTimeout', 'PLANT_STORE_ATTEMPT_TIMEOUT', attemptTimeout);
  const total = clock('totalTimeout', 'PLANT_STORE_TOTAL_TIMEOUT', totalTimeout);
  return Object.freeze({ attempt, total });
}

function clock(option: Clock['option'], code: ErrorCode, milliseconds: number): Clock {
  return Object.freeze({ option, code, milliseconds });
}
