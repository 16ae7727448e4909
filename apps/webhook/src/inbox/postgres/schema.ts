import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { Connections, openingError } from './connect.js';

/** Version of the tables, kept in `schema_version`. */
export const SCHEMA_VERSION = 4;

/** Key of the lock under which the tables are made. */
const LOCK = 0x706c616e;

/**
 * The tables of the shared inbox: those of the embedded one, and the leases of the receivers. Times are in milliseconds
 * since 1970, those of leases by the clock of the database. A lease has a new epoch whenever its receiver doesn't know
 * what became of a write, so that what it has sent before writes nothing any more. A queue has more dead rows than
 * others, so it is cleaned earlier.
 */
const TABLES = `
  CREATE SCHEMA IF NOT EXISTS plant_store;
  SET LOCAL search_path = plant_store;

  CREATE TABLE schema_version (version int NOT NULL);
  INSERT INTO schema_version VALUES (${SCHEMA_VERSION});

  CREATE TABLE receiver (
    name text PRIMARY KEY,
    epoch bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    since timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);

  CREATE SEQUENCE delivery_id AS bigint;
  CREATE TABLE delivery (
    id bigint PRIMARY KEY DEFAULT nextval('delivery_id'),
    state text NOT NULL CHECK (state IN ('waiting', 'running', 'handled', 'parked', 'discarded')),
    received_at bigint NOT NULL,
    due_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    attempts int NOT NULL,
    replayed_at bigint,
    error text,
    error_group text,
    reason text,
    receiver text NOT NULL,
    event_id text,
    method text NOT NULL,
    media_type text,
    content_encoding text,
    fields text NOT NULL,
    content bytea NOT NULL
  ) WITH (
    fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
  );
  ALTER TABLE delivery ALTER COLUMN content SET STORAGE EXTERNAL;
  CREATE INDEX delivery_by_state ON delivery (state, id);
  CREATE INDEX delivery_by_time ON delivery (received_at);
  CREATE INDEX delivery_due ON delivery (due_at, id) WHERE state = 'waiting';
  CREATE INDEX delivery_retrying ON delivery (due_at) WHERE state = 'waiting' AND attempts > 0;
  -- By its hash: a message may be too long for another index.
  CREATE INDEX delivery_by_error ON delivery USING hash (error_group) WHERE error_group IS NOT NULL;

  CREATE TABLE attempt (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    delivery bigint NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
    number int NOT NULL,
    started_at bigint NOT NULL,
    duration bigint,
    receiver text NOT NULL,
    error text NOT NULL,
    stack text
  );
  CREATE INDEX attempt_of_delivery ON attempt (delivery, id);

  CREATE TABLE event (
    key bytea PRIMARY KEY,
    delivery bigint NOT NULL,
    received_at bigint NOT NULL
  );
  CREATE INDEX event_by_time ON event (received_at);

  CREATE TABLE handler (paused boolean NOT NULL, checked_at bigint) WITH (fillfactor = 50);
  INSERT INTO handler VALUES (false, NULL);
`;

/**
 * Makes the tables, one receiver at a time.
 *
 * @throws ReceiverError `INBOX_UNUSABLE` if there are tables of another version
 */
export async function makeTables(client: pg.ClientBase, location: string): Promise<void> {
  if ((await versionOf(client, location)) === SCHEMA_VERSION) return;
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`);
  try {
    if ((await versionOf(client, location)) === 0) await client.query(TABLES);
    await client.query('COMMIT');
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
    try {
      if ((await versionOf(client, servers.location)) === SCHEMA_VERSION) return;
    } finally {
      client.release();
    }
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      `There is no inbox at ${servers.location}. Name the one that the receiver uses with --inbox or INBOX_URL.`,
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
  if (version === SCHEMA_VERSION) return version;
  const advice =
    version < SCHEMA_VERSION
      ? 'Take it along with "plant-inbox export" of the earlier receiver, and "plant-inbox import" of this one, into another database'
      : 'Start a receiver that is as new as the one that made them';
  throw new ReceiverError(
    'INBOX_UNUSABLE',
    `The inbox at ${location} has tables of version ${version}, and this receiver needs version ${SCHEMA_VERSION}. ${advice}.`,
  );
}
