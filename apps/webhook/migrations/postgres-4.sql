-- The tables of a shared inbox: those of an embedded one, and the leases of the receivers. Times are in milliseconds since
-- 1970, those of leases by the clock of the database. A lease has a new epoch whenever its receiver doesn't know what
-- became of a write, so that what it has sent before writes nothing any more. A queue has more dead rows than others, so it
-- is cleaned earlier.
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
