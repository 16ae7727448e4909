import { inboxFolder } from '../config/inbox-folder.js';
import type { Observer } from '../observer.js';
import type { Inbox } from './inbox.js';
import { openSqliteInbox } from './sqlite-inbox.js';

/**
 * Opens the inbox that a URL names: `file:` and a folder, relative to the working directory or absolute.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`
 */
export function openInbox(url: string, observer?: Pick<Observer, 'committed'>): Inbox {
  return openSqliteInbox(inboxFolder(url), observer);
}
