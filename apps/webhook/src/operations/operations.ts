import type { Logger } from 'pino';

import type { AccessTokenSource } from '../authentication/access-token-source.js';
import { type Config, nameOf } from '../config/config.js';
import { inboxFolder } from '../config/inbox-folder.js';
import type { Counters } from '../counters.js';
import type { Inbox } from '../inbox/inbox.js';
import { Activity } from './activity.js';
import { deliveryRoutes, type ReceiverFacts } from './deliveries.js';
import { documentRoutes, readDocuments } from './documents.js';
import { inspectorRoutes } from './inspector/routes.js';
import { healthRoutes, Readiness } from './health.js';
import { type Listener, startListener } from './listener.js';
import { Metrics } from './metrics.js';

/** What the people who run the receiver use. */
export interface Operations extends Omit<Listener, 'openSocket'> {
  /** What the receiver does until it listens, such as `loading the handler`. */
  readonly starting: (what: string) => void;
  /**
   * Serves the inbox, which is open now, on the socket in its folder, too.
   *
   * @returns where that is; undefined if there is none
   */
  readonly openSocket: () => Promise<string | undefined>;
  /** The receiver listens: deliveries come to this URL. */
  readonly started: (url: string) => void;
  /** The receiver is about to stop. */
  readonly stopping: () => void;
}

/** What the operations are for. */
export interface Operated {
  readonly config: Config;
  /** It may not be open yet. Routes that need it have 503 then. */
  readonly inbox: Inbox;
  readonly accessTokens: Pick<AccessTokenSource, 'areCurrent'>;
  readonly counters: Counters;
  readonly logger: Logger;
}

/**
 * Serves documents, the inbox, health and metrics.
 *
 * @throws ReceiverError `ADDRESS_UNAVAILABLE`; nothing is then left open
 */
export async function startOperations({
  config,
  inbox,
  accessTokens,
  counters,
  logger,
}: Operated): Promise<Operations> {
  const folder = config.INBOX_URL.startsWith('file:') ? inboxFolder(config.INBOX_URL) : undefined;
  const stats = inbox.operations.stats.bind(inbox.operations);
  const readiness = new Readiness({
    checkInbox: () => inbox.probe(),
    oldestWaiting: () => inbox.operations.oldestWaiting(),
    folder,
    freeInFile: async () => (await inbox.operations.size()).free,
  });
  const metrics = new Metrics(
    counters,
    {
      stats,
      reasons: () => readiness.reasons(),
      freeBytes: () => readiness.freeBytes(),
      areTokensCurrent: () => accessTokens.areCurrent,
    },
    logger,
  );
  const activity = new Activity(counters, stats);
  const receiver: ReceiverFacts = {
    name: nameOf(config),
    startedAt: Date.now(),
    inbox: inbox.location,
    url: null,
  };
  const operatorHeader = config.OPERATOR_HEADER;
  const documents = readDocuments();
  const listener = await startListener(
    (app) => {
      documentRoutes(app, documents);
      healthRoutes(app, readiness, metrics);
      deliveryRoutes(app, inbox.operations, { facts: receiver, operatorHeader });
      inspectorRoutes(app, inbox.operations, activity, { facts: receiver, operatorHeader });
      activity.begin(app);
    },
    { port: config.OPERATIONS_PORT, host: config.OPERATIONS_HOST },
    logger,
  );
  return {
    ...listener,
    openSocket: async () => (folder === undefined ? undefined : listener.openSocket(folder)),
    starting: (what) => readiness.starting(what),
    started: (url) => {
      receiver.url = url;
      readiness.started();
    },
    stopping: () => readiness.stopping(),
  };
}
