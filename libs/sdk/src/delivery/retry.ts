import { type ExecutableAnswers, readRetryAfter } from '@plant-store/contract';
import { ignore, isPromiseLike } from '../encoders/promise-like.js';
import { type ErrorCode, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { isNotAcknowledged, type SenderError } from '../errors/sender-error.js';
import { longestTimer } from './clocks.js';

/** When a delivery that was not acknowledged is sent again, as far as an answer can say it. */
export type RetryPolicy = ExecutableAnswers['retry'];

/** When a delivery that was not acknowledged is sent again. It is more than an answer to the question retry can be. */
export interface RetryOptions extends Omit<RetryPolicy, 'delays'> {
  /** The wait before each further attempt, in milliseconds, or a function that returns it. */
  readonly delays: RetryPolicy['delays'] | RetryDelay;
  /**
   * The part of a delay that is random, from 0 to 1: a delay is shortened by up to that part. With 0.5 it takes between
   * half of its time and all of it.
   *
   * @default 0
   */
  readonly jitter?: number | undefined;
  /**
   * The longest `Retry-After` of a response that is waited for, in milliseconds (RFC 9110 §10.2.3). A longer one counts
   * as this one. The wait is at least the delay.
   *
   * @default 0, which means that `Retry-After` is ignored
   */
  readonly maxRetryAfter?: number | undefined;
}

/** What a retry policy is told. */
export interface FailedAttempt {
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** Why it failed. */
  readonly error: SenderError;
  /** The worst one of all attempts so far: `unknown` if one of them ended so, else `responded`, else `not-sent`. */
  readonly outcome: Outcome;
}

/**
 * Returns the wait before the next attempt, in milliseconds from 0 to 2147483647, or `undefined` for no further one. It
 * is called after each attempt that `statuses` and `withoutResponse` let repeat.
 */
export type RetryDelay = (failed: FailedAttempt) => number | undefined;

/** The policy of a sender, checked. */
export type Retry = { readonly [Name in keyof RetryOptions]-?: Exclude<RetryOptions[Name], undefined> };

/**
 * The wait before the next attempt, in milliseconds; `undefined` if there is none.
 *
 * @throws PlantStoreError if the function `delays` fails.
 */
export function waitBeforeRetry(retry: Retry, failed: FailedAttempt): number | undefined {
  const { attempt, error } = failed;
  if (!isRetried(retry, error)) return undefined;
  const delay =
    typeof retry.delays === 'function' ? callDelays(retry.delays, failed) : retry.delays[attempt - 1];
  if (delay === undefined) return undefined;
  const retryAfter = isNotAcknowledged(error) ? readRetryAfter(error.headers['retry-after']) : 0;
  return Math.max(delay * (1 - retry.jitter * Math.random()), Math.min(retryAfter, retry.maxRetryAfter));
}

/** No connection, a lost connection, or a time-out of an attempt. */
const codesWithoutResponse: readonly ErrorCode[] = [
  'PLANT_STORE_CONNECT_FAILED',
  'PLANT_STORE_CONNECT_TIMEOUT',
  'PLANT_STORE_CONNECTION_LOST',
  'PLANT_STORE_ATTEMPT_TIMEOUT',
];

/** Whether the policy asks for another attempt after this error. */
function isRetried({ statuses, withoutResponse }: Retry, error: PlantStoreError): boolean {
  return isNotAcknowledged(error)
    ? statuses === 'all' || statuses.includes(error.status)
    : withoutResponse && codesWithoutResponse.includes(error.code);
}

function callDelays(delays: RetryDelay, failed: FailedAttempt): number | undefined {
  let delay: unknown;
  try {
    delay = delays(Object.freeze(failed));
  } catch (cause) {
    throw retryFailed('threw an error; see `cause`.', failed, cause);
  }
  if (delay === undefined || isTime(delay)) return delay;
  if (isPromiseLike(delay)) ignore(delay);
  const returned = typeof delay === 'number' ? delay : typeof delay;
  const problem = `must return milliseconds from 0 to ${longestTimer}, or undefined (got ${returned}).`;
  throw retryFailed(problem, failed, failed.error);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= longestTimer;
}

function retryFailed(
  problem: string,
  { attempt, error, outcome }: FailedAttempt,
  cause: unknown,
): PlantStoreError {
  const message = `After attempt ${attempt} (${error.code}), \`retry.delays\` ${problem}`;
  return new PlantStoreError('PLANT_STORE_RETRY_FAILED', message, { outcome, cause });
}
