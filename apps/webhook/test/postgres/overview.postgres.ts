import { readFileSync } from 'node:fs';

import { afterThisTest } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';

import { overviewSuite, type ReadDatabase } from '../overview.suite.js';
import { openShared } from './open-shared.js';

/** The SQL of docs/how-to/share-an-inbox.md that lets somebody read. */
const GRANTS = /```sql\n(CREATE ROLE reader .*?)```/s.exec(
  readFileSync(new URL('../../../../docs/how-to/share-an-inbox.md', import.meta.url), 'utf8'),
)![1]!;

/** An inbox, read by the user that the page makes. */
async function openWithReader(): Promise<ReadDatabase> {
  const server = await postgresOfThisFile();
  const url = await server.createDatabase();
  const database = new URL(url).pathname.slice(1);
  const inbox = await openShared(url);
  await server.query('DROP ROLE IF EXISTS reader');
  await server.query(GRANTS, database);
  const reader = new pg.Client({
    connectionString: server.url(database, { name: 'reader', password: '…' }),
    options: '-c search_path=plant_store',
  });
  await reader.connect();
  afterThisTest(async () => {
    await reader.end();
    await server.query('DROP OWNED BY reader', database);
  });
  return { inbox, rows: async (text) => (await reader.query<unknown[]>({ text, rowMode: 'array' })).rows };
}

withPostgres('on PostgreSQL', () => {
  overviewSuite('a shared inbox', openWithReader, { wrongBytes: '\\377A', zero: '0\\000' });
});
