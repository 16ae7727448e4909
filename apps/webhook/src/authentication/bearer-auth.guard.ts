import type { IncomingMessage } from 'node:http';

import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ACCESS_TOKEN_PATTERN, BEARER } from '@plant-store/contract';
import type { FastifyRequest } from 'fastify';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';

import { connectionOf } from '../http/connection.js';
import type { Refusal } from '../http/refusal.js';
import { linesOf } from '../http/request.js';
import { type AcceptedToken, AccessTokens } from './access-tokens.js';
import { CHALLENGES, type Challenges } from './challenges.js';

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

/** What is set on a strategy for each request: passport's protocol. */
interface StrategyActions {
  success(token: AcceptedToken): void;
  fail(challenge: Refusal): void;
  error(error: unknown): void;
}

/**
 * The bearer scheme with the accepted tokens. It differs from the library where RFC 6750 requires it: only the
 * `Authorization` field counts, malformed credentials and wrong ones have different responses, and a challenge has no
 * realm while the question `authentication-realm` is open.
 */
@Injectable()
export class BearerStrategy extends Strategy<VerifyFunction> {
  constructor(
    @Inject(AccessTokens) accessTokens: AccessTokens,
    @Inject(CHALLENGES) private readonly challenges: Challenges,
  ) {
    super((token, done) => done(null, accessTokens.find(token)));
  }

  override authenticate(this: this & StrategyActions, request: IncomingMessage): void {
    const credentials = readBearerCredentials(linesOf(request, 'authorization'));
    if (credentials.kind !== 'token') return this.fail(this.challenges[credentials.kind]);
    // The library sees nothing else of the request, so a token in the query or in the content is ignored.
    super.authenticate({ headers: { authorization: `${BEARER} ${credentials.token}` } } as never);
  }

  /** The library calls this for the challenge to a wrong token. */
  protected _challenge(): Refusal {
    return this.challenges.wrong;
  }
}

/** A request that the guard has let in. */
export interface AuthenticatedRequest extends FastifyRequest {
  /** Its access token, where passport puts whoever was authenticated. */
  user: AcceptedToken;
}

/** Lets a request in if its bearer token is accepted. It guards the whole application (§5). */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  constructor(@Inject(BearerStrategy) private readonly strategy: BearerStrategy) {
    super();
  }

  /**
   * Runs the strategy as passport does, on a copy with passport's actions, but without waiting: what follows a head is
   * parsed only if its token is accepted before Node's parser goes on (docs/decisions/009).
   *
   * @throws Refusal with the challenge of the strategy
   */
  override canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Partial<AuthenticatedRequest> & FastifyRequest>();
    const { raw } = request;
    const actions: StrategyActions = {
      success: (token) => {
        request.user = token;
        connectionOf(raw.socket).accept();
      },
      fail: (challenge) => {
        throw challenge;
      },
      error: (error) => {
        throw error as Error;
      },
    };
    Object.assign(Object.create(this.strategy) as BearerStrategy, actions).authenticate(raw);
    if (request.user === undefined) throw new Error('The bearer strategy decided nothing.');
    return true;
  }
}
