import { type ErrorCode } from '../errors/error-codes.js';

/** A span of time after which a delivery is given up. */
export interface Clock {
  readonly milliseconds: number;
  readonly option: 'attemptTimeout' | 'totalTimeout';
  readonly code: ErrorCode;
}

/** The clocks of a sender, settled when it is made. */
export interface Clocks {
  readonly attempt: Clock;
  readonly total: Clock;
  /** The one that runs out first where attempt and delivery begin together. */
  readonly first: Clock;
}

/** Makes the clocks from the time-outs. */
export function createClocks(attemptTimeout: number, totalTimeout: number): Clocks {
  const attempt = clock('attemptTimeout', 'PLANT_STORE_ATTEMPT_TIMEOUT', attemptTimeout);
  const total = clock('totalTimeout', 'PLANT_STORE_TOTAL_TIMEOUT', totalTimeout);
  return Object.freeze({ attempt, total, first: attemptTimeout < totalTimeout ? attempt : total });
}

function clock(option: Clock['option'], code: ErrorCode, milliseconds: number): Clock {
  return Object.freeze({ option, code, milliseconds });
}
