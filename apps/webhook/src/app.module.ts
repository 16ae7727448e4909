import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LOGGER } from '@plant-store/handler';
import type { Logger } from 'pino';

import type { AccessTokenSource } from './authentication/access-token-source.js';
import { AccessTokens, BearerAuthGuard, BearerStrategy } from './authentication/bearer-auth.guard.js';
import { CHALLENGES, type Challenges } from './authentication/challenges.js';
import type { Config } from './config/config.js';
import { Counters } from './counters.js';
import { newPlantController } from './delivery/new-plant.controller.js';
import { DELIVERY_PIPELINE, type DeliveryPipeline } from './delivery/pipeline.js';
import { Connections } from './http/connection.js';
import { createFastifyAdapter } from './http/fastify-adapter.js';
import { recordResponses } from './http/refusal.js';
import { RefusalFilter } from './http/refusal.filter.js';
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
    { provide: APP_GUARD, useClass: BearerAuthGuard },
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

/** Creates the application, with the connections of its server. It neither listens nor dispatches yet. */
export async function createApp(
  path: string,
  resources: Resources,
  limits: Pick<Config, 'MAX_CONNECTIONS' | 'REQUEST_TIMEOUT_MS' | 'KEEP_ALIVE_TIMEOUT_MS'>,
): Promise<{ readonly app: NestFastifyApplication; readonly connections: Connections }> {
  const { logger, counters } = resources;
  const connections = new Connections(limits.MAX_CONNECTIONS, recordResponses(counters, logger));
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(newPlantController(path), () => resources),
    createFastifyAdapter(limits, connections),
    { logger: nestLogger(logger), bodyParser: false, abortOnError: false },
  );
  return { app, connections };
}
