import { type OutboxDatabase, query, types } from './database.js';
import { OutboxError, toOutboxError } from './outbox-error.js';
import { tables } from './tables.js';

/** The statements that make the tables: for each version, what it adds to the one before. */
const VERSIONS = [tables];

/** Version of the tables, kept in `schema_version`. */
export const SCHEMA_VERSION = VERSIONS.length;

/** Two migrations take the same lock: the letters "outb". */
const LOCK = 0x6f757462;

/** `CREATE SCHEMA IF NOT EXISTS` needs the right to create one, even if it is there. */
const CREATE_SCHEMA = `DO $$ BEGIN
  IF to_regnamespace('plant_store_outbox') IS NULL THEN CREATE SCHEMA plant_store_outbox; END IF;
END $$`;

const READ_VERSION = 'SELECT version::text FROM plant_store_outbox.schema_version';

interface VersionRow {
  readonly version: string;
}

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
    const run = async (text: string): Promise<unknown[]> =>
      ((await connection.query({ text, types })) as { readonly rows: unknown[] }).rows;
    try {
      await run('BEGIN ISOLATION LEVEL READ COMMITTED');
      await run(`SELECT pg_advisory_xact_lock(${LOCK})`);
      const version = await readVersion(run);
      if (version > SCHEMA_VERSION) throw otherVersion(version);
      await run(CREATE_SCHEMA);
      for (const statements of VERSIONS.slice(version)) await run(statements);
      await run('COMMIT');
      return version;
    } finally {
      // If a statement failed, this rolls everything back.
      connection.release(true);
    }
  } catch (error) {
    throw toOutboxError(error);
  }
}

/**
 * Checks that the tables are there, and of the right version.
 *
 * @throws OutboxError `PLANT_STORE_OUTBOX_MISSING` or `PLANT_STORE_OUTBOX_VERSION`
 */
export async function requireSchema(database: OutboxDatabase): Promise<void> {
  const [row] = await query<VersionRow>(database, READ_VERSION);
  if (Number(row!.version) !== SCHEMA_VERSION) throw otherVersion(Number(row!.version));
}

/**
 * The version of the tables, 0 if there are none. It reads the catalog, because `to_regclass` may remember what wasn't
 * there before the wait for the lock of a migration.
 */
async function readVersion(run: (text: string) => Promise<unknown[]>): Promise<number> {
  const found = await run(
    "SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'plant_store_outbox' AND tablename = 'schema_version'",
  );
  if (found.length === 0) return 0;
  const [row] = (await run(READ_VERSION)) as VersionRow[];
  return Number(row!.version);
}

function otherVersion(version: number): OutboxError {
  const advice =
    version > SCHEMA_VERSION
      ? 'Use the version of @plant-store/sdk that made them, or a later one.'
      : 'Run: outbox.migrate(), or plant-store outbox migrate.';
  const message = `The tables of the outbox have version ${version}, and this package needs version ${SCHEMA_VERSION}. ${advice}`;
  return new OutboxError('PLANT_STORE_OUTBOX_VERSION', message);
}
