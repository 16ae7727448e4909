import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ACCESS_TOKEN_PATTERN, BEARER } from '@plant-store/contract';
import type { FastifyRequest } from 'fastify';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';

import { connectionOf } from '../http/connection.js';
import { Refusal } from '../http/refusal.js';
import { type AcceptedToken, AccessTokens } from './access-tokens.js';
import { type Challenge, CHALLENGES, type Challenges } from './challenges.js';

/** What the `Authorization` fields of a request contain. */
export type BearerCredentials =
  /** No `Authorization`, or another scheme. */
  | { readonly kind: 'none' }
  /** The bearer scheme without exactly one token, or more than one `Authorization`. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

const NONE: BearerCredentials = { kind: 'none' };
const MALFORMED: BearerCredentials = { kind: 'malformed' };

/** The scheme, up to the first character that can't be part of its name (RFC 9110 §5.6.2), and what follows the spaces. */
const BEARER_SCHEME = /^bearer(?![\w!#$%&'*+.^`|~-])(?: +(.*))?/is;

/**
 * Reads bearer credentials from a request's field lines, and from nowhere else: a token in the query or
 * in the content is ignored (RFC 6750 §2.1; RFC 9110 §11.4, §11.6.2).
 *
 * @param rawHeaders field names and values in turn, as in `IncomingMessage.rawHeaders`
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

/** What the strategy sees of a request: the credentials alone, so that nothing else can authenticate it. */
interface AuthenticationRequest {
  readonly credentials: BearerCredentials;
}

/** What is set on a strategy: passport's protocol. */
interface StrategyActions {
  success(token: AcceptedToken): void;
  fail(challenge: Challenge): void;
  error(error: unknown): void;
}

/**
 * The bearer scheme with the accepted tokens. It differs from the library where RFC 6750 requires it: only the
 * `Authorization` field counts, malformed credentials and wrong ones have different responses, and a challenge has no
 * realm while the question `authentication-realm` is open.
 */
@Injectable()
export class BearerStrategy extends Strategy<VerifyFunction> {
  // Not #private: the guard runs a copy, which sees it through its prototype.
  private readonly challenges: Challenges;

  constructor(accessTokens: AccessTokens, @Inject(CHALLENGES) challenges: Challenges) {
    super((token, done) => done(null, accessTokens.find(token)));
    this.challenges = challenges;
  }

  override authenticate(this: this & StrategyActions, request: unknown): void {
    const { credentials } = request as AuthenticationRequest;
    if (credentials.kind === 'none') this.fail(this.challenges.missing);
    else if (credentials.kind === 'malformed') this.fail(this.challenges.malformed);
    else super.authenticate({ headers: { authorization: `${BEARER} ${credentials.token}` } } as never);
  }

  /** The library calls this for the challenge to a wrong token. */
  protected _challenge(): Challenge {
    return this.challenges.wrong;
  }
}

/** A request that the guard has let in. */
export interface AuthenticatedRequest extends FastifyRequest {
  /** Its access token, where passport puts whoever was authenticated. */
  user: AcceptedToken;
}

/** What the strategy has decided about a request. */
type Decision = { readonly token: AcceptedToken } | { readonly challenge: Challenge };

/** Lets a request in if its bearer token is accepted. It guards the whole application (§5). */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  readonly #strategy: BearerStrategy & StrategyActions;
  #decision: Decision | undefined;

  constructor(strategy: BearerStrategy) {
    super();
    this.#strategy = Object.assign(Object.create(strategy) as BearerStrategy, {
      success: (token: AcceptedToken) => void (this.#decision = { token }),
      fail: (challenge: Challenge) => void (this.#decision = { challenge }),
      error: (error: unknown) => {
        throw error as Error;
      },
    });
  }

  /** @throws Refusal with the challenge of the strategy */
  override canActivate(context: ExecutionContext): boolean {
    const request = context.getArgByIndex<Partial<AuthenticatedRequest> & FastifyRequest>(0);
    const challenge = request.user === undefined ? this.challengeTo(request) : undefined;
    if (challenge !== undefined) throw new Refusal(challenge.failure, challenge.fields);
    return true;
  }

  /**
   * Runs the strategy as passport does, on a copy with passport's actions, but synchronously: comparing tokens needs no
   * waiting, so one copy serves every request, and passport's middleware costs more than the comparison
   * (docs/decisions/009).
   *
   * @returns the challenge if the request is refused; otherwise the request has its `user`
   * @throws if the strategy decides nothing
   */
  challengeTo(request: FastifyRequest): Challenge | undefined {
    this.#decision = undefined;
    this.#strategy.authenticate({ credentials: readBearerCredentials(request.raw.rawHeaders) });
    // TypeScript doesn't see that the strategy has called an action.
    const decision = this.#decision as Decision | undefined;
    if (decision === undefined) throw new Error('The bearer strategy decided nothing.');
    if ('challenge' in decision) return decision.challenge;
    (request as AuthenticatedRequest).user = decision.token;
    connectionOf(request.raw.socket).isAuthenticated = true;
    return undefined;
  }
}
