import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';

import { LOGGER, NestLogger } from '../logging/logger.js';
import { HandlerModule } from './handler.module.js';
import { callHandler, type DeliveryHandler } from './handler-host.js';
import { NewPlantHandler } from './new-plant.handler.js';
import { traceAttempts } from './tracing.js';

/** The team's handler, with everything that it injects. */
export interface OpenHandler {
  /** Runs one attempt, as HandlerHost.run does. */
  readonly run: DeliveryHandler;
  /** Closes what the handler injects. Never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the team's handler in an application context of its own, which is the same in both processes. It is closed
 * after the last attempt. Rejects with whatever a provider throws.
 */
export async function openHandler(logger: Logger): Promise<OpenHandler> {
  const context = await NestFactory.createApplicationContext(
    { module: HandlerModule, providers: [{ provide: LOGGER, useValue: logger }] },
    { logger: new NestLogger(logger), abortOnError: false },
  );
  const handler = context.get(NewPlantHandler);
  const handle = handler.handle.bind(handler);
  const { run, flush } = await traceAttempts((delivery, attempt) => callHandler(handle, delivery, attempt));
  const close = async (): Promise<void> => {
    try {
      await context.close();
      await flush();
    } catch (err) {
      logger.error({ err }, 'failed to close what the handler uses');
    }
  };
  return { run, close };
}
