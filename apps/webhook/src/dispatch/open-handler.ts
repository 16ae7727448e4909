import { once } from 'node:events';

import type { Logger } from 'pino';
import type { DeliveryHandler } from '@plant-store/handler';

import { isPostgresUrl, postgresServers } from '../config/postgres-url.js';
import { isHttpUrl } from '../config/handler-source.js';
import type { PostgresTransactions } from '../inbox/postgres/postgres-transactions.js';
import { type AttemptRunner, callHandler, withTransactions } from './attempt.js';
import { endingOf } from './ending.js';
import { loadHandler, type OpenTarget } from './load-handler.js';
import { openTracing, type Tracing } from './tracing.js';
import { beats } from './watchdog.js';

/** The team's handler, with everything that it injects. */
export interface OpenHandler {
  /** Which one it is, for people: the class and its module, or the service. */
  readonly name: string;
  /** Runs one attempt, as {@link callHandler} does, and logs it at level debug. */
  readonly run: AttemptRunner;
  /**
   * Closes what the handler injects. Call it when no attempt runs. What has not closed when the deadline aborts is left.
   * Never rejects.
   */
  readonly close: (deadline: AbortSignal) => Promise<void>;
}

/**
 * Opens what handles the deliveries. Rejects with whatever a team's module throws.
 *
 * @param source a module with the team's handler, or an `http:` or `https:` URL to forward to
 * @param inboxUrl the shared inbox has transactions for the handler
 * @param receiver the name of this process in the inbox
 */
export async function openHandler(
  source: string,
  logger: Logger,
  inboxUrl: string,
  receiver: string,
): Promise<OpenHandler> {
  // Before the team's code runs, which may change the working directory.
  const transactions = await openTransactions(inboxUrl, receiver);
  const tracing = await openTracing();
  const target = await openTarget(source, logger, tracing);
  const handle: DeliveryHandler = (delivery, attempt) => {
    Atomics.add(beats, 0, 1);
    const { id, method, mediaType, content } = delivery;
    logger.debug({ delivery: id, method, mediaType, bytes: content.length }, 'the handler gets a delivery');
    return endingOf(target.handle(delivery, attempt), 'the handler');
  };
  const settling = transactions === undefined ? handle : withTransactions(handle, transactions, logger);
  const run = tracing.trace((delivery, attempt) => callHandler(settling, delivery, attempt));
  const closeAll = async (): Promise<void> => {
    try {
      await target.close();
      await transactions?.close();
      await tracing.flush();
    } catch (err) {
      logger.error({ err }, 'failed to close what the handler uses');
    }
  };
  const close = async (deadline: AbortSignal): Promise<void> => {
    const closed = closeAll();
    if (!deadline.aborted) await Promise.race([closed, once(deadline, 'abort')]);
  };
  return { name: target.name, run, close };
}

async function openTarget(source: string, logger: Logger, tracing: Tracing): Promise<OpenTarget> {
  if (!isHttpUrl(source)) return loadHandler(source, logger);
  const { forwardTo } = await import('./forward.js');
  return forwardTo(source, tracing.send);
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
