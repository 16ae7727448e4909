import { readFileSync } from 'node:fs';
import { type OutboxConnection, type OutboxDatabase, query } from './database.js';
import { OutboxError, toOutboxError } from './outbox-error.js';

/** The files that make the tables: for each version, what it adds to the one before. */
const VERSIONS = ['outbox-001.sql'];

/** Version of the tables, kept in `schema_version`. */
export const SCHEMA_VERSION = VERSIONS.length;

/** The oldest version of PostgreSQL that the tests run on. */
const MIN_VERSION = 15;

/** Two migrations take the same lock: the letters "outb". */
const LOCK = 0x6f757462;

/**
 * Creates the tables of the outbox, or brings them to the version that this package needs. Several may do it at once.
 *
 * @returns the version before; 0 if there were no tables
 * @throws OutboxError `PLANT_STORE_OUTBOX_VERSION` if the tables are of a later version
 */
export async function migrate(database: OutboxDatabase): Promise<number> {
  try {
    const connection = await database.connect();
    // Whoever runs a statement learns that the connection was lost.
    connection.on('error', () => {});
    try {
      return await migrateWith(connection);
    } finally {
      connection.release(true);
    }
  } catch (error) {
    throw toOutboxError(error);
  }
}

/** If a statement fails, closing the connection rolls everything back. */
async function migrateWith(connection: OutboxConnection): Promise<number> {
  await requireUsable(connection);
  await connection.query(`BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(${LOCK})`);
  const run = async (text: string): Promise<unknown[]> => (await connection.query(text)).rows;
  const { version } = await readVersion(run);
  if (version > SCHEMA_VERSION) throw otherVersion(version);
  if (version < SCHEMA_VERSION) {
    for (const file of VERSIONS.slice(version)) {
      await connection.query(readFileSync(new URL(`../../sql/${file}`, import.meta.url), 'utf8'));
    }
    await connection.query(`UPDATE plant_store_outbox.schema_version SET version = ${SCHEMA_VERSION}`);
  }
  await connection.query('COMMIT');
  return version;
}

async function requireUsable(connection: OutboxConnection): Promise<void> {
  const { rows } = await connection.query(`SELECT
    current_setting('server_version') AS version,
    (current_setting('server_version_num')::int / 10000 < ${MIN_VERSION})::text AS is_old,
    current_setting('server_encoding') AS encoding,
    current_setting('transaction_read_only') AS read_only`);
  const { version, is_old, encoding, read_only } = rows[0] as Readonly<Record<string, string>>;
  const faults = [
    is_old === 'true' && `It is PostgreSQL ${version}. The outbox needs ${MIN_VERSION} or later.`,
    !['UTF8', 'SQL_ASCII'].includes(encoding!) &&
      `Its encoding is ${encoding}. The outbox needs UTF8: the message of an error may have any character.`,
    read_only === 'on' && 'It is a standby or read-only.',
  ];
  const fault = faults.find(Boolean);
  if (fault === undefined) return;
  const message = `The database of the outbox can't be used. ${fault}`;
  throw new OutboxError('PLANT_STORE_OUTBOX_DATABASE_UNUSABLE', message);
}

/**
 * Checks that the tables are there, and of the right version.
 *
 * @throws OutboxError `PLANT_STORE_OUTBOX_MISSING` or `PLANT_STORE_OUTBOX_VERSION`
 */
export async function requireSchema(database: OutboxDatabase): Promise<void> {
  const { version, name } = await readVersion((text) => query(database, text));
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) throw otherVersion(version);
  throw new OutboxError(
    'PLANT_STORE_OUTBOX_MISSING',
    `The database ${name} has no outbox. Create it with: outbox.migrate(), or plant-store outbox migrate. If there is one, this is the wrong database.`,
  );
}

/**
 * The version of the tables, 0 if there are none, and the name of the database. It reads the catalog, because
 * `to_regclass` may remember what wasn't there before the wait for the lock of a migration.
 */
async function readVersion(
  run: (text: string) => Promise<unknown[]>,
): Promise<{ readonly version: number; readonly name: string }> {
  const [found] = (await run(
    `SELECT current_database() AS name, EXISTS (
      SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'plant_store_outbox' AND tablename = 'schema_version'
    )::text AS has_tables`,
  )) as [{ has_tables: string; name: string }];
  if (found.has_tables === 'false') return { version: 0, name: found.name };
  const [row] = await run('SELECT version::text FROM plant_store_outbox.schema_version');
  return { version: Number((row as { version: string }).version), name: found.name };
}

function otherVersion(version: number): OutboxError {
  const advice =
    version > SCHEMA_VERSION
      ? 'Use the version of @plant-store/sdk that made them, or a later one.'
      : 'Run: outbox.migrate(), or plant-store outbox migrate.';
  return new OutboxError(
    'PLANT_STORE_OUTBOX_VERSION',
    `The tables of the outbox have version ${version}, and this package needs version ${SCHEMA_VERSION}. ${advice}`,
  );
}
