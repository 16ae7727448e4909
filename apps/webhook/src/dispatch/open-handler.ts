import { once } from 'node:events';

import type { Logger } from 'pino';

import { isPostgresUrl, postgresServers } from '../config/postgres-url.js';
import { isHttpUrl } from '../config/handler-source.js';
import type { PostgresTransactions } from '../inbox/postgres/postgres-transactions.js';
import type { AttemptHandler } from './attempt.js';
import { forwardTo } from './forward.js';
import { loadHandler } from './load-handler.js';
import { openTracing } from './tracing.js';

/** The team's handler, with everything that it injects. */
export interface OpenHandler extends AttemptHandler {
  /** Which one it is, for people: the class and its module, or the service. */
  readonly name: string;
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
  const target = isHttpUrl(source)
    ? forwardTo(source, (fields) => tracing?.inject(fields) ?? fields)
    : await loadHandler(source, logger);
  const closeAll = async (): Promise<void> => {
    try {
      await target.close();
      await transactions?.close();
      await tracing?.flush();
    } catch (err) {
      logger.error({ err }, 'failed to close what the handler uses');
    }
  };
  const close = async (deadline: AbortSignal): Promise<void> => {
    const closed = closeAll();
    if (!deadline.aborted) await Promise.race([closed, once(deadline, 'abort')]);
  };
  return { name: target.name, handle: target.handle, logger, tracing, transactions, close };
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
