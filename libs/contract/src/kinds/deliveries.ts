/** Answers about deliveries: when one is sent again, how it is signed, how often, how large and how long it may be. */
import * as v from 'valibot';
import { MAX_DELIVERIES, MAX_SIZE_LIMIT } from '../limits.js';
import { headerName, milliseconds, refuse, textThat, wholeNumber } from './parts.js';

export const deliveryKinds = {
  /** When a delivery that was not acknowledged is sent again. */
  retry: v.strictObject({
    /** The wait before each further attempt, in milliseconds. Its length is the number of further attempts. */
    delays: v.array(milliseconds(0)),
    /** The statuses that lead to another attempt. `all`: every status that is not an acknowledgement. */
    statuses: v.union([v.array(wholeNumber(100, 599)), v.literal('all')], '"all" or a list of statuses'),
    /** Whether there is another attempt without a response: no connection, a lost one, or a time-out of the attempt. */
    withoutResponse: v.boolean(),
  }),

  /**
   * How a delivery is signed: a keyed hash over some of its parts, in a header field. Sender and receiver share the key,
   * which is a secret and not part of the answer.
   */
  signing: v.pipe(
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

  /** How many deliveries a sender may make with one access token in any span of this length. */
  'rate-limits': v.strictObject({
    deliveries: wholeNumber(1, MAX_DELIVERIES),
    /** The length of the span. */
    seconds: v.pipe(
      v.number(),
      v.check((span) => span > 0 && Number.isFinite(span), 'a number above 0'),
    ),
  }),

  /** The largest content of a delivery. */
  'size-limits': wholeNumber(1, MAX_SIZE_LIMIT, ' of bytes'),

  /** How long a delivery may take, in milliseconds. */
  'time-outs': v.strictObject({
    /** Until a receiver has the whole request. */
    delivery: milliseconds(1),
    /** Until a sender has the whole response. */
    response: milliseconds(1),
  }),
};
