import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { Answers } from '@plant-store/contract';
import type { Logger } from 'pino';

import { AccessTokens } from './authentication/access-tokens.js';
import { BearerAuthGuard } from './authentication/bearer-auth.guard.js';
import { BearerStrategy } from './authentication/bearer.strategy.js';
import { Dispatcher, type DispatcherGuards } from './dispatch/dispatcher.js';
import { RefusalFilter } from './http/refusal.filter.js';
import { INBOX, type Inbox } from './inbox/inbox.js';
import { LOGGER } from './logging/logger.js';
import { newPlantController } from './new-plant/new-plant.controller.js';
import { NewPlantHandler } from './new-plant/new-plant.handler.js';
import { RECEPTION, type Reception } from './new-plant/reception.js';

/** What the receiver needs from outside. */
export interface Resources {
  readonly accessTokens: AccessTokens;
  readonly inbox: Inbox;
  readonly reception: Reception;
  readonly dispatcherGuards: DispatcherGuards;
  readonly logger: Logger;
}

const DISPATCHER_GUARDS = Symbol('DispatcherGuards');

/** What the receiver consists of. */
@Module({
  providers: [
    BearerStrategy,
    NewPlantHandler,
    { provide: APP_GUARD, useClass: BearerAuthGuard },
    {
      provide: APP_FILTER,
      inject: [RECEPTION, LOGGER],
      useFactory: ({ refusals }: Reception, logger: Logger) => new RefusalFilter(refusals, logger),
    },
    {
      provide: Dispatcher,
      inject: [INBOX, NewPlantHandler, DISPATCHER_GUARDS, LOGGER],
      useFactory: createDispatcher,
    },
  ],
})
export class AppModule {
  /** @param resources asked when they are needed, which is never in a preview */
  static with(resources: () => Resources, answers: Answers): DynamicModule {
    const providers: Provider[] = [
      { provide: AccessTokens, useFactory: () => resources().accessTokens },
      { provide: DISPATCHER_GUARDS, useFactory: () => resources().dispatcherGuards },
      { provide: INBOX, useFactory: () => resources().inbox },
      { provide: LOGGER, useFactory: () => resources().logger },
      { provide: RECEPTION, useFactory: () => resources().reception },
    ];
    return { module: AppModule, controllers: [newPlantController(answers)], providers };
  }
}

function createDispatcher(
  inbox: Inbox,
  handler: NewPlantHandler,
  guards: DispatcherGuards,
  logger: Logger,
): Dispatcher {
  return new Dispatcher(inbox, handler.handle.bind(handler), guards, logger);
}
