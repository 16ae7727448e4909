import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { MAX_BYTES, SUSPECT } from '../conditions.js';
import { Migrations, type OnUpgrade } from '../migrations.js';
import { ACCEPTED, transition, TRANSITIONS } from '../transitions.js';
import { Connections, openingError } from './connect.js';
import { BEGIN_BRIEFLY } from './durable.js';
import { LEASE_LOCK, SECONDS } from './lease.js';
import { damaged, requireObjects } from './objects.js';

const MIGRATIONS = new Migrations('postgres');

/** Key of the lock under which the tables are changed. */
const LOCK = 0x706c616e;

/**
 * How long a step waits for a table, in milliseconds: others that wait behind it give up after 10 s. Transactions of
 * handlers may take longer; then the next start of the receiver tries it again.
 */
const LOCK_TIMEOUT = 5_000;

/** How long a step may take, in milliseconds: as long as it takes. Elsewhere a connection counts as lost after a while. */
const NO_LIMIT = 2_147_483_647;

/**
 * Brings the tables of a shared inbox to the version of this receiver, one receiver at a time: in one
 * transaction. Receivers of the version before that run meanwhile go on.
 *
 * @throws ReceiverError `INBOX_UNUSABLE` if the tables are newer, or too old
 */
export async function migrate(
  client: pg.ClientBase,
  location: string,
  onUpgrade: OnUpgrade,
  migrations = MIGRATIONS,
): Promise<void> {
  const from = await versionOf(client, location, migrations);
  if (from === migrations.version) return;
  const onUpgraded = from > 0 ? onUpgrade({ from, to: migrations.version }) : undefined;
  const run = (text: string): Promise<unknown> =>
    client.query({ text, query_timeout: NO_LIMIT } as pg.QueryConfig);
  await run(
    `${BEGIN_BRIEFLY}; SELECT pg_advisory_xact_lock(${LOCK}); SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`,
  );
  try {
    for (const step of migrations.from(await versionOf(client, location, migrations)))
      await run(fillIn(step));
    await run(`UPDATE plant_store.schema_version SET version = ${migrations.version}; COMMIT`);
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
  onUpgraded?.();
}

/** What the cycle in the tables' files calls the values of a transition. */
const VALUES = { now: 'at', receiver: 'me', wait: 'r.wait', error: 'r.message', group: 'r.message_group' };

/** What stands for `:name` in the tables' files: it is written once, for both databases. */
const TEXTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (Object.keys(TRANSITIONS) as (keyof typeof TRANSITIONS)[]).map((name) => [
      name,
      transition(name, VALUES),
    ]),
  ),
  accepted: ACCEPTED,
  suspect: String(SUSPECT),
  max_bytes: String(MAX_BYTES),
  lease_lock: String(LEASE_LOCK),
  lease_time: SECONDS,
};

/** Puts the {@link TEXTS} into a file of tables. Its casts and assignments, `::` and `:=`, stay. */
const fillIn = (step: string): string =>
  step.replaceAll(/(?<!:):([a-z]\w*)/g, (placeholder, name: string) => TEXTS[name] ?? placeholder);

/**
 * Makes sure that all is there that this version needs. Beside receivers of the next version, that is theirs.
 *
 * @throws ReceiverError `INBOX_DAMAGED`, `INBOX_UNUSABLE`
 */
export async function requireWhole(client: pg.ClientBase, location: string): Promise<void> {
  const { rows } = await client.query<{ is_newer: boolean }>(
    `SELECT version > ${MIGRATIONS.version} AS is_newer FROM plant_store.schema_version`,
  );
  if (rows[0]?.is_newer !== true) await requireObjects(client, location);
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
    const version = await versionOf(client, servers.location, MIGRATIONS).finally(() => client.release());
    if (version === 0)
      throw new ReceiverError(
        'INBOX_UNUSABLE',
        `There is no inbox at ${servers.location}. Name the one that the receiver uses with --inbox or INBOX_URL.`,
      );
    MIGRATIONS.requireNewest(version, `at ${servers.location}`);
  } catch (error) {
    throw openingError(servers.location, error);
  } finally {
    await connections.close();
  }
}

/** The version of the tables; 0 if there are none. */
async function versionOf(client: pg.ClientBase, location: string, migrations: Migrations): Promise<number> {
  // Not by the name of the table: a session may remember that there was none.
  const tables = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'plant_store'`,
  );
  if (tables.rows.length === 0) return 0;
  if (!tables.rows.some(({ name }) => name === 'schema_version'))
    throw damaged(location, ['table schema_version']);
  const { rows } = await client.query<{ version: number }>('SELECT version FROM plant_store.schema_version');
  if (rows.length !== 1) throw damaged(location, ['the one row of schema_version']);
  const { version } = rows[0]!;
  migrations.requireKnown(version, `at ${location}`);
  return version;
}
