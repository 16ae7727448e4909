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

/** A time that can run out, and that can stand still. */
export class Countdown {
  #left: number;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #since = 0;

  /** @param onEnd Called when the time, in milliseconds, has run out. */
  constructor(milliseconds: number, onEnd: () => void) {
    this.#left = milliseconds;
    this.#onEnd = onEnd;
  }

  /** Lets the time run out. If none is left, it ends at once. */
  run(): void {
    if (this.#timer !== undefined) return;
    if (this.#left <= 0) return this.#onEnd();
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onEnd, Math.ceil(this.#left));
  }

  /** Ends now if the time ran out while the process was busy, so that its timer had no chance. */
  check(): void {
    if (this.#timer === undefined || performance.now() - this.#since < this.#left) return;
    this.stop();
    this.#onEnd();
  }

  /** Lets the time stand still. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#since;
  }
}
