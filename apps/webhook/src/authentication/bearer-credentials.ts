import { ACCESS_TOKEN_PATTERN } from '@plant-store/contract';

/** What a request says of itself in its `Authorization` fields. */
export type BearerCredentials =
  /** No `Authorization`, or one of another scheme. */
  | { readonly kind: 'none' }
  /** The bearer scheme with something that is not one token, or more than one `Authorization`. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

const NONE: BearerCredentials = { kind: 'none' };
const MALFORMED: BearerCredentials = { kind: 'malformed' };

/** The scheme, up to the first character that is none of a name (RFC 9110 §5.6.2), and what follows its spaces. */
const BEARER_SCHEME = /^bearer(?![\w!#$%&'*+.^`|~-])(?: +(.*))?/is;

/**
 * Reads bearer credentials from a request's field lines, and from nowhere else: a token in the query or
 * in the content is not looked at (RFC 6750 §2.1; RFC 9110 §11.4, §11.6.2).
 *
 * @param rawHeaders field names and values in turn, as `IncomingMessage.rawHeaders` has them
 */
export function readBearerCredentials(rawHeaders: readonly string[]): BearerCredentials {
  let authorization: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (authorization !== undefined) return MALFORMED;
    authorization = rawHeaders[index + 1];
  }
  if (authorization === undefined) return NONE;
  const match = BEARER_SCHEME.exec(authorization);
  if (match === null) return NONE;
  const [, token = ''] = match;
  return ACCESS_TOKEN_PATTERN.test(token) ? { kind: 'token', token } : MALFORMED;
}
