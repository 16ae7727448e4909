import { inboxFolder } from '../config/inbox-folder.js';
import { isPostgresUrl, postgresServers } from '../config/postgres-url.js';
import type { ReceiverError } from '../errors.js';
import type { Observer } from '../observer.js';
import type { Inbox } from './inbox.js';
import type { StoreLog } from './postgres/postgres-store.js';
import { SqlInbox } from './sql-inbox.js';
import { openSqliteStore } from './sqlite/sqlite-store.js';

/** Who is told what happens to an inbox. By default nobody, as for a command. */
export interface InboxListeners {
  /**
   * Called when an open inbox can't be trusted any more. End the process: it is the way to open the inbox again, and the
   * default.
   */
  readonly onLost?: (error: ReceiverError) => void;
  /** Is told when a shared inbox can't be reached. */
  readonly log?: StoreLog;
  readonly observer?: Pick<Observer, 'committed'>;
}

/**
 * Opens the inbox that a URL names: `file:` and a folder, relative to the working directory or absolute, or `postgres:`
 * with servers and a database.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`
 */
export async function openInbox(
  url: string,
  { onLost = endProcess, log, observer }: InboxListeners = {},
): Promise<Inbox> {
  if (!isPostgresUrl(url)) return openSqliteInbox(inboxFolder(url), onLost, observer);
  // Imported late: who doesn't use it doesn't wait for it.
  const { openPostgresStore } = await import('./postgres/postgres-store.js');
  return new SqlInbox(await openPostgresStore(postgresServers(url), log), observer);
}

/** Opens the embedded inbox: SQLite in a folder, one process. */
export async function openSqliteInbox(
  folder: string,
  onLost: (error: ReceiverError) => void,
  observer?: Pick<Observer, 'committed'>,
): Promise<Inbox> {
  return new SqlInbox(await openSqliteStore(folder, onLost), observer);
}

/** What a command does. */
function endProcess({ message, code }: ReceiverError): never {
  process.stderr.write(`${message} [${code}]\n`);
  process.exit(1);
}
