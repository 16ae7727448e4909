-- `retrying` is a state; `due_at` is null unless the delivery waits; `interruptions` counts how often in a row its process
-- ended. The states are a chain of OR: for a list, SQLite builds a table each time that a statement runs.
CREATE TABLE new_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'retrying' OR state = 'handled'
    OR state = 'parked' OR state = 'discarded'),
  attempts INTEGER NOT NULL,
  interruptions INTEGER NOT NULL DEFAULT 0,
  received_at INTEGER NOT NULL,
  due_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  replayed_at INTEGER,
  error TEXT,
  error_group TEXT,
  reason TEXT,
  receiver TEXT,
  event_id TEXT,
  method TEXT NOT NULL,
  media_type TEXT,
  content_encoding TEXT,
  fields TEXT NOT NULL,
  content BLOB NOT NULL
) STRICT;
INSERT INTO new_delivery (id, state, attempts, received_at, due_at, started_at, ended_at, replayed_at, error, error_group,
  reason, receiver, event_id, method, media_type, content_encoding, fields, content)
SELECT id, CASE WHEN state = 'waiting' AND attempts > 0 THEN 'retrying' ELSE state END, attempts, received_at,
  CASE WHEN state = 'waiting' THEN due_at END, started_at, ended_at, replayed_at, error,
  CASE WHEN state <> 'handled' THEN error_group END, reason, receiver, event_id, method, media_type, content_encoding,
  fields, content
FROM delivery;

-- Ids are never used again, also those of deliveries that were deleted.
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_delivery', 0
  WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'new_delivery');
UPDATE sqlite_sequence SET seq = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'delivery'), 0)
  WHERE name = 'new_delivery';

DROP VIEW overview;
DROP TABLE delivery;
ALTER TABLE new_delivery RENAME TO delivery;

CREATE INDEX delivery_by_time ON delivery (received_at);
CREATE INDEX delivery_due ON delivery (due_at, id, state) WHERE due_at IS NOT NULL AND interruptions < 2;
CREATE INDEX delivery_suspect ON delivery (due_at, id) WHERE interruptions >= 2;
CREATE INDEX delivery_not_handled ON delivery (state, id) WHERE state <> 'handled';
CREATE INDEX delivery_by_error ON delivery (error_group, id) WHERE error_group IS NOT NULL;

ALTER TABLE handler RENAME TO inbox_state;
ALTER TABLE inbox_state RENAME COLUMN paused TO is_paused;
ALTER TABLE inbox_state RENAME COLUMN checked_at TO probed_at;

CREATE VIEW overview AS
SELECT
  id, state, strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0, 'unixepoch') AS received_at, attempts, error, reason,
  event_id, method, media_type, content_encoding, fields, length(content) AS bytes, CAST(content AS TEXT) AS content
FROM delivery;
