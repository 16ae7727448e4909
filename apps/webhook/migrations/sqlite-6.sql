-- The tables of an embedded inbox. Times are in milliseconds since 1970; `fields` has the header fields as a JSON array of
-- names and values, `error_group` what the errors of one fault have in common. An event stays known after its delivery was
-- deleted. The view is for people who open the file.
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'handled', 'parked', 'discarded')),
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  attempts INTEGER NOT NULL,
  replayed_at INTEGER,
  error TEXT,
  error_group TEXT,
  reason TEXT,
  receiver TEXT NOT NULL,
  event_id TEXT,
  method TEXT NOT NULL,
  media_type TEXT,
  content_encoding TEXT,
  fields TEXT NOT NULL,
  content BLOB NOT NULL
) STRICT;

CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  delivery INTEGER NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration INTEGER,
  receiver TEXT NOT NULL,
  error TEXT NOT NULL,
  stack TEXT
) STRICT;
CREATE INDEX attempt_of_delivery ON attempt (delivery, id);

CREATE TABLE event (
  key TEXT PRIMARY KEY,
  delivery INTEGER NOT NULL,
  received_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX event_by_time ON event (received_at);

CREATE TABLE handler (paused INTEGER NOT NULL, checked_at INTEGER) STRICT;
INSERT INTO handler VALUES (0, NULL);

CREATE VIEW overview AS
SELECT
  id, state, strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0, 'unixepoch') AS received_at, attempts, error, reason,
  event_id, method, media_type, content_encoding, fields, length(content) AS bytes, CAST(content AS TEXT) AS content
FROM delivery;
