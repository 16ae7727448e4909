import { inboxFolder } from '../config/inbox-folder.js';
import { isPostgresUrl, postgresServers } from '../config/postgres-url.js';
import type { ReceiverError } from '../errors.js';
import type { Observer } from '../observer.js';
import type { Inbox } from './inbox.js';
import type { InboxLog } from './postgres/session-keeper.js';
import { openSqliteInbox } from './sqlite-inbox.js';

/** For a command, which ends when it fails. */
const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

/**
 * Opens the inbox that a URL names: `file:` and a folder, relative to the working directory or absolute, or `postgres:`
 * with servers and a database.
 *
 * @param onDamage called when the open files of an embedded inbox are found to be damaged
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`
 */
export async function openInbox(
  url: string,
  log: InboxLog = SILENT,
  observer?: Pick<Observer, 'committed'>,
  onDamage?: (error: ReceiverError) => void,
): Promise<Inbox> {
  if (!isPostgresUrl(url)) return openSqliteInbox(inboxFolder(url), observer, onDamage);
  // Imported late: who doesn't use it doesn't wait for it.
  const { openPostgresInbox } = await import('./postgres/postgres-inbox.js');
  return openPostgresInbox(postgresServers(url), log, observer);
}
