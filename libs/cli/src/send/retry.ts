import {
  type ErrorCode,
  NotAcknowledgedError,
  type PlantStoreError,
  type RetryOptions,
} from '@plant-store/sdk';

/** Statuses that say that a plant may be sent again: too many requests, and not available. */
const statuses = [429, 503];

const inputCodes: readonly ErrorCode[] = [
  'PLANT_STORE_CONTENT_TOO_LARGE',
  'PLANT_STORE_ENCODE_FAILED',
  'PLANT_STORE_HEADERS_FAILED',
  'PLANT_STORE_INVALID_OPTIONS',
];

/** Whether an error comes again however often the plant is sent. */
export function isInputFault({ code }: PlantStoreError): boolean {
  return inputCodes.includes(code);
}

/** The longest wait between two attempts, in milliseconds. */
const maxDelay = 60_000;

/**
 * The wait after an attempt that failed, in milliseconds: 1 s, 2 s, 4 s, up to 60 s. `undefined` after the last one, and
 * wherever the receiver may have accepted the plant or refused it for good, or the plant can't be sent.
 *
 * @param retries How many further attempts there are, from `--retry`.
 * @param attempt The number of the attempt that failed, from 1.
 */
export function delayAfter(retries: number, attempt: number, error: PlantStoreError): number | undefined {
  const isRefused = error instanceof NotAcknowledgedError && !statuses.includes(error.status);
  const isOver = attempt > retries || error.outcome === 'unknown' || isRefused || isInputFault(error);
  return isOver ? undefined : Math.min(1_000 * 2 ** (attempt - 1), maxDelay);
}

/** The retry policy of `--retry` for a sender. */
export function policyOf(retries: number): RetryOptions | false {
  if (retries === 0) return false;
  return {
    delays: (attempt, error) => delayAfter(retries, attempt, error),
    statuses,
    withoutResponse: true,
    maxRetryAfter: maxDelay,
  };
}
