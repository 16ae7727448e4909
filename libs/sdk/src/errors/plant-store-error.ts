/**
 * What the sender knows about a delivery that failed.
 *
 * - `not-sent`: no byte of the request was handed to a connection. It is safe to send again.
 * - `unknown`: the request was handed to a connection, and no final status of the receiver came back: none at all, or
 *   502 or 504, which a gateway sends that got none. The receiver may have accepted the plant; sending again may deliver
 *   it twice.
 * - `responded`: another final status came back that does not acknowledge the delivery. Usually the
 *   receiver has not accepted the plant. It may have, if it failed while it stored it; sending again may then deliver it
 *   twice.
 */
export type Outcome = 'not-sent' | 'unknown' | 'responded';

/** After `responded`, the receiver has refused the plant. After `unknown`, it may have accepted it. */
const worstLast = ['not-sent', 'responded', 'unknown'] as const satisfies readonly Outcome[];

/** Whether a value is an outcome. */
export function isOutcome(value: unknown): value is Outcome {
  return worstLast.includes(value as Outcome);
}

/** The worst outcome of several attempts: `unknown` if one of them is, else `responded` if one of them is. */
export function combineOutcomes(one: Outcome, other: Outcome): Outcome {
  return worstLast.indexOf(one) > worstLast.indexOf(other) ? one : other;
}

interface ErrorCodeEntry {
  /** The outcomes that an error with this code can have after one attempt. */
  readonly outcomes: readonly Outcome[];
  /** What happened, in one sentence. */
  readonly meaning: string;
}

function entry(meaning: string, ...outcomes: Outcome[]): ErrorCodeEntry {
  return Object.freeze({ meaning, outcomes: Object.freeze(outcomes) });
}

/** Every error code of this package, with its meaning and its possible outcomes. */
export const errorCodes = Object.freeze({
  PLANT_STORE_INVALID_OPTIONS: entry(
    'Options of the sender or of `send` are missing or invalid; `faults` lists all of them.',
    'not-sent',
  ),
  PLANT_STORE_SENDER_CLOSED: entry('`send` was called after `close`.', 'not-sent'),
  PLANT_STORE_ENCODE_FAILED: entry(
    '`encode` threw, or returned no content, an invalid media type, or another one than the answered one.',
    'not-sent',
  ),
  PLANT_STORE_CONTENT_TOO_LARGE: entry(
    'The content is larger than the answer to the question size-limits allows, or than an outbox takes.',
    'not-sent',
  ),
  PLANT_STORE_ACCESS_TOKEN_FAILED: entry(
    'The `accessToken` function threw, or returned an invalid access token.',
    'not-sent',
  ),
  PLANT_STORE_HEADERS_FAILED: entry(
    'The `headers` function threw, or returned an invalid or reserved header.',
    'not-sent',
  ),
  PLANT_STORE_SIGNING_KEY_FAILED: entry(
    'The `signingKey` function threw, or returned a key in another form than the answered one.',
    'not-sent',
  ),
  PLANT_STORE_CONNECT_FAILED: entry('The connection to the receiver failed.', 'not-sent'),
  PLANT_STORE_CONNECT_TIMEOUT: entry('Connecting took longer than `connectTimeout`.', 'not-sent'),
  PLANT_STORE_ATTEMPT_TIMEOUT: entry(
    'No final status arrived within `attemptTimeout`.',
    'not-sent',
    'unknown',
  ),
  PLANT_STORE_TOTAL_TIMEOUT: entry('No final status arrived within `totalTimeout`.', 'not-sent', 'unknown'),
  PLANT_STORE_ABORTED: entry(
    "The caller's `signal` was aborted, or the sender was closed with `force`.",
    'not-sent',
    'unknown',
    'responded',
  ),
  PLANT_STORE_CONNECTION_LOST: entry(
    'The connection closed before a final status arrived.',
    'not-sent',
    'unknown',
  ),
  PLANT_STORE_RESPONSE_UNREADABLE: entry(
    'The response is not valid HTTP/1.1, or its header section is too large.',
    'unknown',
  ),
  PLANT_STORE_NOT_ACKNOWLEDGED: entry(
    'The response has a status that does not acknowledge the delivery.',
    'unknown',
    'responded',
  ),
  PLANT_STORE_RETRY_FAILED: entry(
    'The function `retry.delays` threw, or returned something other than milliseconds.',
    'not-sent',
    'unknown',
    'responded',
  ),
  PLANT_STORE_ATTEMPT_CUT_OFF: entry('A relay ended during the attempt, or lost its database.', 'unknown'),
});

/** Code of an error of this package. Codes are stable: compare them, not classes or messages. */
export type ErrorCode = keyof typeof errorCodes;

/** What a {@link PlantStoreError} has beside its code and its message. */
export interface PlantStoreErrorOptions {
  /** Whether the plant may have reached the receiver. */
  readonly outcome: Outcome;
  /** What made the delivery fail, if something was thrown. */
  readonly cause?: unknown;
}

/**
 * The base class of every error that this package throws. It never contains the access token or the signing key.
 */
export class PlantStoreError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'PlantStoreError', configurable: true });
  }

  /** What happened: a key of `errorCodes`. */
  readonly code: ErrorCode;
  /** Whether the plant may have reached the receiver, in any of the attempts. */
  readonly outcome: Outcome;
  /** How many attempts were made. Only set with a retry policy or a rate limit (questions retry, rate-limits). */
  declare readonly attempts?: number;

  constructor(code: ErrorCode, message: string, { outcome, cause }: PlantStoreErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.outcome = outcome;
  }
}

/** An error before any byte of a request was handed to a connection. */
export function notSent(code: ErrorCode, message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError(code, message, { outcome: 'not-sent', cause });
}
