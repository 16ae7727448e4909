import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { answer, isClosing, isStopping } from './answer.js';
import { answerClientError } from './answer-client-error.js';
import { namesItsHost } from './names-its-host.js';
import { prepareAnswer, type PreparedAnswer } from './prepared-answer.js';
import { trackConnections } from './track-connections.js';

/** Guards of the HTTP server, in milliseconds. */
export interface HttpGuards {
  /** A request has to be there whole within this time. */
  readonly requestTimeout: number;
  /** An idle connection is kept open for this long. */
  readonly keepAliveTimeout: number;
}

const BAD_REQUEST = prepareAnswer(400);

/**
 * Fastify without what it would say of itself: it reads no content, and its errors have no body and no
 * fields of their own.
 *
 * @param unavailable what a request is answered with while the server stops
 */
export function createFastifyAdapter(
  { requestTimeout, keepAliveTimeout }: HttpGuards,
  unavailable: PreparedAnswer,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    requestTimeout,
    keepAliveTimeout,
    http: {
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
      // Node's own answer has a Transfer-Encoding and a chunk, and it takes several Host fields.
      requireHostHeader: false,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
      answer(reply, prepareAnswer(error.statusCode ?? 400)),
    return503OnClosing: false,
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  routeEveryMethodUnread(adapter);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isClosing(request.raw)) reply.hijack();
    else if (isStopping(reply)) answer(reply, unavailable);
    else if (!namesItsHost(request.raw)) answer(reply, BAD_REQUEST);
    else done();
  });
  const endSilentConnections = trackConnections(fastify.server);
  fastify.addHook('preClose', (done) => {
    endSilentConnections();
    done();
  });
  for (const event of ['checkContinue', 'checkExpectation']) {
    fastify.server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      fastify.server.emit('request', request, response);
    });
  }
  return adapter;
}

/**
 * Tells Fastify every method that Node reads, and that none of them has content. It would otherwise read it before
 * any guard runs, answer 415 for a media type that it does not know, and 404 for a method.
 */
function routeEveryMethodUnread(adapter: FastifyAdapter): void {
  for (const method of METHODS) {
    adapter.getInstance().addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}
