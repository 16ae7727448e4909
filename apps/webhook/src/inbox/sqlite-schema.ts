const VERSION_1 = `
  CREATE TABLE delivery (
    id INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    method TEXT NOT NULL,
    media_type TEXT,
    content_encoding TEXT,
    content BLOB NOT NULL
  ) STRICT;

  CREATE TABLE progress (
    handled_through INTEGER NOT NULL
  ) STRICT;
  INSERT INTO progress VALUES (0);

  CREATE TABLE backlog (
    delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
    due_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    error TEXT
  ) STRICT;
  CREATE INDEX backlog_due_at ON backlog (due_at);

  CREATE TABLE parked (
    delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
    parked_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    error TEXT NOT NULL
  ) STRICT;
`;

const VERSION_2 = `
  ALTER TABLE delivery ADD COLUMN event_id TEXT;
  CREATE UNIQUE INDEX delivery_event_id ON delivery (event_id) WHERE event_id IS NOT NULL;
`;

const VERSION_3 = `
  ALTER TABLE backlog ADD COLUMN suspect INTEGER NOT NULL DEFAULT 0;
`;

const VERSION_4 = `
  ALTER TABLE delivery ADD COLUMN fields TEXT;

  ALTER TABLE progress ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE progress ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0;
  UPDATE progress SET removed =
    max(handled_through, (SELECT coalesce(max(id), 0) FROM delivery)) - (SELECT count(*) FROM delivery);

  CREATE TABLE discarded (
    delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
    discarded_at INTEGER NOT NULL,
    parked_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    error TEXT NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;

  CREATE TABLE past_event (
    event_id TEXT PRIMARY KEY,
    delivery_id INTEGER NOT NULL,
    received_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX past_event_received_at ON past_event (received_at);
`;

/**
 * The tables of the embedded inbox: for each version, what it adds to the one before.
 *
 * Deliveries are numbered without a gap, and go to the handler in the order of their ids, so one number says how far the
 * handler has come. After `progress.handled_through` everything waits. Up to it everything is handled, except what is in
 * `backlog` (comes again), `parked` (failed for the last time) and `discarded` (parked, and then deleted by somebody, so
 * that its fields and its content are empty). `backlog.suspect` is 1 if the process ended during the last attempt.
 *
 * The retention deletes rows of `delivery` up to `handled_through`, which `progress.removed` counts, and moves their
 * events to `past_event`. `delivery.fields` has the header fields as a JSON array of names and values; it is null if the
 * delivery was stored by version 3 or earlier.
 */
const VERSIONS = [VERSION_1, VERSION_2, VERSION_3, VERSION_4];

/** For people who open the file. */
const OVERVIEW = `
  DROP VIEW IF EXISTS overview;
  CREATE VIEW overview AS
  SELECT
    delivery.id,
    strftime('%Y-%m-%dT%H:%M:%fZ', delivery.received_at / 1000.0, 'unixepoch') AS received_at,
    CASE
      WHEN parked.delivery_id IS NOT NULL THEN 'parked'
      WHEN discarded.delivery_id IS NOT NULL THEN 'discarded'
      WHEN backlog.delivery_id IS NOT NULL OR delivery.id > progress.handled_through THEN 'waiting'
      ELSE 'handled'
    END AS state,
    coalesce(parked.failures, backlog.failures, discarded.failures, 0) AS failures,
    coalesce(parked.error, backlog.error, discarded.error) AS error,
    discarded.reason,
    delivery.event_id,
    delivery.method,
    delivery.media_type,
    delivery.content_encoding,
    delivery.fields,
    length(delivery.content) AS bytes,
    CAST(delivery.content AS TEXT) AS content
  FROM delivery
  CROSS JOIN progress
  LEFT JOIN backlog ON backlog.delivery_id = delivery.id
  LEFT JOIN parked ON parked.delivery_id = delivery.id
  LEFT JOIN discarded ON discarded.delivery_id = delivery.id;
`;

/** Version of the tables, kept in the file's `user_version`; a new file has 0. */
export const SCHEMA_VERSION = VERSIONS.length;

/** The SQL that brings a file of an earlier version to {@link SCHEMA_VERSION}. */
export function schemaSince(version: number): string {
  return [...VERSIONS.slice(version), OVERVIEW, `PRAGMA user_version = ${SCHEMA_VERSION};`].join('');
}
