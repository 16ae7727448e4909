import { randomUUID } from 'node:crypto';

import { afterThisTest } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { postgresServers } from '../../src/config/postgres-url.js';
import { PostgresStore } from '../../src/inbox/postgres/postgres-store.js';
import { sql } from '../../src/inbox/sql.js';
import type { Result, Store } from '../../src/inbox/store.js';
import { incoming } from '../open-inbox.js';
import { recordLog } from '../record-log.js';

/** When they are due, in milliseconds since 1970. */
const LATER = 4_000_000_000_000;

/** Deliveries of each kind that are in the way. */
const MANY = 5_000;

const GROW = `
  INSERT INTO plant_store.delivery (state, attempts, interruptions, received_at, due_at, key, method, fields, content)
  SELECT state, 1, interruptions, n, CASE WHEN state <> 'handled' THEN ${LATER} END, n, 'POST', '[]', ''
  FROM (VALUES ('waiting', 0), ('retrying', 0), ('retrying', 2), ('handled', 0)) AS kind (state, interruptions),
    generate_series(1, ${MANY}) AS n;
  INSERT INTO plant_store.attempt (delivery, number, started_at, receiver, error)
  SELECT id, 1, 1, 'arbitrary', 'arbitrary' FROM plant_store.delivery;
  INSERT INTO plant_store.event SELECT sha256(('of ' || id)::bytea), id, 1 FROM plant_store.delivery`;

/** Rows and entries of indexes that were read, of all tables. */
const READ = `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname <> 'inbox_state')
  + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)`;

/** Runs a cycle with each kind of arrival, claim and result. */
async function runCycles(store: Store): Promise<void> {
  const arrivals = ['a', null, null, null].map((eventId) => ({
    ...incoming('arbitrary', { eventId }),
    key: randomUUID(),
  }));
  await store.cycle({ arrivals, results: [], polls: true });
  store.room.add(4);
  const { claimed } = await store.cycle({ arrivals: [], results: [], polls: true });
  const results = claimed.map(({ id, startedAt }, index): Result => {
    const failure = ['arbitrary', 'arbitrary', null, 1] as const;
    return (
      [
        ['complete', id, startedAt],
        ['release', id, startedAt],
        ['retry', id, startedAt, ...failure, 1],
        ['park', id, startedAt, ...failure],
      ] as const
    )[index]!;
  });
  await store.cycle({ arrivals: [], results, polls: true });
}

withPostgres('the plans of a cycle', () => {
  test('read no more when they were made with empty tables, and these have grown', async () => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const query = (text: string): Promise<string> => server.query(text, new URL(url).pathname.slice(1));
    const store = new PostgresStore(postgresServers(url), recordLog().logger, () => () => undefined);
    await store.open();
    afterThisTest(() => store.close());
    await runCycles(store);
    await query(GROW);
    // By another session: those of the growth are counted when its session ends.
    await query('SELECT pg_stat_reset()');

    await runCycles(store);
    await store.run(sql`SELECT pg_stat_force_next_flush()`);
    expect(Number(await query(READ))).toBeLessThan(500);
  });
});
