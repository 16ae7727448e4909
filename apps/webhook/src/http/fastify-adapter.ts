import { METHODS, type RequestListener } from 'node:http';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { LONGEST_TIMER } from '../config/config.js';
import { NO_OBSERVER, type Observer } from '../observer.js';
import { connectionOf } from './connection.js';
import { endConnections, trackConnections } from './connections.js';
import { messageFaultOf, respondToClientError, respondToConnect } from './message-faults.js';
import { prepareRefusal, respond } from './response.js';

/** Limits of the HTTP server. Times are in milliseconds. */
export interface HttpLimits {
  /** A whole request must arrive within this time. */
  readonly requestTimeout: number;
  /** An idle connection is kept open for this long. */
  readonly keepAliveTimeout: number;
  /** How many connections may be open. */
  readonly maxConnections: number;
}

/** How long the request line and the header fields of a request may be together, in bytes. Node's default, and no flag changes it. */
const MAX_HEAD_BYTES = 16_384;

const PATH_MALFORMED = prepareRefusal('path-malformed', 400);

/**
 * Creates Fastify without its own behaviour on the wire: it reads no content, and its errors have no body and no header
 * fields.
 *
 * @param observer sees the responses
 */
export function createFastifyAdapter(
  { requestTimeout, keepAliveTimeout, maxConnections }: HttpLimits,
  observer: Pick<Observer, 'responded'> = NO_OBSERVER,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    http: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
      // Node's own response has a Transfer-Encoding and a chunk, and Node accepts several Host fields.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
    },
    requestTimeout,
    keepAliveTimeout,
    // Closes the connection of a peer that doesn't read its responses. A request and its check take no longer.
    connectionTimeout: Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER),
    clientErrorHandler: respondToClientError,
    frameworkErrors: (_error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
      respond(reply, PATH_MALFORMED),
    return503OnClosing: false,
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  const { server } = fastify;
  // Otherwise a sender that ends its side after a whole request gets no response to it. Node doesn't document this.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Otherwise Node drops the fields after the thousandth. The size of the head stays limited.
  server.maxHeadersCount = 0;
  const onExpectation: RequestListener = (request, response) =>
    void server.emit('request', request, response);
  server
    .prependListener('request', ({ socket }, response) => connectionOf(socket).begin(response))
    .on('checkContinue', onExpectation)
    .on('checkExpectation', onExpectation)
    .on('connect', respondToConnect);
  trackConnections(server, maxConnections, observer);
  // As methods without content: otherwise Fastify would read it before the guard runs, and respond 415 to an unknown
  // media type and 404 to an unknown method.
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  fastify
    .addHook('onRequest', (request, reply, done) => {
      const fault = messageFaultOf(request.raw);
      if (fault === undefined) done();
      else respond(reply, fault);
    })
    .addHook('preClose', (done) => {
      endConnections(server);
      done();
    });
  return adapter;
}
