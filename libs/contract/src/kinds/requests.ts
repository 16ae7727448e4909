/** Answers about the parts of a request: its target, its access token, its identifier, its version. */
import * as v from 'valibot';
import { isPointer } from '../json-pointer.js';
import { CONTENT_METHODS } from '../standards.js';
import { headerName, headerValue, mediaType, refuse, said, textThat } from './parts.js';

/** An absolute URL of HTTP: a host or an IPv6 address, a port and a path, without query and fragment. */
const ABSOLUTE_URL = /^https?:\/\/(?:[^\s/?#:@[\]<>^|%\\]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[^\s?#\\]*)?$/i;

/** HTTP over TLS, or plain HTTP to the same machine: a sender refuses any other (RFC 6750 §5.3). */
const SAFE_URL = /^(?:https:|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$))/i;

type Path = `/${string}`;
const path = (isPath: (text: string) => boolean, what: string) =>
  v.pipe(
    v.custom<Path>((value) => typeof value === 'string', what),
    v.check<Path, string>(isPath, what),
  );

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return source !== '';
  } catch {
    return false;
  }
}

export const requestKinds = {
  /** The name of a realm (RFC 9110 §11.5). */
  'authentication-realm': headerValue,
  'base-address': v.pipe(
    v.string(),
    refuse((url) => /^[^/]*\/\/[^/]*@/.test(url), 'must not contain credentials, because it is published'),
    v.check(
      (url) => ABSOLUTE_URL.test(url) && SAFE_URL.test(url),
      'an absolute https URL without query and fragment (plain http only to loopback: RFC 6750 §5.3)',
    ),
  ),
  /** Where the identifier of an event is. */
  'event-identity': v.union([
    v.strictObject({ header: headerName }),
    v.strictObject({
      /** In JSON content, as text or a number (RFC 6901). */
      pointer: path(isPointer, 'a JSON Pointer to a field, such as /id'),
    }),
  ]),
  'http-method': v.picklist(CONTENT_METHODS),
  'media-type': mediaType,
  /**
   * How a request says which version of the interface it follows: with a fixed value in a header field, or with a prefix
   * of the delivery path.
   */
  'request-versioning': v.union([
    v.strictObject({ header: headerName, value: headerValue }),
    v.strictObject({
      /** Path segments without escapes, wildcards or dots that would be resolved. */
      pathPrefix: path(
        (prefix) => /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/.test(prefix),
        'one or more plain path segments, such as /v1',
      ),
    }),
  ]),
  /** What access tokens look like. They are compared whole, whatever their format. */
  'token-format': v.strictObject({
    /** The name of the format. OpenAPI shows it as `bearerFormat`. */
    name: said,
    /**
     * Source of a regular expression that every token must match, in addition to the syntax of RFC 6750 §2.1. It may
     * match anywhere in a token: begin with `^` and end with `$` to match all of it.
     */
    pattern: textThat(isPattern, 'a regular expression that is not empty'),
  }),
};
