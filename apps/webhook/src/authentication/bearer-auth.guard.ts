import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';

import { Refusal } from '../http/refusal.js';
import { readBearerCredentials } from './bearer-credentials.js';
import { type AuthenticationRequest, BearerStrategy, type StrategyActions } from './bearer.strategy.js';

/** Lets a request in if its bearer token is accepted. The default guard of the whole application (§5). */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  constructor(private readonly strategy: BearerStrategy) {
    super();
  }

  /**
   * Runs the strategy as passport does, on a copy that carries the actions of one request, but without waiting:
   * comparing tokens needs none, and passport's plumbing costs more than the comparison
   * (docs/decisions/009). A strategy that decides nothing lets nobody in.
   *
   * @throws Refusal with the challenge that the strategy gave
   */
  override canActivate(context: ExecutionContext): boolean {
    let isAdmitted = false;
    const strategy = Object.create(this.strategy) as BearerStrategy & StrategyActions;
    strategy.success = () => (isAdmitted = true);
    strategy.fail = (challenge, status = 401) => {
      throw new Refusal(status, { 'www-authenticate': challenge });
    };
    strategy.error = (error) => {
      throw error as Error;
    };
    strategy.authenticate(this.getRequest(context));
    return isAdmitted;
  }

  /** Shows the strategy the credentials alone, so that nothing else of a request can authenticate it. */
  override getRequest(context: ExecutionContext): AuthenticationRequest {
    const request = context.getArgByIndex<FastifyRequest>(0);
    return { credentials: readBearerCredentials(request.raw.rawHeaders) };
  }
}
