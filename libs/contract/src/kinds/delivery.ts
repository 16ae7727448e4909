/** Who sends a delivery, how a receiver recognises it, and when it is sent again. */
import * as v from 'valibot';
import { isPointer } from '../json-pointer.js';
import { kind } from './kind.js';
import { headerName, headerValue, milliseconds, path, refuse, said, textThat, wholeNumber } from './parts.js';

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return source !== '';
  } catch {
    return false;
  }
}

/** What access tokens look like. They are compared whole, whatever their format. */
const tokenFormat = kind(
  v.strictObject({
    /** The name of the format. OpenAPI shows it as `bearerFormat`. */
    name: said,
    /**
     * Source of a regular expression that every token must match, in addition to the syntax of RFC 6750 §2.1. It may
     * match anywhere in a token: begin with `^` and end with `$` to match all of it.
     */
    pattern: textThat(isPattern, 'a regular expression that is not empty'),
  }),
);

/** The name of a realm (RFC 9110 §11.5). */
const authenticationRealm = kind(headerValue);

/** Where the identifier of an event is. */
const eventIdentity = kind(
  v.union([
    v.strictObject({ header: headerName }),
    v.strictObject({
      /** In JSON content, as text or a number (RFC 6901). */
      pointer: path(isPointer, 'a JSON Pointer to a field, such as /id'),
    }),
  ]),
);

/**
 * How a delivery is signed: a keyed hash over some of its parts, in a header field. Sender and receiver share the key,
 * which is a secret and not part of the answer.
 */
const signing = kind(
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

/** When a delivery that was not acknowledged is sent again. */
const retry = kind(
  v.strictObject({
    /** The wait before each further attempt, in milliseconds. Its length is the number of further attempts. */
    delays: v.array(milliseconds(0)),
    /** The statuses that lead to another attempt. `all`: every status that is not an acknowledgement. */
    statuses: v.union([v.array(wholeNumber(100, 599)), v.literal('all')], '"all" or a list of statuses'),
    /** Whether there is another attempt without a response: no connection, a lost one, or a time-out of the attempt. */
    withoutResponse: v.boolean(),
  }),
);

export const deliveryKinds = {
  'token-format': tokenFormat,
  'authentication-realm': authenticationRealm,
  'event-identity': eventIdentity,
  signing,
  retry,
};
