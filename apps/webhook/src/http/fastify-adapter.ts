import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { isClosing, respondToClientError, trackConnections } from './connections.js';
import { hasValidHost } from './request.js';
import { isStopping, prepareResponse, type PreparedResponse, respond } from './response.js';

/** Limits of the HTTP server, in milliseconds. */
export interface HttpLimits {
  /** A whole request must arrive within this time. */
  readonly requestTimeout: number;
  /** An idle connection is kept open for this long. */
  readonly keepAliveTimeout: number;
}

/** A timer of Node can't be longer, in milliseconds. */
const LONGEST_TIMER = 2_147_483_647;

const BAD_REQUEST = prepareResponse(400);

/**
 * Creates Fastify without its own behaviour on the wire: it reads no content, and its errors have no body and no header
 * fields.
 *
 * @param unavailable the response to a request while the server stops
 */
export function createFastifyAdapter(
  { requestTimeout, keepAliveTimeout }: HttpLimits,
  unavailable: PreparedResponse,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    requestTimeout,
    keepAliveTimeout,
    // Closes the connection of a peer that doesn't read its responses. A request and its check take no longer.
    connectionTimeout: Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER),
    http: {
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
      // Node's own response has a Transfer-Encoding and a chunk, and Node accepts several Host fields.
      requireHostHeader: false,
    },
    clientErrorHandler: respondToClientError,
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
      respond(reply, prepareResponse(error.statusCode ?? 400)),
    return503OnClosing: false,
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  routeEveryMethodUnread(adapter);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isClosing(request.raw.socket)) reply.hijack();
    else if (isStopping(reply)) respond(reply, unavailable);
    else if (!hasValidHost(request.raw)) respond(reply, BAD_REQUEST);
    else done();
  });
  const endUnusedConnections = trackConnections(fastify.server);
  fastify.addHook('preClose', (done) => {
    endUnusedConnections();
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
 * Registers every method that Node reads, as one without content. Otherwise Fastify would read the content before any
 * guard runs, and respond 415 to an unknown media type and 404 to an unknown method.
 */
function routeEveryMethodUnread(adapter: FastifyAdapter): void {
  for (const method of METHODS) {
    adapter.getInstance().addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}
