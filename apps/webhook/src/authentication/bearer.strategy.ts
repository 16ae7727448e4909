import { Injectable } from '@nestjs/common';
import { BEARER, type BearerError } from '@plant-store/contract';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';

import { AccessTokens } from './access-tokens.js';
import { type BearerCredentials } from './bearer-credentials.js';

/** All that the strategy is shown of a request. */
export interface AuthenticationRequest {
  readonly credentials: BearerCredentials;
}

/** What is put on a strategy for one request: passport's protocol. */
export interface StrategyActions {
  success(user: unknown): void;
  fail(challenge: string, status?: number): void;
  error(error: unknown): void;
}

/**
 * The bearer scheme over the accepted tokens. It differs from the library in what RFC 6750 asks for: only
 * the `Authorization` field counts, malformed credentials are told from wrong ones, and a challenge
 * names no realm, since nobody gave one (question `authentication-realm`).
 */
@Injectable()
export class BearerStrategy extends Strategy<VerifyFunction> {
  constructor(accessTokens: AccessTokens) {
    super((token, done) => done(null, accessTokens.has(token)));
  }

  override authenticate(this: this & StrategyActions, request: unknown): void {
    const { credentials } = request as AuthenticationRequest;
    if (credentials.kind === 'none') this.fail(challenge());
    else if (credentials.kind === 'malformed') this.fail(challenge('invalid_request'), 400);
    else super.authenticate({ headers: { authorization: `${BEARER} ${credentials.token}` } } as never);
  }

  /** Builds the library's challenge for a wrong token. */
  protected _challenge(): string {
    return challenge('invalid_token');
  }
}

/** A `WWW-Authenticate` value: the scheme, and the error if the request had credentials (RFC 6750 §3.1). */
function challenge(error?: BearerError): string {
  return error === undefined ? BEARER : `${BEARER} error="${error}"`;
}
