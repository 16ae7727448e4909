import { Inject, Injectable } from '@nestjs/common';
import { BEARER } from '@plant-store/contract';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';

import { RECEPTION, type Reception } from '../new-plant/reception.js';
import { type AcceptedToken, AccessTokens } from './access-tokens.js';
import { type BearerCredentials } from './bearer-credentials.js';
import type { Challenge, Challenges } from './challenges.js';

/** All that the strategy is shown of a request. */
export interface AuthenticationRequest {
  readonly credentials: BearerCredentials;
}

/** What is put on a strategy for one request: passport's protocol. */
export interface StrategyActions {
  success(token: AcceptedToken): void;
  fail(challenge: Challenge): void;
  error(error: unknown): void;
}

/**
 * The bearer scheme over the accepted tokens. It differs from the library in what RFC 6750 asks for: only
 * the `Authorization` field counts, malformed credentials are told from wrong ones, and a challenge
 * names no realm while nobody gave one (question `authentication-realm`).
 */
@Injectable()
export class BearerStrategy extends Strategy<VerifyFunction> {
  // Not #private: the guard runs copies, which see it through their prototype.
  private readonly challenges: Challenges;

  constructor(accessTokens: AccessTokens, @Inject(RECEPTION) { challenges }: Reception) {
    super((token, done) => done(null, accessTokens.find(token)));
    this.challenges = challenges;
  }

  override authenticate(this: this & StrategyActions, request: unknown): void {
    const { credentials } = request as AuthenticationRequest;
    if (credentials.kind === 'none') this.fail(this.challenges.missing);
    else if (credentials.kind === 'malformed') this.fail(this.challenges.malformed);
    else super.authenticate({ headers: { authorization: `${BEARER} ${credentials.token}` } } as never);
  }

  /** Builds the library's challenge for a wrong token. */
  protected _challenge(): Challenge {
    return this.challenges.wrong;
  }
}
