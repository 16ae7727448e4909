-- A shared inbox as version 4 of its tables had it: it was paused, and its receiver was killed. Deliveries 11 and 12 were
-- deleted.
BEGIN;
CREATE SCHEMA IF NOT EXISTS plant_store;
SET LOCAL search_path = plant_store;

CREATE TABLE schema_version (version int NOT NULL);
INSERT INTO schema_version VALUES (4);

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

INSERT INTO plant_store.delivery (receiver, id, state, received_at, due_at, started_at, ended_at, attempts, replayed_at, error, error_group, reason, event_id, method, media_type, content_encoding, fields, content)
VALUES
  ('host/4711/c0ffee', 1, 'handled', 1700000000000, 1700000002000, 1700000002500, 1700000002600, 2, NULL, NULL, NULL, NULL, 'event 1', 'POST', 'text/plain', NULL, '[["Host","plants.example"]]', convert_to('handled after a failure', 'UTF8')),
  ('host/4711/c0ffee', 2, 'waiting', 1700000000001, 1700000000001, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 'POST', 'text/plain', 'gzip', '[["Host","plants.example"]]', convert_to(repeat('sixteen bytes ..', 65536), 'UTF8')),
  ('host/4711/c0ffee', 3, 'waiting', 1700000000002, 1700000009000, 1700000005000, 1700000005010, 2, NULL, 'Error: no plant 7', 'Error: no plant …', NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', convert_to('waits after two failures', 'UTF8')),
  ('host/4711/c0ffee', 4, 'running', 1700000000003, 1700000000003, 1700000010000, NULL, 1, NULL, NULL, NULL, NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', convert_to('runs for the first time', 'UTF8')),
  ('host/4711/c0ffee', 5, 'running', 1700000000004, 1700000008000, 1700000010000, 1700000006020, 3, NULL, 'Error: no plant 7', 'Error: no plant …', NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', convert_to('runs after two failures', 'UTF8')),
  ('host/4711/c0ffee', 6, 'parked', 1700000000005, 1700000030000, 1700000031000, 1700000031005, 12, NULL, 'TypeError: it''s no plant', 'TypeError: it''s no plant', NULL, NULL, 'PUT', NULL, NULL, '[["Host","plants.example"]]', convert_to('parked after 12 failures', 'UTF8')),
  ('host/4711/c0ffee', 7, 'discarded', 1700000000006, 1700000000006, 1700000002000, 1700000002001, 1, NULL, 'no more', 'no more', 'wrong plant', NULL, 'POST', NULL, NULL, '[]', convert_to('', 'UTF8')),
  ('host/4711/c0ffee', 8, 'waiting', 1700000000007, 1700000009999, 1700000002000, 1700000002001, 0, 1700000009999, NULL, NULL, NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', convert_to('replayed', 'UTF8')),
  ('host/4711/c0ffee', 9, 'waiting', 1700000000008, 1700000000008, NULL, NULL, 0, NULL, NULL, NULL, NULL, 'Ereignis 9 🌳', 'POST', '', NULL, '[["Host","plants.example"],["X-Twice","1"],["x-twice","é"]]', '\x000180feff'),
  ('host/4711/c0ffee', 10, 'running', 1700000000009, 1700000000009, 1700000010000, NULL, 2, NULL, 'the process ended during the attempt', 'the process ended during the attempt', NULL, NULL, 'POST', NULL, NULL, '[["Host","plants.example"]]', convert_to('interrupted before', 'UTF8'));

INSERT INTO plant_store.attempt (receiver, delivery, number, started_at, duration, error, stack)
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

INSERT INTO plant_store.event (key, delivery, received_at)
VALUES
  (sha256(convert_to('event 1', 'UTF8')), 1, 1700000000000),
  (sha256(convert_to('Ereignis 9 🌳', 'UTF8')), 9, 1700000000008),
  (sha256(convert_to('event of a delivery that was deleted', 'UTF8')), 11, 1700000000010);

UPDATE plant_store.handler SET paused = true;

INSERT INTO plant_store.receiver (name, since, expires_at)
VALUES ('host/4711/c0ffee', now() - interval '2 hours', now() - interval '1 hour');

SELECT setval('plant_store.delivery_id', 12);
COMMIT;
