import { createServer, METHODS, type RequestListener, type Server } from 'node:http';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { LONGEST_TIMER } from '../config/config.js';
import { NO_OBSERVER, type Observer } from '../observer.js';
import { respondToClientError, respondToConnect } from './client-errors.js';
import { connectionOf } from './connection.js';
import { trackConnections } from './connections.js';
import { messageFaultOf } from './request.js';
import {
  hasStopped,
  type PreparedResponse,
  prepareRefusal,
  respond,
  respondRaw,
  respondToFault,
} from './response.js';

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

/**
 * Creates Fastify without its own behaviour on the wire: it reads no content, and its errors have no body and no header
 * fields.
 *
 * @param unavailable the response to a request while the server stops
 * @param observer sees the responses
 */
export function createFastifyAdapter(
  limits: HttpLimits,
  unavailable: PreparedResponse,
  observer: Pick<Observer, 'responded'> = NO_OBSERVER,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    serverFactory: (handle: RequestListener) => createHttpServer(limits, unavailable, handle),
    clientErrorHandler: respondToClientError,
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
      respond(reply, prepareRefusal('path-malformed', error.statusCode ?? 400)),
    return503OnClosing: false,
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  routeEveryMethodUnread(adapter);
  const endUnusedConnections = trackConnections(fastify.server, limits.maxConnections, observer);
  fastify.addHook('preClose', (done) => {
    endUnusedConnections();
    done();
  });
  return adapter;
}

/** Creates the HTTP server. It responds by itself to what isn't a request that can be processed. */
function createHttpServer(
  { requestTimeout, keepAliveTimeout }: HttpLimits,
  unavailable: PreparedResponse,
  handle: RequestListener,
): Server {
  const onRequest: RequestListener = (request, response) => {
    connectionOf(request.socket).begin(response);
    if (hasStopped(request)) return respondRaw(response, unavailable);
    const fault = messageFaultOf(request);
    if (fault === undefined) handle(request, response);
    else respondToFault(response, fault);
  };
  const server = createServer({
    requestTimeout,
    headersTimeout: requestTimeout,
    keepAliveTimeout,
    connectionsCheckingInterval: Math.min(1_000, requestTimeout),
    // Node's own response has a Transfer-Encoding and a chunk, and Node accepts several Host fields.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEAD_BYTES,
  });
  // Otherwise a sender that ends its side after a whole request gets no response to it. Node doesn't document this.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Otherwise Node drops the fields after the thousandth. The size of the head stays limited.
  server.maxHeadersCount = 0;
  // Closes the connection of a peer that doesn't read its responses. A request and its check take no longer.
  server.timeout = Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER);
  return server
    .on('request', onRequest)
    .on('checkContinue', onRequest)
    .on('checkExpectation', onRequest)
    .on('connect', respondToConnect);
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
