-- What operators do is an `act`. A delivery knows the last one, and those before it: their ids, the oldest first, separated
-- by commas. `filters` is a JSON array. A discarded delivery keeps the size of its content.
CREATE TABLE act (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  operator TEXT,
  source TEXT,
  reason TEXT,
  filters TEXT NOT NULL,
  changed INTEGER NOT NULL
) STRICT;

ALTER TABLE delivery ADD COLUMN act INTEGER;
ALTER TABLE delivery ADD COLUMN earlier_acts TEXT;
ALTER TABLE delivery ADD COLUMN discarded_bytes INTEGER;
CREATE INDEX delivery_by_act ON delivery (act, state, attempts) WHERE act IS NOT NULL;

DROP VIEW overview;
CREATE VIEW overview AS
SELECT
  id, state, strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0, 'unixepoch') AS received_at, attempts, error, reason,
  event_id, method, media_type, content_encoding, fields, coalesce(discarded_bytes, length(content)) AS bytes,
  CAST(content AS TEXT) AS content
FROM delivery;
