import { setTimeout } from 'node:timers/promises';

import { afterThisTest } from '@plant-store/test-support';
import { startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';

import { postgresServers } from '../../src/config/postgres-url.js';
import { openPostgresInbox } from '../../src/inbox/postgres/postgres-inbox.js';
import { recordLog } from '../record-log.js';
import { rejection } from '../rejection.js';

withPostgres('a session that is lost', () => {
  test('until a new one is open, every use says once why there is none, and what to do', async () => {
    const server = await startPostgres();
    const log = recordLog();
    const inbox = await openPostgresInbox(postgresServers(await server.createDatabase()), log.logger);
    afterThisTest(() => inbox.close());
    await server.crash();
    const { reason } = await log.line(
      'lost the connection to the inbox; no delivery is accepted until it is back',
    );

    const lost = await rejection(inbox.stats());
    let refused = lost;
    while ((refused as Error).message === (lost as Error).message) {
      await setTimeout(10);
      refused = await rejection(inbox.stats());
    }

    expect(lost).toMatchObject({
      code: 'INBOX_WRITE_FAILED',
      message: `The inbox at ${inbox.location} cannot be reached: ${reason as string}.`,
    });
    expect(refused).toMatchObject({
      code: 'INBOX_WRITE_FAILED',
      message: `The inbox at ${inbox.location} cannot be used: connect ECONNREFUSED 127.0.0.1:${server.port}. Check that PostgreSQL runs, and the host and port in INBOX_URL.`,
      cause: { code: 'ECONNREFUSED' },
    });
  });
});
