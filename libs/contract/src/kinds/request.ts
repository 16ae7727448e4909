/** The request that carries the notification: where it goes, how, and in which version. */
import * as v from 'valibot';
import { DELIVERY_PATH } from '../facts.js';
import { CONTENT_METHODS } from '../standards.js';
import { kind } from './kind.js';
import { headerName, headerValue, mediaType as mediaTypeText, path, refuse } from './parts.js';

/** Browsers and Node.js have it. */
declare const URL: { readonly canParse: (text: string) => boolean };

/**
 * An absolute URL of HTTP in printable ASCII (RFC 3986 §2): a host or an IPv6 address, a port and a path, without query
 * and fragment.
 */
const ABSOLUTE_URL =
  /^(?=[!-~]+$)https?:\/\/(?:[^/?#:@[\]<>^|%\\]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[^?#\\]*)?$/i;

/** HTTP over TLS, or plain HTTP to the same machine: a sender refuses any other (RFC 6750 §5.3). */
const SAFE_URL = /^(?:https:|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$))/i;

const baseAddress = kind(
  v.pipe(
    v.string(),
    refuse((url) => /^[^/]*\/\/[^/]*@/.test(url), 'must not contain credentials, because it is published'),
    refuse(
      (url) => url.replace(/\/$/, '').endsWith(DELIVERY_PATH),
      `must not end in ${DELIVERY_PATH}, because senders append it`,
    ),
    v.check(
      (url) => ABSOLUTE_URL.test(url) && SAFE_URL.test(url) && URL.canParse(url),
      'an absolute https URL without query and fragment (plain http only to loopback: RFC 6750 §5.3)',
    ),
  ),
);

const httpMethod = kind(v.picklist(CONTENT_METHODS));

const mediaType = kind(mediaTypeText);

/** How a request says which version of the interface it follows. */
const requestVersioning = kind(
  v.union([
    /** With a fixed value in a header field. */
    v.strictObject({ header: headerName, value: headerValue }),
    /** With a prefix of the delivery path. */
    v.strictObject({
      /** Path segments without escapes, wildcards or dots that would be resolved. */
      pathPrefix: path(
        (prefix) => /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/.test(prefix),
        'one or more plain path segments, such as /v1',
      ),
    }),
  ]),
);

export const requestKinds = {
  'base-address': baseAddress,
  'http-method': httpMethod,
  'media-type': mediaType,
  'request-versioning': requestVersioning,
};
