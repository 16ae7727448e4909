import { METHODS } from 'node:http';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { type Config, LONGEST_TIMER } from '../config/config.js';
import type { Connections } from './connection.js';
import { decideMessages, FASTIFY_OPTIONS, NODE_OPTIONS } from './decided.js';
import { checkMessage, prepareRefusal, respond } from './message.js';

const PATH_MALFORMED = prepareRefusal('path-malformed', 400);

/**
 * Creates Fastify without its own behaviour on the wire: it reads no content, and its errors have no body and no header
 * fields.
 */
export function createFastifyAdapter(
  {
    REQUEST_TIMEOUT_MS: requestTimeout,
    KEEP_ALIVE_TIMEOUT_MS: keepAliveTimeout,
  }: Pick<Config, 'REQUEST_TIMEOUT_MS' | 'KEEP_ALIVE_TIMEOUT_MS'>,
  connections: Connections,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    http: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
      ...NODE_OPTIONS,
    },
    requestTimeout,
    keepAliveTimeout,
    // Closes the connection of a peer that doesn't read its responses. A request and its check take no longer.
    connectionTimeout: Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER),
    ...FASTIFY_OPTIONS,
    frameworkErrors: (_error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
      respond(reply, PATH_MALFORMED),
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  const { server } = fastify;
  // Fastify fails without one, and Node knows none of a Unix socket that was passed.
  const address = server.address.bind(server);
  server.address = () => address() ?? 'passed';
  // Otherwise a sender that ends its side after a whole request gets no response to it. Node doesn't document this.
  Object.assign(server, { httpAllowHalfOpen: true });
  decideMessages(server, () => connections);
  // As methods without content: otherwise Fastify would read it before the guard runs, and respond 415 to an unknown
  // media type and 404 to an unknown method.
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  fastify.addHook('onRequest', checkMessage).addHook('preClose', (done) => {
    connections.closeAfterNextResponse();
    connections.closeSilent();
    done();
  });
  return adapter;
}
