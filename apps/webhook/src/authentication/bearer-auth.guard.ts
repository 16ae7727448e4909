import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';

import { Refusal } from '../http/refusal.js';
import type { HeadCheck } from '../answers/receiver-effect.js';
import { RECEPTION, type Reception } from '../new-plant/reception.js';
import type { AcceptedToken } from './access-tokens.js';
import { readBearerCredentials } from './bearer-credentials.js';
import { type AuthenticationRequest, BearerStrategy, type StrategyActions } from './bearer.strategy.js';

/**
 * Lets a request in if its bearer token is accepted, and then if its head is as it should be. The default guard of
 * the whole application (§5).
 */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  readonly #admit: HeadCheck;

  constructor(
    private readonly strategy: BearerStrategy,
    @Inject(RECEPTION) { admit }: Reception,
  ) {
    super();
    this.#admit = admit;
  }

  /**
   * Runs the strategy as passport does, on a copy that carries the actions of one request, but without waiting:
   * comparing tokens needs none, and passport's plumbing costs more than the comparison
   * (docs/decisions/009). A strategy that decides nothing lets nobody in.
   *
   * @throws Refusal with the challenge that the strategy gave, or of the head
   */
  override canActivate(context: ExecutionContext): boolean {
    let accepted: AcceptedToken | undefined;
    const strategy = Object.create(this.strategy) as BearerStrategy & StrategyActions;
    strategy.success = (token) => (accepted = token);
    strategy.fail = ({ failure, value }) => {
      throw new Refusal(failure, { 'www-authenticate': value });
    };
    strategy.error = (error) => {
      throw error as Error;
    };
    strategy.authenticate(this.getRequest(context));
    if (accepted === undefined) return false;
    this.#admit(context.getArgByIndex<FastifyRequest>(0).raw, accepted);
    return true;
  }

  /** Shows the strategy the credentials alone, so that nothing else of a request can authenticate it. */
  override getRequest(context: ExecutionContext): AuthenticationRequest {
    const request = context.getArgByIndex<FastifyRequest>(0);
    return { credentials: readBearerCredentials(request.raw.rawHeaders) };
  }
}
