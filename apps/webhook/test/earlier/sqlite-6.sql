-- An embedded inbox as version 6 of its tables had it: it was paused, and its receiver was killed. Deliveries 11 and 12
-- were deleted.
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
CREATE INDEX delivery_by_state ON delivery (state, id);
CREATE INDEX delivery_by_time ON delivery (received_at);
CREATE INDEX delivery_due ON delivery (state, due_at, id) WHERE state = 'waiting';
CREATE INDEX delivery_retrying ON delivery (state, due_at) WHERE state = 'waiting' AND attempts > 0;
CREATE INDEX delivery_by_error ON delivery (error_group, id) WHERE error_group IS NOT NULL;

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

PRAGMA user_version = 6;

INSERT INTO delivery (receiver, id, state, received_at, due_at, started_at, ended_at, attempts, replayed_at, error, error_group, reason, event_id, method, media_type, content_encoding, fields, content)
VALUES
  ('host/4711/c0ffee', 1, 'handled', 1700000000000, 1700000002000, 1700000002500, 1700000002600, 2, NULL, NULL, NULL, NULL, 'event 1', 'POST', 'text/plain', NULL, '[["Host","plants.example"]]', CAST('handled after a failure' AS BLOB)),
  ('host/4711/c0ffee', 2, 'waiting', 1700000000001, 1700000000001, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 'POST', 'text/plain', 'gzip', '[["Host","plants.example"]]', CAST(replace(hex(zeroblob(65536)), '00', 'sixteen bytes ..') AS BLOB)),
  ('host/4711/c0ffee', 3, 'waiting', 1700000000002, 1700000009000, 1700000005000, 1700000005010, 2, NULL, 'Error: no plant 7', 'Error: no plant …', NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', CAST('waits after two failures' AS BLOB)),
  ('host/4711/c0ffee', 4, 'running', 1700000000003, 1700000000003, 1700000010000, NULL, 1, NULL, NULL, NULL, NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', CAST('runs for the first time' AS BLOB)),
  ('host/4711/c0ffee', 5, 'running', 1700000000004, 1700000008000, 1700000010000, 1700000006020, 3, NULL, 'Error: no plant 7', 'Error: no plant …', NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', CAST('runs after two failures' AS BLOB)),
  ('host/4711/c0ffee', 6, 'parked', 1700000000005, 1700000030000, 1700000031000, 1700000031005, 12, NULL, 'TypeError: it''s no plant', 'TypeError: it''s no plant', NULL, NULL, 'PUT', NULL, NULL, '[["Host","plants.example"]]', CAST('parked after 12 failures' AS BLOB)),
  ('host/4711/c0ffee', 7, 'discarded', 1700000000006, 1700000000006, 1700000002000, 1700000002001, 1, NULL, 'no more', 'no more', 'wrong plant', NULL, 'POST', NULL, NULL, '[]', CAST('' AS BLOB)),
  ('host/4711/c0ffee', 8, 'waiting', 1700000000007, 1700000009999, 1700000002000, 1700000002001, 0, 1700000009999, NULL, NULL, NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', CAST('replayed' AS BLOB)),
  ('host/4711/c0ffee', 9, 'waiting', 1700000000008, 1700000000008, NULL, NULL, 0, NULL, NULL, NULL, NULL, 'Ereignis 9 🌳', 'POST', '', NULL, '[["Host","plants.example"],["X-Twice","1"],["x-twice","é"]]', X'000180feff'),
  ('host/4711/c0ffee', 10, 'running', 1700000000009, 1700000000009, 1700000010000, NULL, 2, NULL, 'the process ended during the attempt', 'the process ended during the attempt', NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', CAST('interrupted before' AS BLOB));

INSERT INTO attempt (receiver, delivery, number, started_at, duration, error, stack)
VALUES
  ('host/4711/c0ffee', 1, 1, 1700000001000, 12, 'Error: no plant 7', 'Error: no plant 7
    at handle (new-plant.handler.js:1:1)'),
  ('host/4711/c0ffee', 3, 1, 1700000001000, 10, 'Error: no plant 7', 'Error: no plant 7
    at handle (new-plant.handler.js:1:1)'),
  ('host/4711/c0ffee', 3, 2, 1700000005000, 10, 'Error: no plant 7', 'Error: no plant 7
    at handle (new-plant.handler.js:1:1)'),
  ('host/4711/c0ffee', 5, 1, 1700000001000, 10, 'Error: no plant 7', 'Error: no plant 7
    at handle (new-plant.handler.js:1:1)'),
  ('host/4711/c0ffee', 5, 2, 1700000006000, 20, 'Error: no plant 7', 'Error: no plant 7
    at handle (new-plant.handler.js:1:1)'),
  ('host/4711/c0ffee', 6, 1, 1700000007000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 4, 1700000013000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 5, 1700000015000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 6, 1700000017000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 7, 1700000019000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 8, 1700000021000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 9, 1700000023000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 10, 1700000025000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 11, 1700000027000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 6, 12, 1700000031000, 5, 'TypeError: it''s no plant', NULL),
  ('host/4711/c0ffee', 7, 1, 1700000002000, 1, 'no more', NULL),
  ('host/4711/c0ffee', 8, 1, 1700000002000, 1, 'no more', NULL),
  ('host/4711/c0ffee', 10, 1, 1700000004000, NULL, 'the process ended during the attempt', NULL);

INSERT INTO event (key, delivery, received_at)
VALUES
  ('event 1', 1, 1700000000000),
  ('Ereignis 9 🌳', 9, 1700000000008),
  ('event of a delivery that was deleted', 11, 1700000000010);

UPDATE handler SET paused = 1;

UPDATE sqlite_sequence SET seq = 12 WHERE name = 'delivery';
