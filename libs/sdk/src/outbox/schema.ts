import { type OutboxDatabase, type Session, withSession } from './database.js';
import { OutboxError } from './outbox-error.js';

/** The first key of the advisory locks; the second one is the number of a relay, or 0 for migrations. */
export const LOCK_CLASS = 0x6f757462;

const VERSION_1 = `
  CREATE SCHEMA IF NOT EXISTS plant_store_outbox;
  SET LOCAL search_path = plant_store_outbox;

  CREATE TABLE schema_version (version int NOT NULL);
  INSERT INTO schema_version VALUES (0);

  CREATE TYPE state AS ENUM ('waiting', 'sending', 'delivered', 'parked', 'discarded');
  CREATE TABLE entry (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    enqueued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    media_type text,
    event_id text,
    state state NOT NULL DEFAULT 'waiting',
    due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    relay int,
    attempts int NOT NULL DEFAULT 0,
    outcome text,
    code text,
    error text,
    settled_at timestamptz,
    content bytea NOT NULL,
    CHECK ((state = 'sending') = (relay IS NOT NULL))
  ) WITH (autovacuum_vacuum_scale_factor = 0.05);
  ALTER TABLE entry ALTER COLUMN content SET STORAGE EXTERNAL;
  CREATE INDEX entry_waiting ON entry (due_at, id) WHERE state = 'waiting';
  CREATE INDEX entry_sending ON entry (relay) WHERE state = 'sending';
  CREATE INDEX entry_parked ON entry (id) WHERE state = 'parked';
  CREATE INDEX entry_done ON entry (settled_at) WHERE state IN ('delivered', 'discarded');

  CREATE PROCEDURE enqueue(content bytea, media_type text, event_id text) LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO plant_store_outbox.entry (content, media_type, event_id) VALUES ($1, $2, $3);
  END $$;

  CREATE SEQUENCE relay_id AS int;
  CREATE TABLE relay (id int PRIMARY KEY, started_at timestamptz NOT NULL DEFAULT now());
`;

/**
 * The tables of the outbox: for each version, what it adds to the one before. An entry is `waiting`, then `sending` by a
 * relay, then `delivered`, `waiting` again, or `parked`; a parked one is replayed or `discarded`. Each state that is
 * looked for has an index with only its entries, so that the others cost nothing. A relay holds an advisory lock with
 * its number for as long as its session lives. When the lock is free, others take its entries.
 *
 * A procedure inserts the entry, because PostgreSQL keeps its plan for the session: also if the caller's library or
 * pooler has no prepared statements. An INSERT that is planned each time costs half as much again.
 */
const VERSIONS = [VERSION_1];

/** Version of the tables, kept in `schema_version`. */
export const SCHEMA_VERSION = VERSIONS.length;

/**
 * Creates the tables of the outbox, or brings them to the version that this package needs. Several may do it at once.
 *
 * @returns the version before; 0 if there were no tables
 * @throws OutboxError `PLANT_STORE_OUTBOX_VERSION` if the tables are of a later version
 */
export function migrate(database: OutboxDatabase): Promise<number> {
  return withSession(database, async (session) => {
    // Before the transaction: one that began earlier may not see the tables that another has made meanwhile. The lock
    // ends with the session.
    await session.query(`SELECT pg_advisory_lock(${LOCK_CLASS}, 0)`);
    const version = await versionOf(session);
    if (version > SCHEMA_VERSION) throw otherVersion(version);
    if (version === SCHEMA_VERSION) return version;
    return session.transaction(async () => {
      for (const statements of VERSIONS.slice(version)) await session.query(statements);
      await session.query(`UPDATE plant_store_outbox.schema_version SET version = ${SCHEMA_VERSION}`);
      return version;
    });
  });
}

/**
 * Checks that the tables are there, and of the right version.
 *
 * @throws OutboxError `PLANT_STORE_OUTBOX_MISSING` or `PLANT_STORE_OUTBOX_VERSION`
 */
export async function requireSchema(session: Session): Promise<void> {
  const version = await versionOf(session);
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) throw otherVersion(version);
  const [row] = await session.query<{ name: string }>('SELECT current_database() AS name');
  throw new OutboxError(
    'PLANT_STORE_OUTBOX_MISSING',
    `The database ${row!.name} has no outbox. Create it with: plant-store outbox migrate. If there is one, this is the wrong database.`,
  );
}

/** The version of the tables; 0 if there are none. */
async function versionOf(session: Session): Promise<number> {
  const [found] = await session.query<{ name: string | null }>(
    `SELECT to_regclass('plant_store_outbox.schema_version')::text AS name`,
  );
  if (found!.name === null) return 0;
  const [row] = await session.query<{ version: string }>(
    'SELECT version::text FROM plant_store_outbox.schema_version',
  );
  return Number(row?.version ?? 0);
}

function otherVersion(version: number): OutboxError {
  const advice =
    version > SCHEMA_VERSION
      ? 'Use the version of @plant-store/sdk that made them, or a later one.'
      : 'Run: plant-store outbox migrate.';
  return new OutboxError(
    'PLANT_STORE_OUTBOX_VERSION',
    `The tables of the outbox have version ${version}, and this package needs version ${SCHEMA_VERSION}. ${advice}`,
  );
}
