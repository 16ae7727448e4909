import { ACCESS_TOKEN_PATTERN } from '@plant-store/contract';
import type { AccessToken } from './access-token.js';
import { Fault } from './fault.js';

/** What an access token has to look like. */
export interface TokenSyntax {
  /** Whether a value is one whole access token. */
  readonly matches: (value: unknown) => value is string;
  /** What it has to consist of, for messages. */
  readonly description: string;
}

const b64token = 'letters, digits and - . _ ~ + /, then any number of = (b64token, RFC 6750 §2.1)';

/** The syntax that RFC 6750 settles, and the answered format beside it (question token-format). */
export function tokenSyntax(format: RegExp | undefined): TokenSyntax {
  if (format === undefined) return { matches: isB64token, description: b64token };
  return {
    matches: (value): value is string => isB64token(value) && format.test(value),
    description: `${b64token}, in the format ${String(format)} (question token-format)`,
  };
}

function isB64token(value: unknown): value is string {
  return typeof value === 'string' && ACCESS_TOKEN_PATTERN.test(value);
}

/** Reads `accessToken`. What it holds never becomes part of a fault. */
export function readAccessToken(option: unknown, syntax: TokenSyntax): AccessToken {
  if (option === undefined) {
    throw new Fault('accessToken', 'is missing: a string, or a function that gives one.', 'token-issuance');
  }
  if (typeof option === 'function') return option as AccessToken;
  if (!syntax.matches(option)) throw new Fault('accessToken', `must consist of ${syntax.description}.`);
  return option;
}
