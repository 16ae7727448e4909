import type { Logger } from 'pino';

import { inboxFolder } from '../config/inbox-folder.js';
import { isPostgresUrl, postgresServers } from '../config/postgres-url.js';
import { Counters } from '../counters.js';
import type { ReceiverError } from '../errors.js';
import { Inbox } from './inbox.js';
import type { OnUpgrade } from './migrations.js';
import { SqliteStore } from './sqlite/sqlite-store.js';
import type { Store } from './store.js';

/** Who is told what happens to an inbox. By default nobody, as for a command. */
export interface InboxOptions {
  /**
   * Called when an open inbox can't be trusted any more. End the process: it is the way to open the inbox again, and the
   * default.
   */
  readonly onLost?: (error: ReceiverError) => void;
  readonly onUpgrade?: OnUpgrade;
  readonly logger?: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly counters?: Counters;
}

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

/**
 * The inbox that a URL names: `file:` and a folder, relative to the working directory or absolute, or `postgres:` with
 * servers and a database. It isn't open yet.
 *
 * @throws ReceiverError `INBOX_UNUSABLE` if the working directory was removed
 */
export async function createInbox(url: string, options: InboxOptions = {}): Promise<Inbox> {
  const { logger = SILENT, counters = new Counters() } = options;
  return new Inbox(await createStore(url, options, logger), { counters, logger });
}

/**
 * Opens the inbox that a URL names.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`
 */
export async function openInbox(url: string, options: InboxOptions = {}): Promise<Inbox> {
  const inbox = await createInbox(url, options);
  await inbox.open();
  return inbox;
}

async function createStore(
  url: string,
  { onLost = endProcess, onUpgrade = () => () => undefined }: InboxOptions,
  logger: Pick<Logger, 'warn' | 'info'>,
): Promise<Store> {
  if (!isPostgresUrl(url)) return new SqliteStore(inboxFolder(url), onLost, onUpgrade);
  // Imported late: who doesn't use it doesn't wait for it.
  const { PostgresStore } = await import('./postgres/postgres-store.js');
  return new PostgresStore(postgresServers(url), logger, onUpgrade);
}

/** What a command does. */
function endProcess({ message, code }: ReceiverError): never {
  process.stderr.write(`${message} [${code}]\n`);
  process.exit(1);
}
