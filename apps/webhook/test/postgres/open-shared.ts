import { afterThisTest } from '@plant-store/test-support';

import type { Inbox } from '../../src/inbox/inbox.js';
import { openInbox } from '../../src/inbox/open-inbox.js';
import { type LogRecord, recordLog } from '../record-log.js';

/** Opens a shared inbox that is closed when the current test ends. */
export async function openShared(url: string, log: LogRecord = recordLog()): Promise<Inbox> {
  const inbox = await openInbox(url, { logger: log.logger });
  afterThisTest(() => inbox.close());
  return inbox;
}
