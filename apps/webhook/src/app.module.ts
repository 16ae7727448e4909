import { METHODS } from 'node:http';

import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LOGGER } from '@plant-store/handler';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

import type { AccessTokenSource } from './authentication/access-token-source.js';
import {
  AccessTokens,
  BearerStrategy,
  CHALLENGES,
  type Challenges,
} from './authentication/bearer.strategy.js';
import { type Config, LONGEST_TIMER } from './config/config.js';
import { Counters } from './counters.js';
import { Admission } from './delivery/admission.js';
import { newPlantController } from './delivery/new-plant.controller.js';
import { DELIVERY_PIPELINE, type DeliveryPipeline } from './delivery/pipeline.js';
import { Connections } from './http/connection.js';
import { checkMessage, prepareRefusal, respond } from './http/message.js';
import { recordResponses, RefusalFilter } from './http/refusal.js';
import { serverOptions } from './http/server.js';
import { INBOX, type Inbox } from './inbox/inbox.js';
import { nestLogger } from './logging/logger.js';

/** What the application needs to run. */
export interface Resources {
  readonly accessTokens: Pick<AccessTokenSource, 'tokens'>;
  readonly challenges: Challenges;
  readonly pipeline: DeliveryPipeline;
  readonly inbox: Inbox;
  readonly counters: Counters;
  readonly logger: Logger;
}

/** The parts of the receiver. */
@Module({
  providers: [
    BearerStrategy,
    {
      provide: APP_FILTER,
      inject: [DELIVERY_PIPELINE, LOGGER],
      useFactory: ({ refusals }: DeliveryPipeline, logger: Logger) => new RefusalFilter(refusals, logger),
    },
  ],
})
export class AppModule {
  /**
   * @param controller that of the webhook
   * @param resources called when a resource is needed, which is never in a preview
   */
  static with(controller: Type, resources: () => Resources): DynamicModule {
    const providers: Provider[] = [
      { provide: AccessTokens, useFactory: () => new AccessTokens(resources().accessTokens) },
      { provide: CHALLENGES, useFactory: () => resources().challenges },
      { provide: DELIVERY_PIPELINE, useFactory: () => resources().pipeline },
      { provide: Counters, useFactory: () => resources().counters },
      { provide: INBOX, useFactory: () => resources().inbox },
      { provide: LOGGER, useFactory: () => resources().logger },
    ];
    return { module: AppModule, controllers: [controller], providers };
  }
}

const PATH_MALFORMED = prepareRefusal('path-malformed', 400);

/** Creates the application, with the connections of its server. It neither listens nor dispatches yet. */
export async function createApp(
  path: string,
  resources: Resources,
  limits: Limits,
): Promise<{ readonly app: NestFastifyApplication; readonly connections: Connections }> {
  const { logger, counters, pipeline } = resources;
  const connections = new Connections(limits.MAX_CONNECTIONS, recordResponses(counters, logger));
  const adapter = createFastifyAdapter(limits, connections, pipeline.maxContentBytes);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(newPlantController(path), () => resources),
    adapter,
    { logger: nestLogger(logger), bodyParser: false, abortOnError: false },
  );
  const fastify = adapter.getInstance();
  new Admission(app.get(BearerStrategy), pipeline).guard(fastify);
  fastify.addHook('preClose', (done) => {
    connections.closeAfterNextResponse();
    connections.closeSilent();
    done();
  });
  return { app, connections };
}

type Limits = Pick<Config, 'MAX_CONNECTIONS' | 'REQUEST_TIMEOUT_MS' | 'KEEP_ALIVE_TIMEOUT_MS'>;

/** Creates Fastify without its own behaviour on the wire: its errors have no body and no header fields. */
function createFastifyAdapter(
  { REQUEST_TIMEOUT_MS: requestTimeout, KEEP_ALIVE_TIMEOUT_MS: keepAliveTimeout }: Limits,
  connections: Connections,
  bodyLimit: number,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    ...serverOptions(
      {
        head: requestTimeout,
        request: requestTimeout,
        keepAlive: keepAliveTimeout,
        // A request and its check take no longer.
        idle: Math.min(2 * requestTimeout + 1_000, LONGEST_TIMER),
      },
      () => connections,
    ),
    bodyLimit,
    frameworkErrors: (_error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
      respond(reply, PATH_MALFORMED),
    skipMiddie: true,
  });
  const fastify = adapter.getInstance();
  // Fastify fails without one, and Node knows none of a Unix socket that was passed.
  const address = fastify.server.address.bind(fastify.server);
  fastify.server.address = () => address() ?? 'passed';
  // Otherwise it responds 404 to a method that it doesn't know.
  for (const method of METHODS) if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  fastify.addHook('onRequest', checkMessage);
  return adapter;
}
