import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Answers, answers } from '@plant-store/contract';
import type { Logger } from 'pino';

import { composeReception } from './answers/compose-reception.js';
import { effectsOf } from './answers/effects-of.js';
import { openAccessTokens } from './authentication/open-access-tokens.js';
import type { Config } from './config.js';
import { createApp } from './create-app.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { ReceiverError } from './errors.js';
import type { Inbox } from './inbox/inbox.js';
import { openInbox } from './inbox/open-inbox.js';
import { readDocuments } from './operations/documents.js';
import { type OperationsListener, startOperationsListener } from './operations/operations-listener.js';

/** A receiver that runs. */
export interface Receiver {
  /** Where deliveries are taken. */
  readonly url: string;
  /** Where people who run it find its documents. */
  readonly operationsUrl: string;
  /**
   * Takes no further delivery, answers those in flight, lets handlers end, and closes the inbox. What is not done
   * within the configured time is cut short.
   *
   * @returns whether everything ended by itself
   */
  close(): Promise<boolean>;
}

/**
 * Starts a receiver.
 *
 * @param config parsed under the same answers
 * @throws ReceiverError `ANSWERS_INVALID`, `ACCESS_TOKENS_UNREADABLE`, `INBOX_UNUSABLE`, `INBOX_IN_USE`, `ADDRESS_UNAVAILABLE`;
 * nothing is then left open
 */
export async function startReceiver(
  config: Config,
  logger: Logger,
  given: Answers = answers,
): Promise<Receiver> {
  const reception = composeReception(given, config);
  const tokens = openAccessTokens(config, logger, effectsOf(given).tokenFormat);
  let inbox: Inbox | undefined;
  let operations: OperationsListener | undefined;
  try {
    inbox = openInbox(config.INBOX_URL);
    operations = await startOperationsListener(readDocuments(), config.OPERATIONS_PORT);
    const app = await createApp(
      {
        accessTokens: tokens.accessTokens,
        inbox,
        logger,
        reception,
        dispatcherGuards: {
          concurrency: config.HANDLER_CONCURRENCY,
          timeout: config.HANDLER_TIMEOUT_MS,
          maxAttempts: config.HANDLER_MAX_ATTEMPTS,
          backoff: config.HANDLER_BACKOFF_MS,
          maxBackoff: config.HANDLER_MAX_BACKOFF_MS,
        },
      },
      { requestTimeout: config.REQUEST_TIMEOUT_MS, keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT_MS },
      given,
    );
    const url = new URL(reception.path, await listen(app, config)).href;
    app.get(Dispatcher).wake();
    logger.info(
      { url, operations: operations.url, inbox: inbox.location, ...(await inbox.counts()) },
      'listening',
    );
    const close = createClose(app, [operations, inbox], tokens.close, config.SHUTDOWN_TIMEOUT_MS, logger);
    return { url, operationsUrl: operations.url, close };
  } catch (error) {
    tokens.close();
    await operations?.close();
    await inbox?.close();
    throw error;
  }
}

async function listen(app: NestFastifyApplication, { HOST, PORT }: Config): Promise<string> {
  try {
    await app.listen(PORT, HOST);
  } catch (cause) {
    await app.close();
    throw new ReceiverError(
      'ADDRESS_UNAVAILABLE',
      `${HOST}:${PORT} cannot be listened on: ${(cause as Error).message}. Set HOST and PORT to an address of this machine that is free.`,
      { cause },
    );
  }
  return app.getUrl();
}

function createClose(
  app: NestFastifyApplication,
  resources: readonly { close(): Promise<void> }[],
  stopWatching: () => void,
  timeout: number,
  logger: Logger,
): () => Promise<boolean> {
  return async () => {
    logger.info({ timeout }, 'stopping');
    const deadline = AbortSignal.timeout(timeout);
    deadline.addEventListener('abort', () => app.getHttpServer().closeAllConnections(), { once: true });
    stopWatching();
    await Promise.all([app.close(), app.get(Dispatcher).stop(deadline)]);
    for (const resource of resources) await resource.close();
    logger.info({ cutShort: deadline.aborted }, 'stopped');
    return !deadline.aborted;
  };
}
