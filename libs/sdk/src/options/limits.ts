import { longestTimer } from '../delivery/clocks.js';
import type { RetryOptions } from '../delivery/retry.js';

/** The limits that protect the process that sends. Times are whole milliseconds from 1 to 2147483647. */
export interface SenderLimits {
  /**
   * How long connecting may take, resolving the name and TLS included.
   *
   * @default 5000
   */
  readonly connectTimeout?: number | undefined;
  /**
   * How long an attempt may take to the end of the response. It begins when one of `maxConnections` is free for it, the
   * rate limit has room, and the access token is there. Connecting is included. Once the question time-outs is answered,
   * the default is the answer.
   *
   * @default 15000
   */
  readonly attemptTimeout?: number | undefined;
  /**
   * How long a whole `send` may take: `encode`, waiting for one of `maxConnections` and for the rate limit, the access
   * token, every attempt, and the delays between them.
   *
   * The default is at least an answered time-out. With a retry policy it also covers `attemptTimeout` for each further
   * attempt and all delays (or `maxRetryAfter`, if that is longer), but not those of a function.
   *
   * @default 30000
   */
  readonly totalTimeout?: number | undefined;
  /**
   * How many bytes of a response's content are kept. If there are more, the content is cut off and the connection is
   * closed; the status counts as usual. 0 keeps none.
   *
   * @default 65536
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * How many connections may be open, each with one request at a time. Further attempts wait, first come first served,
   * until `totalTimeout` runs out.
   *
   * @default 64
   */
  readonly maxConnections?: number | undefined;
  /**
   * How long a connection is used, in milliseconds. The next one resolves the name of the receiver again, so that a
   * change in DNS is noticed although the sender is never idle.
   *
   * @default 60000
   */
  readonly maxConnectionAge?: number | undefined;
  /**
   * Whether the access token may be sent over plain HTTP to an address that isn't loopback. RFC 6750 §5.3 forbids it
   * (question transport-security).
   *
   * @default false
   */
  readonly allowInsecureTransport?: boolean | undefined;
}

/**
 * The defaults of the limits. They are local: the specification shows no limits and no time-outs (questions
 * time-outs, size-limits, rate-limits), and nothing here is promised to a receiver.
 */
export const limitDefaults = Object.freeze({
  connectTimeout: 5_000,
  attemptTimeout: 15_000,
  totalTimeout: 30_000,
  maxResponseBytes: 65_536,
  maxConnections: 64,
  maxConnectionAge: 60_000,
  allowInsecureTransport: false,
});

/**
 * The default of `totalTimeout`: enough for an answered time-out, and for every attempt and delay of a policy. The
 * delays of a function aren't known.
 */
export function defaultTotalTimeout(
  answeredTimeout: number | undefined,
  attemptTimeout: number,
  retry: Pick<RetryOptions, 'delays' | 'maxRetryAfter'> | undefined,
): number {
  const { delays = [], maxRetryAfter = 0 } = retry ?? {};
  const waits = typeof delays === 'function' ? [] : delays.map((delay) => Math.max(delay, maxRetryAfter));
  const oneAttempt = Math.max(limitDefaults.totalTimeout, answeredTimeout ?? 0);
  return Math.min(
    waits.reduce((total, wait) => total + wait + attemptTimeout, oneAttempt),
    longestTimer,
  );
}
