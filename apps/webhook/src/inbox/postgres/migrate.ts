import { readFileSync } from 'node:fs';

import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { Connections, openingError } from './connect.js';

/** The first version that an inbox can be migrated from, and that of this receiver. */
const FIRST_VERSION = 4;
const VERSION = 5;

/** Key of the lock under which the tables are changed. */
const LOCK = 0x706c616e;

/**
 * How long a step waits for a table, in milliseconds: others that wait behind it give up after 10 s. Transactions of
 * handlers may take longer; then the next start of the receiver tries it again.
 */
const LOCK_TIMEOUT = 5_000;

/**
 * Brings the tables of a shared inbox to the version of this receiver, one receiver at a time: each step is a file of
 * `migrations/`, and all of them are one transaction. Receivers of the version before that run meanwhile go on.
 *
 * @throws ReceiverError `INBOX_UNUSABLE` if the tables are newer, or too old
 */
export async function migrate(client: pg.ClientBase, location: string): Promise<void> {
  if ((await versionOf(client, location)) === VERSION) return;
  await client.query(
    `BEGIN; SELECT pg_advisory_xact_lock(${LOCK}); SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`,
  );
  try {
    const version = await versionOf(client, location);
    for (let next = Math.max(version + 1, FIRST_VERSION); next <= VERSION; next += 1)
      await client.query(
        readFileSync(new URL(`../../../migrations/postgres-${next}.sql`, import.meta.url), 'utf8'),
      );
    await client.query(`UPDATE plant_store.schema_version SET version = ${VERSION}; COMMIT`);
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * Makes sure that a receiver has made the tables.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`
 */
export async function requireTables(servers: PostgresServers): Promise<void> {
  const connections = new Connections(servers, { max: 1 });
  try {
    const client = await connections.connect();
    const version = await versionOf(client, servers.location).finally(() => client.release());
    if (version === VERSION) return;
    throw unusable(
      version === 0
        ? `There is no inbox at ${servers.location}. Name the one that the receiver uses with --inbox or INBOX_URL`
        : `The inbox at ${servers.location} has tables of version ${version}. Start the receiver, which brings them to version ${VERSION}`,
    );
  } catch (error) {
    throw openingError(servers.location, error);
  } finally {
    await connections.close();
  }
}

/** The version of the tables; 0 if there are none. */
async function versionOf(client: pg.ClientBase, location: string): Promise<number> {
  // Not by the name of the table: a session may remember that there was none.
  const { rowCount } = await client.query(
    `SELECT FROM pg_tables WHERE schemaname = 'plant_store' AND tablename = 'schema_version'`,
  );
  if (rowCount === 0) return 0;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM plant_store.schema_version');
  const version = rows[0]?.version ?? 0;
  if (version >= FIRST_VERSION && version <= VERSION) return version;
  throw unusable(
    version > VERSION
      ? `The inbox at ${location} has tables of version ${version}, and this receiver knows version ${VERSION}. Start a receiver that is as new as the one that made them`
      : `The inbox at ${location} has tables of version ${version}, which is too old. Take it along with "plant-inbox export" of that receiver, and "plant-inbox import" of this one, into another database`,
  );
}

const unusable = (sentence: string): ReceiverError => new ReceiverError('INBOX_UNUSABLE', `${sentence}.`);
