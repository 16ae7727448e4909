/**
 * The tables of the outbox and the functions of a relay. migrate runs it in one transaction.
 *
 * An entry waits; then a relay sends it; then it is delivered, waits again, or is parked. A parked one is replayed or
 * discarded. Each state that is looked for has an index with only its entries, so that the others cost nothing.
 *
 * Each call of a function is one transaction. The settings of a function end with it: nothing stays in a session, which
 * may have other users under PgBouncer. The plans of a queue are found by its indexes, because the figures about its
 * tables are always old. What a function returns is text, because an application may read other types in its own way.
 */
export const tables = `
SET LOCAL search_path = plant_store_outbox;

DO $$ BEGIN
  IF current_setting('server_version_num')::int < 130000 OR getdatabaseencoding() NOT IN ('UTF8', 'SQL_ASCII') THEN
    RAISE EXCEPTION 'the outbox needs PostgreSQL 13 or later, and a database in UTF8';
  END IF;
END $$;

CREATE TABLE schema_version (version int NOT NULL);
INSERT INTO schema_version VALUES (1);

CREATE TYPE state AS ENUM ('waiting', 'sending', 'delivered', 'parked', 'discarded');

-- due_at: from when on it is sent again; null: it is due, whatever the clock says. begun counts its attempts for ever,
-- attempts those that count for the policy. leased_at: when its relay last said that it is still sending it.
CREATE TABLE entry (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  enqueued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  media_type text,
  event_id text,
  state state NOT NULL DEFAULT 'waiting',
  failed_at timestamptz,
  due_at timestamptz,
  relay uuid,
  leased_at timestamptz,
  begun int NOT NULL DEFAULT 0,
  attempts int NOT NULL DEFAULT 0,
  outcome text,
  code text,
  error text,
  settled_at timestamptz,
  content bytea NOT NULL,
  CHECK ((state = 'sending') = (relay IS NOT NULL) AND (relay IS NULL) = (leased_at IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE entry ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX entry_new ON entry (id) WHERE state = 'waiting' AND due_at IS NULL;
CREATE INDEX entry_again ON entry (due_at, id) WHERE state = 'waiting' AND due_at IS NOT NULL;
CREATE INDEX entry_sending ON entry (relay) WHERE state = 'sending';
CREATE INDEX entry_parked ON entry (id) WHERE state = 'parked';
CREATE INDEX entry_done ON entry (settled_at) WHERE state IN ('delivered', 'discarded');

-- A transaction that has written has a number. Without one, nobody knows whether there is a transaction.
CREATE PROCEDURE enqueue(content bytea, media_type text, event_id text) LANGUAGE plpgsql AS $$
BEGIN
  IF pg_current_xact_id_if_assigned() IS NULL THEN
    RAISE no_active_sql_transaction USING MESSAGE = 'the transaction has not written the plant';
  END IF;
  INSERT INTO plant_store_outbox.entry (content, media_type, event_id) VALUES ($1, $2, $3);
END $$;

-- One step of a relay: stores results of attempts, then takes as many entries that are due, with 8 MiB at most, unless
-- the first one is larger. First come new ones after an id, the newest ones, or those that are sent again. A result
-- changes nothing if its attempt isn't that of the entry any more. If there is nothing to do, it writes nothing.
CREATE FUNCTION step(relay_id uuid, results jsonb, most int, after_id bigint, first text)
RETURNS TABLE (entry text, content text) LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET lock_timeout = '10s' AS $$
DECLARE
  ids bigint[] := ARRAY (SELECT (r->>'id')::bigint FROM jsonb_array_elements(results) r);
BEGIN
  -- By id alone: if it were looked for by its state, each step would read what other steps have left in that index, and
  -- that stays as long as any session holds an old snapshot.
  UPDATE plant_store_outbox.entry e SET
    state = r.state, relay = NULL, leased_at = NULL, attempts = r.attempts, outcome = r.outcome, code = r.code,
    error = r.error, failed_at = clock_timestamp(),
    due_at = CASE r.state WHEN 'waiting' THEN clock_timestamp() + r."dueIn" * interval '1 ms' END,
    settled_at = CASE r.state WHEN 'waiting' THEN NULL ELSE clock_timestamp() END
  FROM jsonb_to_recordset(results) AS r (id bigint, relay uuid, begun int, state plant_store_outbox.state,
    "dueIn" float8, attempts int, outcome text, code text, error text)
  WHERE e.id = ANY (ids) AND e.id = r.id AND e.relay = r.relay AND e.begun = r.begun;
  RETURN QUERY
    WITH early AS (
      SELECT e.id, octet_length(e.content) AS bytes FROM plant_store_outbox.entry e
      WHERE e.state = 'waiting' AND e.due_at <= clock_timestamp()
      ORDER BY e.due_at, e.id LIMIT CASE first WHEN 'again' THEN most ELSE 0 END FOR UPDATE SKIP LOCKED
    ), newest AS (
      SELECT e.id, octet_length(e.content) AS bytes FROM plant_store_outbox.entry e
      WHERE e.state = 'waiting' AND e.due_at IS NULL
      ORDER BY e.id DESC LIMIT CASE first WHEN 'newest' THEN most ELSE 0 END FOR UPDATE SKIP LOCKED
    ), new AS (
      SELECT e.id, octet_length(e.content) AS bytes FROM plant_store_outbox.entry e
      WHERE e.state = 'waiting' AND e.due_at IS NULL AND e.id > after_id
      ORDER BY e.id LIMIT CASE first WHEN 'newest' THEN 0 ELSE most - (SELECT count(*) FROM early) END
      FOR UPDATE SKIP LOCKED
    ), late AS (
      SELECT e.id, octet_length(e.content) AS bytes FROM plant_store_outbox.entry e
      WHERE e.state = 'waiting' AND e.due_at <= clock_timestamp()
      ORDER BY e.due_at, e.id
      LIMIT CASE first WHEN 'again' THEN 0 ELSE most - (SELECT count(*) FROM newest) - (SELECT count(*) FROM new) END
      FOR UPDATE SKIP LOCKED
    ), due AS (
      SELECT 1 AS part, * FROM early UNION ALL SELECT 2, * FROM newest
      UNION ALL SELECT 3, * FROM new UNION ALL SELECT 4, * FROM late
    ), measured AS (
      SELECT d.id, sum(d.bytes) OVER (ORDER BY d.part, d.id) - d.bytes AS bytes_before FROM due d
    ), taken AS (
      UPDATE plant_store_outbox.entry e SET
        state = 'sending', relay = relay_id, leased_at = clock_timestamp(), begun = e.begun + 1
      FROM measured m WHERE e.id = m.id AND m.bytes_before < 8388608 RETURNING e.*
    )
    SELECT json_strip_nulls(json_build_object(
      'attempt', json_build_object('id', t.id, 'relay', t.relay, 'begun', t.begun, 'attempts', t.attempts,
        'outcome', t.outcome),
      'isNew', t.due_at IS NULL, 'fixed', json_build_object('mediaType', t.media_type, 'eventId', t.event_id)
    ))::text, encode(t.content, 'base64')
    FROM taken t ORDER BY t.id;
END $$;

-- Extends the leases of a relay's attempts. Whatever else the relay has waits again: the reply that gave it was lost, so
-- no attempt of it began. What waits for a time that was set by a clock which is ahead of this one is due now. Returns
-- how many those were, and the attempts of other relays.
CREATE FUNCTION hold(relay_id uuid, known bigint[]) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET lock_timeout = '10s' AS $$
DECLARE
  clock timestamptz := clock_timestamp();
  corrected bigint;
BEGIN
  UPDATE plant_store_outbox.entry e SET leased_at = clock
    WHERE e.state = 'sending' AND e.relay = relay_id AND e.id = ANY (known)
      AND e.leased_at NOT BETWEEN clock - interval '4 s' AND clock;
  UPDATE plant_store_outbox.entry e SET state = 'waiting', relay = NULL, leased_at = NULL, begun = e.begun - 1
    WHERE e.state = 'sending' AND e.relay = relay_id AND e.id <> ALL (known);
  UPDATE plant_store_outbox.entry e SET due_at = clock, failed_at = clock
    WHERE e.state = 'waiting' AND e.due_at > clock AND e.failed_at > clock;
  GET DIAGNOSTICS corrected = ROW_COUNT;
  RETURN json_build_object('corrected', corrected, 'others', (
    SELECT coalesce(json_agg(o), '[]') FROM (
      SELECT e.id, e.relay, e.begun, e.attempts, e.outcome, e.leased_at AS "leasedAt"
      FROM plant_store_outbox.entry e WHERE e.state = 'sending' AND e.relay <> relay_id
    ) o))::text;
END $$;

-- Deletes up to 1,000 entries that were delivered or discarded so many milliseconds ago. Returns how many.
CREATE FUNCTION delete_old(milliseconds float8) RETURNS text LANGUAGE sql
SET enable_seqscan = off SET jit = off SET lock_timeout = '10s' AS $$
  WITH old AS (
    SELECT id FROM plant_store_outbox.entry
    WHERE state IN ('delivered', 'discarded') AND settled_at < now() - milliseconds * interval '1 ms'
    ORDER BY settled_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM plant_store_outbox.entry e USING old WHERE e.id = old.id RETURNING 1
  )
  SELECT count(*)::text FROM gone
$$;

-- Replays or discards up to 1,000 parked entries after an id: those of a list, or all. Returns how many, and the last id.
CREATE FUNCTION change_parked(new_state state, after_id bigint, ids bigint[], OUT changed text, OUT last text)
LANGUAGE sql SET enable_seqscan = off SET jit = off AS $$
  WITH chosen AS (
    SELECT id FROM plant_store_outbox.entry
    WHERE state = 'parked' AND id > after_id AND (ids IS NULL OR id = ANY (ids))
    ORDER BY id LIMIT 1000 FOR UPDATE
  ), gone AS (
    UPDATE plant_store_outbox.entry e SET
      state = new_state,
      attempts = CASE new_state WHEN 'waiting' THEN 0 ELSE attempts END,
      settled_at = CASE new_state WHEN 'waiting' THEN NULL ELSE clock_timestamp() END
    FROM chosen WHERE e.id = chosen.id RETURNING e.id
  )
  SELECT count(*)::text, max(id)::text FROM gone
$$;
`;
