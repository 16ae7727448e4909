import { afterThisTest } from '@plant-store/test-support';

import { postgresServers } from '../../src/config/postgres-url.js';
import type { Inbox } from '../../src/inbox/inbox.js';
import { openPostgresStore } from '../../src/inbox/postgres/postgres-store.js';
import { SqlInbox } from '../../src/inbox/sql-inbox.js';
import { type LogRecord, recordLog } from '../record-log.js';

/** Opens a shared inbox that is closed when the current test ends. */
export async function openShared(url: string, log: LogRecord = recordLog()): Promise<Inbox> {
  const inbox = new SqlInbox(await openPostgresStore(postgresServers(url), log.logger));
  afterThisTest(() => inbox.close());
  return inbox;
}
