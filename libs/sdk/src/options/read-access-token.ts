import { ACCESS_TOKEN_PATTERN } from '@plant-store/contract';
import type { AccessToken } from './access-token.js';
import { Fault } from './fault.js';

/** What an access token has to be, for messages. */
export const ACCESS_TOKEN_SYNTAX =
  'letters, digits and - . _ ~ + /, then any number of = (b64token, RFC 6750 §2.1)';

/** Whether a value is one whole access token. */
export function isAccessToken(value: unknown): value is string {
  return typeof value === 'string' && ACCESS_TOKEN_PATTERN.test(value);
}

/** Reads `accessToken`. What it holds never becomes part of a fault. */
export function readAccessToken(option: unknown): AccessToken {
  if (option === undefined) {
    throw new Fault('accessToken', 'is missing: a string, or a function that gives one.', 'token-issuance');
  }
  if (typeof option === 'function') return option as AccessToken;
  if (!isAccessToken(option)) throw new Fault('accessToken', `must consist of ${ACCESS_TOKEN_SYNTAX}.`);
  return option;
}
