import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { incoming } from '../open-inbox.js';
import { plantInboxIn } from '../run-plant-inbox.js';
import { openShared } from './open-shared.js';

/** Stores a delivery like the first one. */
const insert = (id: number): string => `
  INSERT INTO plant_store.delivery
  SELECT (jsonb_populate_record(d, '{"id": ${id}}')).* FROM plant_store.delivery d WHERE id = 1`;

/** Takes a lock that only these sessions know. */
const LOCK = 'SELECT pg_advisory_lock(7)';

withPostgres('plant-inbox tail on a shared inbox', () => {
  test('shows a delivery that is stored later than one with a higher id', async () => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const query = (sql: string): Promise<string> => server.query(sql, new URL(url).pathname.slice(1));
    const count = (sessions: string): Promise<string> =>
      query(`SELECT count(*) FROM pg_stat_activity WHERE ${sessions}`);
    await (await openShared(url)).accept(incoming('arbitrary'));
    let others: Promise<unknown> = Promise.resolve();
    const storeTwo = async (): Promise<void> => {
      const keeping = query(`${LOCK}; SELECT pg_sleep(60)`).catch(String);
      while ((await count("wait_event = 'PgSleep'")) === '0');
      const late = query(`BEGIN; ${insert(2)}; ${LOCK}; COMMIT`);
      while ((await count("wait_event = 'advisory'")) === '0');
      others = Promise.all([keeping, late]);
      await query(insert(3));
    };
    const onWrite = (text: string, interrupt: () => void): void => {
      if (text.startsWith('New deliveries follow.')) void storeTwo();
      if (text.startsWith('{"id":3,'))
        void query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
      if (text.startsWith('{"id":2,')) interrupt();
    };

    const { result } = await plantInboxIn({ onWrite }, 'tail', '--inbox', url);

    const ids = Array.from(result.stdout.matchAll(/^\{"id":(\d+),/gm), ([, id]) => Number(id));
    expect(ids).toEqual([3, 2]);
    await others;
  });
});
