import type { Logger } from 'pino';

import type { Config } from '../config/config.js';
import { inboxFolder } from '../config/inbox-folder.js';
import type { Inbox } from '../inbox/inbox.js';
import { documentRoutes, readDocuments } from './documents.js';
import { eventRoute, EventStream } from './event-stream.js';
import { healthRoutes } from './health-routes.js';
import { inboxRoutes } from './inbox-routes.js';
import type { Metrics } from './metrics.js';
import { type OperationsListener, startOperationsListener } from './operations-listener.js';
import { Readiness } from './readiness.js';

/** What the people who run the receiver use. */
export interface Operations extends OperationsListener {
  readonly readiness: Readiness;
}

/** What the operations are for. */
export interface Operated {
  readonly config: Config;
  readonly inbox: Inbox;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Called when there may be deliveries for the handler. */
  readonly wakeHandler: () => void;
}

/**
 * Serves documents, the inbox, health and metrics.
 *
 * @throws ReceiverError `ADDRESS_UNAVAILABLE`; nothing is then left open
 */
export async function startOperations(operated: Operated): Promise<Operations> {
  const { config, inbox, metrics, logger, wakeHandler } = operated;
  const folder = config.INBOX_URL.startsWith('file:') ? inboxFolder(config.INBOX_URL) : undefined;
  const readiness = new Readiness({ checkInbox: () => inbox.check(), folder });
  const events = new EventStream(inbox, logger);
  const receiver = { startedAt: Date.now(), inbox: inbox.location };
  const listener = await startOperationsListener(
    [
      ...documentRoutes(readDocuments()),
      ...healthRoutes(readiness, metrics),
      ...inboxRoutes(inbox, receiver, wakeHandler),
      eventRoute(events),
    ],
    {
      port: config.OPERATIONS_PORT,
      host: config.OPERATIONS_HOST,
      folder,
      requestTimeout: config.REQUEST_TIMEOUT_MS,
    },
    logger,
  );
  const close = (): Promise<void> => {
    events.close();
    return listener.close();
  };
  return { ...listener, readiness, close };
}
