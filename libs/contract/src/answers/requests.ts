/** Answers about the parts of a request: its target, its access token, its identifier, its version. */
import { headerNameFaults, headerValueFaults, textFaults, unless } from './checks.js';
import { isPointer } from './json-pointer.js';

/**
 * Where the identifier of an event is (question `event-identity`): in a header field, or in JSON content at a
 * JSON Pointer (RFC 6901), as text or a number.
 */
export type EventIdentity = { readonly header: string } | { readonly pointer: `/${string}` };

/** What access tokens look like (question `token-format`). They are compared whole, whatever their format. */
export interface TokenFormat {
  /** The name of the format. OpenAPI shows it as `bearerFormat`. */
  readonly name: string;
  /**
   * Source of a regular expression that every token must match, in addition to the syntax of RFC 6750 §2.1. It may
   * match anywhere in a token: begin with `^` and end with `$` to match all of it.
   */
  readonly pattern: string;
}

/**
 * How a request says which version of the interface it follows (question `request-versioning`): with a fixed value
 * in a header field, or with a prefix of the delivery path.
 */
export type VersionScheme =
  { readonly header: string; readonly value: string } | { readonly pathPrefix: `/${string}` };

/** Path segments without escapes, wildcards or dots that would be resolved. */
const PATH_PREFIX = /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/;

/** An absolute URL of HTTP: a host or an IPv6 address, a port and a path, without query and fragment. */
const ABSOLUTE_URL = /^https?:\/\/(?:[^\s/?#:@[\]<>^|%\\]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[^\s?#\\]*)?$/i;

/** Plain HTTP to the same machine. */
const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)/i;

export function baseAddressFaults(url: string): string[] {
  // The message must not repeat a password.
  if (/^[^/]*\/\/[^/]*@/.test(url)) return ['must not contain credentials, because it is published'];
  if (!ABSOLUTE_URL.test(url)) {
    return [`must be an absolute https URL without query and fragment (got ${url})`];
  }
  return unless(
    /^https:/i.test(url) || LOOPBACK.test(url),
    `must begin with https://, because a sender refuses plain HTTP except to loopback (RFC 6750 §5.3; got ${url})`,
  );
}

export function eventIdentityFaults(identity: EventIdentity): string[] {
  return 'header' in identity
    ? headerNameFaults(identity.header)
    : unless(
        isPointer(identity.pointer),
        `pointer must be a JSON Pointer to a field, such as /id (got ${JSON.stringify(identity.pointer)})`,
      );
}

export function tokenFormatFaults({ name, pattern }: TokenFormat): string[] {
  return [
    ...textFaults('name', name),
    ...unless(
      pattern !== '' && isPattern(pattern),
      `pattern must be a regular expression that is not empty (got ${JSON.stringify(pattern)})`,
    ),
  ];
}

export function versionSchemeFaults(scheme: VersionScheme): string[] {
  return 'header' in scheme
    ? [...headerNameFaults(scheme.header), ...headerValueFaults('value', scheme.value)]
    : unless(
        PATH_PREFIX.test(scheme.pathPrefix),
        `pathPrefix must be one or more plain path segments, such as /v1 (got ${scheme.pathPrefix})`,
      );
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
