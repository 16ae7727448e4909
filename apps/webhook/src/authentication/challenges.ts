import { BEARER, type Failure } from '@plant-store/contract';

import { Refusal } from '../http/refusal.js';

/**
 * Why credentials are refused, with `WWW-Authenticate`: the scheme, and the error if the request had credentials
 * (RFC 6750 §3.1).
 */
export interface Challenges {
  readonly missing: Refusal;
  readonly malformed: Refusal;
  readonly wrong: Refusal;
}

/** Injection token of the {@link Challenges}. */
export const CHALLENGES = Symbol('Challenges');

/** Makes the challenges, with a realm if it is answered (question `authentication-realm`). */
export function makeChallenges(realm: string | undefined): Challenges {
  const named = realm === undefined ? [] : [`realm=${quoted(realm)}`];
  const challenge = (failure: Failure, error?: 'invalid_request' | 'invalid_token'): Refusal => {
    const parameters = error === undefined ? named : [...named, `error=${quoted(error)}`];
    const value = [BEARER, parameters.join(', ')].filter(Boolean).join(' ');
    return new Refusal(failure, { 'www-authenticate': value });
  };
  return Object.freeze({
    missing: challenge('credentials-missing'),
    malformed: challenge('credentials-malformed', 'invalid_request'),
    wrong: challenge('token-invalid', 'invalid_token'),
  });
}

/** RFC 9110 §5.6.4. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
