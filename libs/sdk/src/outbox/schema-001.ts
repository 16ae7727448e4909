/**
 * Version 1 of the outbox. migrate runs it in one transaction.
 *
 * An entry is waiting, then sending by a relay, then delivered, waiting again, or parked; a parked one is
 * replayed or discarded. Each state that is looked for has an index with only its entries, so that the others cost
 * nothing.
 *
 * Each step of a relay is one call of a function, so one transaction. The settings of a function end with it: nothing
 * stays in a session, which may have other users under PgBouncer. The plans of a queue are found by its indexes,
 * because the figures about its tables are always old.
 */
export const schema001 = `
CREATE SCHEMA IF NOT EXISTS plant_store_outbox;
SET LOCAL search_path = plant_store_outbox;

DO $$ BEGIN
  IF current_setting('server_version_num')::int < 130000 OR getdatabaseencoding() NOT IN ('UTF8', 'SQL_ASCII') THEN
    RAISE EXCEPTION 'the outbox needs PostgreSQL 13 or later, and a database in UTF8';
  END IF;
END $$;

CREATE TABLE schema_version (version int NOT NULL);
INSERT INTO schema_version VALUES (1);

CREATE TYPE state AS ENUM ('waiting', 'sending', 'delivered', 'parked', 'discarded');

CREATE TABLE entry (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  enqueued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  media_type text,
  event_id text,
  state state NOT NULL DEFAULT 'waiting',
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  relay uuid,
  cut_off boolean NOT NULL DEFAULT false,
  attempts int NOT NULL DEFAULT 0,
  outcome text,
  code text,
  error text,
  settled_at timestamptz,
  content bytea NOT NULL,
  CHECK ((state = 'sending') = (relay IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE entry ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX entry_waiting ON entry (due_at, id) WHERE state = 'waiting';
CREATE INDEX entry_sending ON entry (relay) WHERE state = 'sending';
CREATE INDEX entry_parked ON entry (id) WHERE state = 'parked';
CREATE INDEX entry_done ON entry (settled_at) WHERE state IN ('delivered', 'discarded');

-- A relay lives until its lease expires. Whatever a relay stores locks its row and names its epoch: once it has another
-- epoch, what it sent before has ended, or changes nothing. since is when it began to renew its lease in time.
CREATE SEQUENCE epoch;
CREATE TABLE relay (
  id uuid PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT nextval('epoch'),
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '15 s'
);

-- The message of a COMMIT inside a function, in the language of the server. A function never commits.
CREATE FUNCTION commit_in_a_transaction() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  COMMIT;
  RETURN NULL;
EXCEPTION WHEN invalid_transaction_termination THEN
  RETURN SQLERRM;
END $$;

-- Inserts an entry. It is a procedure, because PostgreSQL keeps its plan for the session, and because a procedure can
-- tell whether it runs in the caller's transaction. One that has written before has a number. Without, COMMIT fails for
-- one of two reasons: there is a transaction, or there is none, and the block with the handler is in the way.
CREATE PROCEDURE enqueue(content bytea, media_type text, event_id text) LANGUAGE plpgsql AS $$
BEGIN
  IF pg_current_xact_id_if_assigned() IS NULL THEN
    BEGIN
      COMMIT;
    EXCEPTION WHEN invalid_transaction_termination THEN
      IF SQLERRM <> plant_store_outbox.commit_in_a_transaction() THEN
        RAISE no_active_sql_transaction USING MESSAGE = 'there is no transaction';
      END IF;
    END;
  END IF;
  INSERT INTO plant_store_outbox.entry (content, media_type, event_id) VALUES ($1, $2, $3);
END $$;

-- Gives a relay its lease, with a new epoch. Entries that it has, and that aren't among those whose attempts began, wait
-- again: no attempt of them began. Returns the epoch, and those that it still has.
CREATE FUNCTION take_lease(relay_id uuid, begun bigint[], OUT new_epoch text, OUT kept text[]) LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET lock_timeout = '10s' AS $$
BEGIN
  INSERT INTO plant_store_outbox.relay (id) VALUES (relay_id)
    ON CONFLICT (id) DO UPDATE SET epoch = DEFAULT, since = DEFAULT, expires_at = DEFAULT
    RETURNING epoch INTO new_epoch;
  UPDATE plant_store_outbox.entry SET state = 'waiting', relay = NULL
    WHERE state = 'sending' AND relay = relay_id AND NOT cut_off AND id <> ALL (begun);
  SELECT coalesce(array_agg(id::text), '{}') INTO kept FROM plant_store_outbox.entry
    WHERE state = 'sending' AND relay = relay_id;
END $$;

-- Locks the row of a relay until the transaction ends, and renews its lease every few seconds. The lock comes before
-- anything that the caller looks at: a statement in a function sees what was committed before that statement.
CREATE FUNCTION require_lease(relay_id uuid, relay_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  expires timestamptz;
BEGIN
  SELECT expires_at INTO expires FROM plant_store_outbox.relay WHERE id = relay_id AND epoch = relay_epoch
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'PSOLL', MESSAGE = 'the lease was lost';
  END IF;
  IF expires < clock_timestamp() + interval '11 s' THEN
    UPDATE plant_store_outbox.relay SET
      since = CASE WHEN expires < clock_timestamp() + interval '7 s' THEN clock_timestamp() ELSE since END,
      expires_at = DEFAULT
    WHERE id = relay_id;
  END IF;
END $$;

-- One step of a relay: stores the results of its attempts, takes over the entries of relays whose leases have expired,
-- and takes as many that are due, the first due first, from a place in their index on. It takes 8 MiB at most, unless the
-- first one is larger. A result of an entry that the relay no longer has changes nothing.
--
-- After an outage of the database every lease has expired. So one only counts once this relay has renewed its own in time
-- for as long: the others have renewed theirs by then.
--
-- Returns the entries whose attempts may begin, and all whose attempts were cut off and that have no result yet, because
-- the reply of an earlier call may have been lost. If there is nothing to do, it locks and writes nothing.
CREATE FUNCTION store(relay_id uuid, relay_epoch bigint, results jsonb, most int, after_due_at text)
RETURNS TABLE (id text, attempts int, outcome text, cut_off boolean, media_type text, event_id text, content bytea,
  due_at text) LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET lock_timeout = '10s' SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
  dead uuid[];
BEGIN
  IF results = '[]'
    AND EXISTS (SELECT FROM plant_store_outbox.relay r WHERE r.id = relay_id AND r.epoch = relay_epoch
      AND r.expires_at > clock_timestamp() + interval '11 s')
    AND NOT EXISTS (SELECT FROM plant_store_outbox.relay r WHERE r.expires_at < clock_timestamp())
    AND NOT EXISTS (SELECT FROM plant_store_outbox.entry e
      WHERE e.state = 'sending' AND e.relay = relay_id AND e.cut_off)
    AND NOT EXISTS (SELECT FROM plant_store_outbox.entry e
      WHERE e.state = 'waiting' AND e.due_at <= now() AND e.due_at >= after_due_at::timestamptz AND most > 0)
  THEN
    RETURN;
  END IF;
  PERFORM plant_store_outbox.require_lease(relay_id, relay_epoch);
  UPDATE plant_store_outbox.entry e SET
    state = r.state, relay = NULL, cut_off = false, attempts = r.attempts, outcome = r.outcome, code = r.code, error = r.error,
    due_at = CASE r.state WHEN 'waiting' THEN clock_timestamp() + r."dueIn" * interval '1 ms' ELSE e.due_at END,
    settled_at = CASE r.state WHEN 'waiting' THEN NULL ELSE clock_timestamp() END
  FROM jsonb_to_recordset(results) AS r (id bigint, state plant_store_outbox.state, "dueIn" float8, attempts int,
    outcome text, code text, error text)
  WHERE e.id = r.id AND e.state = 'sending' AND e.relay = relay_id;
  WITH expired AS (
    SELECT o.id FROM plant_store_outbox.relay o
    WHERE o.expires_at < clock_timestamp() AND o.id <> relay_id AND EXISTS (
      SELECT FROM plant_store_outbox.relay own
      WHERE own.id = relay_id AND own.since < clock_timestamp() - interval '15 s')
    FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM plant_store_outbox.relay o USING expired WHERE o.id = expired.id RETURNING o.id
  )
  SELECT array_agg(deleted.id) INTO dead FROM deleted;
  UPDATE plant_store_outbox.entry e SET relay = relay_id, cut_off = true
    WHERE e.state = 'sending' AND e.relay = ANY (dead);
  RETURN QUERY SELECT e.id::text, e.attempts, e.outcome, true, NULL, NULL, NULL::bytea, NULL
    FROM plant_store_outbox.entry e WHERE e.state = 'sending' AND e.relay = relay_id AND e.cut_off;
  RETURN QUERY
    WITH due AS (
      SELECT e.id, e.due_at, octet_length(e.content) AS bytes FROM plant_store_outbox.entry e
      WHERE e.state = 'waiting' AND e.due_at <= now() AND e.due_at >= after_due_at::timestamptz
      ORDER BY e.due_at, e.id LIMIT most FOR UPDATE SKIP LOCKED
    ), measured AS (
      SELECT d.id, sum(d.bytes) OVER (ORDER BY d.due_at, d.id) - d.bytes AS bytes_before FROM due d
    ), taken AS (
      UPDATE plant_store_outbox.entry e SET state = 'sending', relay = relay_id
      FROM measured m WHERE e.id = m.id AND m.bytes_before < 8388608 RETURNING e.*
    )
    SELECT t.id::text, t.attempts, t.outcome, false, t.media_type, t.event_id, t.content, t.due_at::text
    FROM taken t ORDER BY t.due_at, t.id;
END $$;

-- Ends the lease of a relay that stops in order. What it still has waits again: no attempt of it began. If it has taken
-- over what it doesn't know of, another one does that when the lease expires.
CREATE FUNCTION end_lease(relay_id uuid, relay_epoch bigint) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET lock_timeout = '10s' AS $$
BEGIN
  PERFORM plant_store_outbox.require_lease(relay_id, relay_epoch);
  UPDATE plant_store_outbox.entry SET state = 'waiting', relay = NULL
    WHERE state = 'sending' AND relay = relay_id AND NOT cut_off;
  DELETE FROM plant_store_outbox.relay WHERE id = relay_id AND NOT EXISTS (
    SELECT FROM plant_store_outbox.entry WHERE state = 'sending' AND relay = relay_id);
END $$;

-- Deletes up to 1,000 entries that were delivered or discarded so many milliseconds ago. Returns how many.
CREATE FUNCTION delete_old(milliseconds float8) RETURNS bigint LANGUAGE sql
SET enable_seqscan = off SET jit = off SET lock_timeout = '10s' AS $$
  WITH old AS (
    SELECT id FROM plant_store_outbox.entry
    WHERE state IN ('delivered', 'discarded') AND settled_at < now() - milliseconds * interval '1 ms'
    ORDER BY settled_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM plant_store_outbox.entry e USING old WHERE e.id = old.id RETURNING 1
  )
  SELECT count(*) FROM gone
$$;

-- Replays or discards up to 1,000 parked entries after an id: those of a list, or all. Returns how many, and the last id.
CREATE FUNCTION change_parked(new_state state, after_id bigint, ids bigint[], OUT changed int, OUT last bigint)
LANGUAGE sql SET enable_seqscan = off SET jit = off AS $$
  WITH chosen AS (
    SELECT id FROM plant_store_outbox.entry
    WHERE state = 'parked' AND id > after_id AND (ids IS NULL OR id = ANY (ids))
    ORDER BY id LIMIT 1000 FOR UPDATE
  ), gone AS (
    UPDATE plant_store_outbox.entry e SET
      state = new_state, due_at = clock_timestamp(),
      attempts = CASE new_state WHEN 'waiting' THEN 0 ELSE attempts END,
      settled_at = CASE new_state WHEN 'waiting' THEN NULL ELSE clock_timestamp() END
    FROM chosen WHERE e.id = chosen.id RETURNING e.id
  )
  SELECT count(*)::int, max(id) FROM gone
$$;
`;
