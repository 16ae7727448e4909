import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { BEARER, type BearerError } from '@plant-store/contract';
import { Strategy } from 'passport-http-bearer';

import { AccessTokens } from './access-tokens.js';
import { type BearerCredentials } from './bearer-credentials.js';

/** All that the strategy is shown of a request. */
export interface AuthenticationRequest {
  readonly credentials: BearerCredentials;
}

/** What passport makes of a strategy for one request. */
interface Outcome {
  fail(challenge: string, status?: number): void;
}

/**
 * The bearer scheme over the accepted tokens. It differs from the library in what RFC 6750 asks for: only
 * the `Authorization` field counts, malformed credentials are told from wrong ones, and a challenge
 * names no realm, since nobody gave one (question `authentication-realm`).
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly accessTokens: AccessTokens) {
    super();
  }

  override authenticate(this: this & Outcome, request: unknown): void {
    const { credentials } = request as AuthenticationRequest;
    if (credentials.kind === 'none') return this.fail(challenge());
    if (credentials.kind === 'malformed') return this.fail(challenge('invalid_request'), 400);
    super.authenticate({ headers: { authorization: `${BEARER} ${credentials.token}` } } as never);
  }

  /** Passport's verification: anything falsy is a wrong token. */
  validate(token: string): boolean {
    return this.accessTokens.has(token);
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
