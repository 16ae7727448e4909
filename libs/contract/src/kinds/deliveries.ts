/** Answers about deliveries: when one is sent again, how it is signed, how often, how large and how long it may be. */
import * as v from 'valibot';
import { MAX_DELIVERIES, MAX_SIZE_LIMIT } from '../limits.js';
import { type AnswerOf, kind } from './kind.js';
import { headerName, milliseconds, refuse, textThat, wholeNumber } from './parts.js';

/** When a delivery that was not acknowledged is sent again (question `retry`). */
const retryPolicy = kind(
  v.strictObject({
    /** The wait before each further attempt, in milliseconds. Its length is the number of further attempts. */
    delays: v.array(milliseconds(0)),
    /** The statuses that lead to another attempt. `all`: every status that is not an acknowledgement. */
    statuses: v.union([v.array(wholeNumber(100, 599)), v.literal('all')], '"all" or a list of statuses'),
    /** Whether there is another attempt without a response: no connection, a lost one, or a time-out of the attempt. */
    withoutResponse: v.boolean(),
  }),
);
export type RetryPolicy = AnswerOf<typeof retryPolicy>;

/**
 * How a delivery is signed (question `signing`): a keyed hash over some of its parts, in a header field. Sender and
 * receiver share the key, which is a secret and not part of the answer.
 */
const signingScheme = kind(
  v.pipe(
    v.strictObject({
      /** HMAC (RFC 2104) with this hash. */
      algorithm: v.picklist(['hmac-sha256', 'hmac-sha512']),
      /** The parts that are signed, in this order. `event-id` is the value of the header that `event-identity` names. */
      signed: v.pipe(
        v.array(v.picklist(['event-id', 'timestamp', 'content'])),
        refuse((parts) => !parts.includes('content'), 'must include the content'),
      ),
      /** Stands between the parts. */
      separator: v.string(),
      /**
       * The header that carries the signature. It may carry several, separated by spaces, for instance while a key is
       * replaced. One valid signature is enough.
       */
      signature: v.strictObject({
        header: headerName,
        prefix: textThat(/^[!-~]*$/, 'printable ASCII without spaces'),
        encoding: v.picklist(['base64', 'hex']),
      }),
      /** The header that carries the time of sending, in seconds since 1970, and how far that time may be off. */
      timestamp: v.optional(
        v.strictObject({ header: headerName, toleranceSeconds: wholeNumber(0, Number.MAX_SAFE_INTEGER) }),
      ),
      /** How a key is written in the configuration: a prefix, then the key in this encoding, as `KEY_PATTERNS` says. */
      key: v.strictObject({
        prefix: textThat(
          /^(?!#)[!-+\--~]*$/,
          'printable ASCII without spaces and commas that does not begin with #',
        ),
        encoding: v.picklist(['base64', 'utf8']),
      }),
    }),
    refuse(
      ({ signed, timestamp }) => signed.includes('timestamp') && timestamp === undefined,
      'signs the timestamp, so `timestamp` must name its header',
    ),
  ),
);
export type SigningScheme = AnswerOf<typeof signingScheme>;

/** How many deliveries a sender may make with one access token in any span of this length (question `rate-limits`). */
const rateLimit = kind(
  v.strictObject({
    deliveries: wholeNumber(1, MAX_DELIVERIES),
    /** The length of the span. */
    seconds: v.pipe(
      v.number(),
      v.check((span) => span > 0 && Number.isFinite(span), 'a number above 0'),
    ),
  }),
);
export type RateLimit = AnswerOf<typeof rateLimit>;

/** The largest content of a delivery (question `size-limits`). */
const sizeLimit = kind(wholeNumber(1, MAX_SIZE_LIMIT, ' of bytes'));

/** How long a delivery may take (question `time-outs`), in milliseconds. */
const timeOuts = kind(
  v.strictObject({
    /** Until a receiver has the whole request. */
    delivery: milliseconds(1),
    /** Until a sender has the whole response. */
    response: milliseconds(1),
  }),
);

export type TimeOuts = AnswerOf<typeof timeOuts>;

export const deliveryKinds = {
  'rate-limits': rateLimit,
  retry: retryPolicy,
  signing: signingScheme,
  'size-limits': sizeLimit,
  'time-outs': timeOuts,
};
