import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { sendAll } from '../support/poison.js';
import { soon } from '../support/port.js';
import { startReceiver } from '../support/receiver.js';

/** Much longer than SHUTDOWN_TIMEOUT_MS below, in seconds. */
const HANG = 10;

withPostgres('while PostgreSQL hangs', () => {
  test('SHUTDOWN_TIMEOUT_MS ends a receiver', async () => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const query = (sql: string): Promise<string> => server.query(sql, new URL(url).pathname.slice(1));
    const untilWaits = async (kind: string): Promise<void> => {
      const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = '${kind}'
        AND datname = current_database()`;
      while ((await query(waiting)) === '0') await soon();
    };
    const receiver = await startReceiver({ settings: { INBOX_URL: url, SHUTDOWN_TIMEOUT_MS: '500' } });
    const hanging = query(`BEGIN; LOCK TABLE plant_store.delivery; SELECT pg_sleep(${HANG})`).then(
      () => 'PostgreSQL goes on',
      String,
    );
    await untilWaits('Timeout');
    void sendAll(receiver, ['arbitrary']).catch(() => undefined);
    await untilWaits('Lock');

    receiver.process.signal('SIGTERM');

    expect(await Promise.race([receiver.process.exit, hanging])).toEqual({ code: 1, signal: null });
  });
});
