/** The request that carries the notification: where it goes, how, and in which version. */
import * as v from 'valibot';
import { CONTENT_METHODS } from '../standards.js';
import { kind } from './kind.js';
import { headerName, headerValue, mediaType as mediaTypeText, path, refuse } from './parts.js';

/** An absolute URL of HTTP: a host or an IPv6 address, a port and a path, without query and fragment. */
const ABSOLUTE_URL = /^https?:\/\/(?:[^\s/?#:@[\]<>^|%\\]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[^\s?#\\]*)?$/i;

/** HTTP over TLS, or plain HTTP to the same machine: a sender refuses any other (RFC 6750 §5.3). */
const SAFE_URL = /^(?:https:|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$))/i;

export const baseAddress = kind(
  v.pipe(
    v.string(),
    refuse((url) => /^[^/]*\/\/[^/]*@/.test(url), 'must not contain credentials, because it is published'),
    v.check(
      (url) => ABSOLUTE_URL.test(url) && SAFE_URL.test(url),
      'an absolute https URL without query and fragment (plain http only to loopback: RFC 6750 §5.3)',
    ),
  ),
);

export const httpMethod = kind(v.picklist(CONTENT_METHODS));

export const mediaType = kind(mediaTypeText);

/** How a request says which version of the interface it follows. */
export const requestVersioning = kind(
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
