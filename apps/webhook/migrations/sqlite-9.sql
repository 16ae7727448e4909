-- A delivery has a key that no other has. What was stored before isn't written again: see `KEY` in columns.ts.
ALTER TABLE delivery ADD COLUMN key TEXT NOT NULL DEFAULT ':key_prefix';

DROP VIEW overview;
CREATE VIEW overview AS
SELECT
  id, CASE WHEN length(key) = 36 THEN key ELSE key || substr(CAST(1000000000000 + id AS text), 2) END AS key, state,
  strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0, 'unixepoch') AS received_at, attempts, error, reason,
  event_id, method, media_type, content_encoding, fields, coalesce(discarded_bytes, length(content)) AS bytes,
  CAST(content AS TEXT) AS content
FROM delivery;
