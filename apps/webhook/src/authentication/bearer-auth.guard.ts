import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';

import { Refusal } from '../http/refusal.js';
import { readBearerCredentials } from './bearer-credentials.js';
import type { AuthenticationRequest } from './bearer.strategy.js';

/** Lets a request in if its bearer token is accepted. The default guard of the whole application (§5). */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  /** Hands passport the credentials alone, so that nothing else of a request can authenticate it. */
  override getRequest(context: ExecutionContext): AuthenticationRequest {
    const request = context.getArgByIndex<FastifyRequest>(0);
    return { credentials: readBearerCredentials(request.raw.rawHeaders) };
  }

  /** @throws Refusal with the challenge that the strategy gave. */
  override handleRequest<User>(
    error: unknown,
    user: User,
    challenge: string,
    _context: ExecutionContext,
    status = 401,
  ): User {
    if (error) throw error as Error;
    if (user) return user;
    throw new Refusal(status, { 'www-authenticate': challenge });
  }
}
