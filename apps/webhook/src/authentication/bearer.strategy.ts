import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ACCESS_TOKEN_PATTERN, BEARER, type Failure } from '@plant-store/contract';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';

import { linesOf } from '../http/message.js';
import { Refusal } from '../http/refusal.js';
import type { AccessTokenSource } from './access-token-source.js';

/** What the `Authorization` fields of a request contain. */
export type BearerCredentials =
  /** No `Authorization`, or another scheme. */
  | { readonly kind: 'missing' }
  /** The bearer scheme without exactly one token, or more than one `Authorization`. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

/** The scheme, up to the first character that can't be part of its name (RFC 9110 §5.6.2), and what follows the spaces. */
const BEARER_SCHEME = /^bearer(?![\w!#$%&'*+.^`|~-])(?: +(.*))?/is;

/**
 * Reads bearer credentials (RFC 6750 §2.1; RFC 9110 §11.4, §11.6.2).
 *
 * @param authorizations the values of a request's `Authorization` lines
 */
export function readBearerCredentials(authorizations: readonly string[]): BearerCredentials {
  if (authorizations.length > 1) return { kind: 'malformed' };
  const match = BEARER_SCHEME.exec(authorizations[0] ?? '');
  if (match === null) return { kind: 'missing' };
  const [, token = ''] = match;
  return ACCESS_TOKEN_PATTERN.test(token) ? { kind: 'token', token } : { kind: 'malformed' };
}

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

/** Represents an accepted token, and stays the same for as long as the token is accepted. It can't be turned back. */
export type AcceptedToken = Readonly<Uint8Array>;

/** Of a digest, in hexadecimal digits. */
const DIGEST_LENGTH = 64;

/**
 * The access tokens that are accepted now. They are compared by their digests, so that a comparison takes the same time
 * however much a candidate shares with a token.
 */
export class AccessTokens {
  readonly #source: Pick<AccessTokenSource, 'tokens'>;
  /** The list of tokens whose digests these are. */
  #tokens: readonly string[] = [];
  #digests: readonly Buffer[] = [];
  /** The digest of a candidate. A new buffer for each request would cost three times as much as its digest. */
  readonly #candidate = Buffer.alloc(DIGEST_LENGTH);

  constructor(source: Pick<AccessTokenSource, 'tokens'>) {
    this.#source = source;
  }

  /** The accepted token that equals the candidate. Compares with every one of them, in constant time. */
  find(candidate: string): AcceptedToken | undefined {
    if (this.#source.tokens !== this.#tokens) this.#replace(this.#source.tokens);
    this.#candidate.write(digestOf(candidate), 'latin1');
    let found: AcceptedToken | undefined;
    for (const accepted of this.#digests) {
      if (timingSafeEqual(accepted, this.#candidate)) found = accepted;
    }
    return found;
  }

  #replace(tokens: readonly string[]): void {
    const before = new Map(this.#digests.map((digest) => [digest.toString('latin1'), digest]));
    this.#digests = tokens.map((token) => {
      const digest = digestOf(token);
      return before.get(digest) ?? Buffer.from(digest, 'latin1');
    });
    this.#tokens = tokens;
  }
}

/** In hexadecimal digits. */
const digestOf = (token: string): string => hash('sha256', token);

/**
 * The bearer scheme with the accepted tokens. It differs from the library where RFC 6750 requires it: only the
 * `Authorization` field counts, malformed credentials and wrong ones have different responses, and a challenge has no
 * realm while the question `authentication-realm` is open.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  #found: AcceptedToken | undefined;

  constructor(
    @Inject(AccessTokens) private readonly accessTokens: AccessTokens,
    @Inject(CHALLENGES) private readonly challenges: Challenges,
  ) {
    const verify: VerifyFunction = (token, done) => done(null, this.validate(token));
    // The library takes the first function that it gets. The second is Nest's call of `validate`, which would wait.
    super(verify as never);
  }

  validate(token: string): AcceptedToken | undefined {
    return this.accessTokens.find(token);
  }

  /**
   * Decides at once: what follows a head is processed only if its token is accepted before Node's parser goes on
   * (docs/explanation/decisions.md#authentication-without-waiting). So it needs no copy of itself for each request, as
   * passport makes for strategies that wait.
   *
   * @returns the accepted token of a request
   * @throws Refusal with the challenge
   */
  tokenOf(request: IncomingMessage): AcceptedToken {
    this.authenticate(request);
    const found = this.#found;
    this.#found = undefined;
    if (found === undefined) throw new Error('The bearer strategy decided nothing.');
    return found;
  }

  override authenticate(request: IncomingMessage): void {
    const credentials = readBearerCredentials(linesOf(request, 'authorization'));
    if (credentials.kind !== 'token') return this.fail(this.challenges[credentials.kind]);
    // The library sees nothing else of the request, so a token in the query or in the content is ignored.
    super.authenticate({ headers: { authorization: `${BEARER} ${credentials.token}` } } as never);
  }

  // The actions of passport's protocol, which a strategy calls.

  success(token: AcceptedToken): void {
    this.#found = token;
  }

  fail(challenge: Refusal): never {
    throw challenge;
  }

  error(error: unknown): never {
    throw error;
  }

  /** The library calls this for the challenge to a wrong token. */
  protected _challenge(): Refusal {
    return this.challenges.wrong;
  }
}
