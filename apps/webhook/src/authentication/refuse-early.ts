import type { FastifyInstance } from 'fastify';

import type { Refusals } from '../http/refusal.js';
import { respond } from '../http/response.js';
import type { BearerAuthGuard } from './bearer-auth.guard.js';

/**
 * Asks the guard before Nest does, and sends the same refusals without throwing. Nest's way for an exception takes
 * several times as long as everything else, and strangers can ask for it (docs/benchmarks.md).
 */
export function refuseEarly(fastify: FastifyInstance, guard: BearerAuthGuard, refusals: Refusals): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.is404) return respond(reply, refusals['path-unknown']);
    const challenge = guard.challengeTo(request);
    if (challenge === undefined) done();
    else respond(reply, refusals[challenge.failure], challenge.fields);
  });
}
