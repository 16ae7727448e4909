import { afterThisTest } from '@plant-store/test-support';
import { postgresOfThisFile } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';

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
