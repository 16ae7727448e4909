import type { ErrorCode } from './error-codes.js';
import type { Outcome } from './outcome.js';

export interface PlantStoreErrorOptions {
  readonly outcome: Outcome;
  readonly cause?: unknown;
}

/**
 * The base of every error that this package makes. It never holds the access token or the signing key.
 *
 * Errors outside of it: none is thrown on purpose; a `TypeError` means a call that TypeScript would refuse.
 */
export class PlantStoreError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'PlantStoreError', configurable: true });
  }

  /** What happened: a key of `errorCodes`. */
  readonly code: ErrorCode;
  /** Whether the plant may have reached the receiver: after several attempts, with any of them. */
  readonly outcome: Outcome;
  /** How many attempts were made; only where there is a retry policy or a rate limit (questions retry, rate-limits). */
  declare readonly attempts?: number;

  constructor(code: ErrorCode, message: string, { outcome, cause }: PlantStoreErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.outcome = outcome;
  }
}
