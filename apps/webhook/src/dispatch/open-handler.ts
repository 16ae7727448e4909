import { once } from 'node:events';

import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';

import { isPostgresUrl, postgresServers } from '../config/postgres-url.js';
import type { PostgresTransactions } from '../inbox/postgres/postgres-transactions.js';
import { ReceiverError } from '../errors.js';
import { LOGGER, nestLogger } from '../logging/logger.js';
import { callHandler, type DeliveryHandler, withTransactions } from './attempt.js';
import { HandlerModule } from './handler.module.js';
import { NewPlantHandler } from './new-plant.handler.js';
import { traceAttempts } from './tracing.js';
import { beats } from './watchdog.js';

/** The team's handler, with everything that it injects. */
export interface OpenHandler {
  /** Runs one attempt, as {@link callHandler} does, and logs it at level debug. */
  readonly run: DeliveryHandler;
  /**
   * Closes what the handler injects. Call it when no attempt runs. What has not closed when the deadline aborts is left.
   * Never rejects.
   */
  readonly close: (deadline: AbortSignal) => Promise<void>;
}

/**
 * Creates the team's handler in an application context of its own, which is closed after the last attempt. Rejects
 * with whatever a provider throws.
 *
 * @param inboxUrl the shared inbox has transactions for the handler
 * @param receiver the name of this process in the inbox
 */
export async function openHandler(logger: Logger, inboxUrl: string, receiver: string): Promise<OpenHandler> {
  const context = await NestFactory.createApplicationContext(
    { module: HandlerModule, providers: [{ provide: LOGGER, useValue: logger }] },
    { logger: nestLogger(logger), abortOnError: false },
  );
  const handler = context.get<{ readonly handle: DeliveryHandler }>(NewPlantHandler);
  if (typeof handler.handle !== 'function')
    throw new ReceiverError(
      'HANDLER_UNUSABLE',
      'The handler cannot start: NewPlantHandler has no method "handle". Add it in dispatch/new-plant.handler.ts.',
    );
  const handle: DeliveryHandler = (delivery, attempt) => {
    Atomics.add(beats, 0, 1);
    const { id, method, mediaType, content } = delivery;
    logger.debug({ delivery: id, method, mediaType, bytes: content.length }, 'the handler gets a delivery');
    return handler.handle(delivery, attempt);
  };
  const transactions = await openTransactions(inboxUrl, receiver);
  const settling = transactions === undefined ? handle : withTransactions(handle, transactions, logger);
  const { run, flush } = await traceAttempts((delivery, attempt) => callHandler(settling, delivery, attempt));
  const closeAll = async (): Promise<void> => {
    try {
      await context.close();
      await transactions?.close();
      await flush();
    } catch (err) {
      logger.error({ err }, 'failed to close what the handler uses');
    }
  };
  const close = async (deadline: AbortSignal): Promise<void> => {
    const closed = closeAll();
    if (!deadline.aborted) await Promise.race([closed, once(deadline, 'abort')]);
  };
  return { run, close };
}

/** Undefined on the embedded inbox. Connects when the first transaction begins. */
async function openTransactions(
  inboxUrl: string,
  receiver: string,
): Promise<PostgresTransactions | undefined> {
  if (!isPostgresUrl(inboxUrl)) return undefined;
  const transactions = await import('../inbox/postgres/postgres-transactions.js');
  return new transactions.PostgresTransactions(postgresServers(inboxUrl), receiver);
}
