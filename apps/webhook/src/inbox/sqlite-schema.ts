/** Version of the tables, kept in the file's `user_version`. */
export const SCHEMA_VERSION = 1;

/**
 * The tables of the embedded inbox. `delivery` only grows. A delivery is in `backlog` until it is handled or
 * parked; `backlog` is ordered by when an attempt is due, so that claiming reads its beginning.
 * `overview` is for people who open the file.
 */
export const SCHEMA = `
  CREATE TABLE delivery (
    id INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    method TEXT NOT NULL,
    media_type TEXT,
    content_encoding TEXT,
    content BLOB NOT NULL
  ) STRICT;

  CREATE TABLE backlog (
    due_at INTEGER NOT NULL,
    delivery_id INTEGER NOT NULL REFERENCES delivery (id),
    failures INTEGER NOT NULL,
    error TEXT,
    PRIMARY KEY (due_at, delivery_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE parked (
    delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
    parked_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    error TEXT NOT NULL
  ) STRICT;

  CREATE VIEW overview AS
  SELECT
    delivery.id,
    strftime('%Y-%m-%dT%H:%M:%fZ', delivery.received_at / 1000.0, 'unixepoch') AS received_at,
    CASE
      WHEN parked.delivery_id IS NOT NULL THEN 'parked'
      WHEN backlog.delivery_id IS NOT NULL THEN 'waiting'
      ELSE 'handled'
    END AS state,
    coalesce(parked.failures, backlog.failures, 0) AS failures,
    coalesce(parked.error, backlog.error) AS error,
    delivery.method,
    delivery.media_type,
    delivery.content_encoding,
    length(delivery.content) AS bytes,
    CAST(delivery.content AS TEXT) AS content
  FROM delivery
  LEFT JOIN backlog ON backlog.delivery_id = delivery.id
  LEFT JOIN parked ON parked.delivery_id = delivery.id;

  PRAGMA user_version = ${SCHEMA_VERSION};
`;
