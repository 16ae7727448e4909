import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { connectToPrimary, openingError } from './connect.js';

/** The first key of the advisory locks of receivers; the second one is the receiver's number, or 0 for migrations. */
export const LOCK_CLASS = 0x706c616e;

const VERSION_1 = `
  CREATE SCHEMA IF NOT EXISTS plant_store;
  SET LOCAL search_path = plant_store;

  CREATE TABLE schema_version (version int NOT NULL);
  INSERT INTO schema_version VALUES (0);

  CREATE SEQUENCE delivery_id AS bigint;
  CREATE SEQUENCE receiver_id AS int;

  CREATE TABLE delivery (
    id bigint NOT NULL,
    part int NOT NULL,
    receiver int,
    received_at timestamptz NOT NULL,
    method text NOT NULL,
    media_type text,
    content_encoding text,
    event_id text,
    fields text NOT NULL,
    content bytea NOT NULL
  ) PARTITION BY LIST (part);
  ALTER TABLE delivery ALTER COLUMN content SET STORAGE EXTERNAL;
  CREATE INDEX delivery_by_id ON delivery (id);
  CREATE INDEX delivery_by_time ON delivery USING brin (received_at) WITH (pages_per_range = 32);

  CREATE TABLE part (part int PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE delivery_0 PARTITION OF delivery FOR VALUES IN (0);
  CREATE TABLE delivery_1 PARTITION OF delivery FOR VALUES IN (1);
  INSERT INTO part VALUES (1);

  CREATE TABLE event (
    key bytea PRIMARY KEY,
    delivery_id bigint NOT NULL,
    accepted_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX event_by_time ON event (accepted_at);

  CREATE TABLE receiver (
    id int PRIMARY KEY,
    name text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE progress (
    receiver int NOT NULL,
    number bigint NOT NULL,
    handled_through bigint NOT NULL,
    accepted_through bigint NOT NULL,
    PRIMARY KEY (receiver, number)
  );

  CREATE UNLOGGED TABLE under_way (
    receiver int NOT NULL,
    number bigint NOT NULL,
    ids bigint[] NOT NULL,
    failures int[] NOT NULL,
    PRIMARY KEY (receiver, number)
  );

  CREATE TABLE backlog (
    delivery_id bigint PRIMARY KEY,
    bytes int NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now(),
    failures int NOT NULL DEFAULT 0,
    error text,
    suspect boolean NOT NULL DEFAULT false,
    interrupted boolean NOT NULL DEFAULT false,
    receiver int
  );
  CREATE INDEX backlog_due ON backlog (due_at, delivery_id) WHERE receiver IS NULL AND NOT interrupted;

  CREATE TABLE parked (
    delivery_id bigint PRIMARY KEY,
    parked_at timestamptz NOT NULL DEFAULT now(),
    failures int NOT NULL,
    error text NOT NULL
  );

  CREATE TABLE discarded (
    delivery_id bigint PRIMARY KEY,
    discarded_at timestamptz NOT NULL DEFAULT now(),
    failures int NOT NULL,
    error text NOT NULL,
    reason text NOT NULL
  );

  CREATE TABLE effect (delivery_id bigint PRIMARY KEY);

  CREATE TABLE handler (is_paused boolean NOT NULL);
  INSERT INTO handler VALUES (false);
`;

/** How many deliveries are stored is known without counting them. */
const VERSION_2 = `
  SET LOCAL search_path = plant_store;

  CREATE TABLE total (stored bigint NOT NULL);
  INSERT INTO total SELECT count(*) FROM delivery;

  ALTER TABLE progress ADD COLUMN stored bigint NOT NULL DEFAULT 0;
`;

/**
 * The tables of the shared inbox: for each version, what it adds to the one before.
 *
 * `delivery` only grows, and whole parts of it are dropped. Part 0 has what outlives its part. A receiver keeps what it
 * accepts in memory for its handler. How far it has come is a row of `progress` for each commit, so that no row is
 * updated: a session that holds an old snapshot must not make claims slow. It also counts the deliveries that the
 * receiver has stored; `total` has those of receivers that are gone, less what was deleted. Of a receiver's deliveries after
 * `handled_through` all may wait; up to it everything is handled, except what is in `backlog` (comes again, or waits for
 * any receiver), `parked` (failed for the last time) and `discarded`. A row of `effect` was committed by a transaction of
 * the handler: that delivery is handled, and the handler's transaction doesn't run again for it. `under_way` has what the
 * handler of a receiver has at the moment; it outlives the receiver, and not a crash of PostgreSQL, as the file of the
 * embedded inbox. A receiver holds an advisory lock with its number for as long as its session lives. When the lock is
 * free, others take its work.
 */
const VERSIONS = [VERSION_1, VERSION_2];

/** Version of the tables, kept in `schema_version`. */
export const SCHEMA_VERSION = VERSIONS.length;

/**
 * Brings the tables to {@link SCHEMA_VERSION}, one receiver at a time.
 *
 * @throws ReceiverError `INBOX_UNUSABLE` if the tables are of a later version
 */
export async function migrate(client: pg.Client, location: string): Promise<void> {
  if ((await versionOf(client, location)) === SCHEMA_VERSION) return;
  const lock = [LOCK_CLASS, 0];
  // Before the transaction: one that began earlier may not see the tables that another receiver has made meanwhile.
  await client.query('SELECT pg_advisory_lock($1, $2)', lock);
  try {
    await client.query('BEGIN');
    const version = await versionOf(client, location);
    for (const statements of VERSIONS.slice(version)) await client.query(statements);
    await client.query(`UPDATE plant_store.schema_version SET version = ${SCHEMA_VERSION}`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1, $2)', lock);
  }
}

/**
 * Makes sure that a receiver has made the tables, and brought them to {@link SCHEMA_VERSION}.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`
 */
export async function requireTables(servers: PostgresServers): Promise<void> {
  const { client } = await connectToPrimary(servers);
  try {
    const version = await versionOf(client, servers.location);
    if (version === SCHEMA_VERSION) return;
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      version === 0
        ? `There is no inbox at ${servers.location}. Name the one that the receiver uses with --inbox or INBOX_URL.`
        : `The inbox at ${servers.location} has tables of version ${version}, and version ${SCHEMA_VERSION} is needed. Start a receiver of this version first: it updates them.`,
    );
  } catch (error) {
    throw openingError(servers.location, error);
  } finally {
    await client.end();
  }
}

/** The version of the tables; 0 if there are none. */
async function versionOf(client: pg.Client, location: string): Promise<number> {
  const { rows: found } = await client.query<{ table: string | null }>(
    `SELECT to_regclass('plant_store.schema_version')::text AS "table"`,
  );
  if (found[0]?.table === null) return 0;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM plant_store.schema_version');
  const version = rows[0]?.version ?? 0;
  if (version > SCHEMA_VERSION)
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      `The inbox at ${location} has tables of version ${version}, and this receiver knows only those up to version ${SCHEMA_VERSION}. Start a receiver that is as new as the one that made them.`,
    );
  return version;
}
