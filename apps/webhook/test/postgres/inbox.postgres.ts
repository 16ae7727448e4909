import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { inboxSuite } from '../inbox.suite.js';
import { openShared } from './open-shared.js';

let database = '';

/** The database of this file, empty. */
async function empty(): Promise<string> {
  const server = await postgresOfThisFile();
  const isFree =
    database !== '' &&
    (await server.psql(`SELECT count(*) FROM pg_stat_activity WHERE datname = '${database}'`)) === '0';
  if (!isFree) database = new URL(await server.createDatabase()).pathname.slice(1);
  else await server.psql('SET client_min_messages = error; DROP SCHEMA plant_store CASCADE', database);
  return server.url(database);
}

/** Ends all connections to the database and all leases, and renames it so that nobody comes back. */
async function crash(): Promise<string> {
  const server = await postgresOfThisFile();
  await server.psql(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
  await server.psql(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${database}'`,
  );
  await server.psql(`ALTER DATABASE ${database} RENAME TO ${database}_`);
  await server.psql(`ALTER DATABASE ${database}_ ALLOW_CONNECTIONS true`);
  database = `${database}_`;
  await server.psql('DELETE FROM plant_store.receiver', database);
  return server.url(database);
}

withPostgres('on PostgreSQL', () => {
  inboxSuite('the shared inbox', {
    make: empty,
    open: (url) => openShared(url),
    crash,
    isUnlimited: true,
    propertyRuns: 8,
  });
});
