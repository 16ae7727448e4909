import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { inboxSuite } from '../inbox.suite.js';
import { openShared } from './open-shared.js';

let database = '';

/** Ends all connections to the database, and waits until they have ended. */
const END = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** The database of this file, empty. */
async function empty(): Promise<string> {
  const server = await postgresOfThisFile();
  if (database === '') database = new URL(await server.createDatabase()).pathname.slice(1);
  await server.query(`${END}; DROP SCHEMA IF EXISTS plant_store CASCADE`, database);
  return server.url(database);
}

/** Ends all connections to the database and all leases, and renames it so that nobody comes back. */
async function crash(): Promise<string> {
  const server = await postgresOfThisFile();
  await server.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
  await server.query(END.replace('current_database()', `'${database}'`));
  await server.query(`ALTER DATABASE ${database} RENAME TO ${database}_`);
  await server.query(`ALTER DATABASE ${database}_ ALLOW_CONNECTIONS true`);
  database = `${database}_`;
  await server.query('DELETE FROM plant_store.receiver', database);
  return server.url(database);
}

withPostgres('on PostgreSQL', () => {
  inboxSuite('the shared inbox', {
    make: empty,
    open: (url) => openShared(url),
    crash,
    sql: async (_url, text) =>
      (await postgresOfThisFile()).query(`SET search_path = plant_store; ${text}`, database),
    refuseArrivals: `
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no arrivals'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON delivery FOR EACH ROW EXECUTE FUNCTION refuse()`,
    isUnlimited: true,
  });
});
