-- The tables of an embedded inbox. Times are in milliseconds since 1970.

-- `due_at` is null unless the delivery waits; `interruptions` counts how often in a row its process ended; `error_group` is
-- what the errors of one fault have in common; `fields` has the header fields as a JSON array of names and values; `act` is
-- the last act that changed it. A discarded delivery keeps the size of its content. The states are a chain of OR: for a
-- list, SQLite builds a table each time that a statement runs. Ids are never given again.
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'retrying' OR state = 'handled'
    OR state = 'parked' OR state = 'discarded'),
  attempts INTEGER NOT NULL,
  interruptions INTEGER NOT NULL DEFAULT 0,
  received_at INTEGER NOT NULL,
  due_at INTEGER,
  claimed_at INTEGER,
  ended_at INTEGER,
  replayed_at INTEGER,
  error TEXT,
  error_group TEXT,
  reason TEXT,
  receiver TEXT,
  act INTEGER,
  discarded_bytes INTEGER,
  key TEXT NOT NULL,
  method TEXT NOT NULL,
  media_type TEXT,
  content_encoding TEXT,
  event_id TEXT,
  fields TEXT NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE INDEX delivery_by_time ON delivery (received_at);
CREATE INDEX delivery_due ON delivery (due_at, id, state) WHERE due_at IS NOT NULL AND interruptions < 2;
CREATE INDEX delivery_suspect ON delivery (due_at, id) WHERE interruptions >= 2;
CREATE INDEX delivery_not_handled ON delivery (state, id) WHERE state <> 'handled';
CREATE INDEX delivery_by_error ON delivery (error_group, id) WHERE error_group IS NOT NULL;
CREATE INDEX delivery_by_act ON delivery (act, state, attempts) WHERE act IS NOT NULL;

-- Attempts that failed.
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

-- An event stays known after its delivery was deleted.
CREATE TABLE event (
  key TEXT PRIMARY KEY,
  delivery INTEGER NOT NULL,
  received_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX event_by_time ON event (received_at);

-- What operators do. An act has its whole state in its row: which deliveries it changes (`filter`, a JSON object), to how
-- many it applied when it began (`selected`), how many it has changed, behind which id it goes on (`next`), and who carries
-- it out. `handled` and `failed` count what became of those that have left it, to a later act or by the retention.
CREATE TABLE act (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  operator TEXT,
  source TEXT,
  reason TEXT,
  filter TEXT NOT NULL,
  selected INTEGER NOT NULL,
  changed INTEGER NOT NULL DEFAULT 0,
  handled INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  next INTEGER NOT NULL DEFAULT 0,
  receiver TEXT,
  ended_at INTEGER
) STRICT;
CREATE INDEX act_open ON act (changed, id) WHERE ended_at IS NULL;

CREATE TABLE inbox_state (is_paused INTEGER NOT NULL, probed_at INTEGER) STRICT;
INSERT INTO inbox_state VALUES (0, NULL);

-- For people who open the file.
CREATE VIEW overview AS
SELECT
  id, key, state, strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0, 'unixepoch') AS received_at, attempts, error, reason,
  event_id, method, media_type, content_encoding, fields, coalesce(discarded_bytes, length(content)) AS bytes,
  CAST(content AS TEXT) AS content
FROM delivery;
