import { afterThisFile, afterThisTest } from '@plant-store/test-support';
import { findPostgres, PostgresServer } from '@plant-store/test-support/postgres';
import pg from 'pg';

const programs = findPostgres(process.env);

/** The tests in it are skipped if there is no PostgreSQL. */
export const withPostgres = programs === undefined ? describe.skip : describe;

let starting: Promise<PostgresServer> | undefined;

/** The server of this test file. The first call starts it. */
export function postgresOfThisFile(): Promise<PostgresServer> {
  starting ??= startPostgres();
  return starting;
}

/** Starts a server that runs until the end of the test file. */
export function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  return PostgresServer.start({ programs: programs!, settings }, afterThisFile);
}

/** A pool of connections that ends with the test. */
export function openPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...options });
  // A server that stops ends connections that nobody uses.
  pool.on('error', () => {});
  afterThisTest(() => pool.end());
  return pool;
}

/** A pool of a new database, without an outbox. */
export async function openNewDatabase(): Promise<pg.Pool> {
  const server = await postgresOfThisFile();
  return openPool(await server.createDatabase());
}
