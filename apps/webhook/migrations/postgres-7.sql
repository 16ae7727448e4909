-- A delivery has a key that no other has. What was stored before isn't written again: see `KEY` in columns.ts. Receivers of
-- version 6 that run meanwhile go on: they store none, so the database draws it. Each table has a primary key: without, a
-- publication of all tables refuses every change.
SET LOCAL search_path = plant_store;
-- A cycle has a row of `receiver` first, so none is under way when the others are locked, whatever its order.
LOCK TABLE receiver IN EXCLUSIVE MODE;
LOCK TABLE inbox_state, delivery IN ACCESS EXCLUSIVE MODE;

ALTER TABLE delivery ADD COLUMN key text NOT NULL DEFAULT ':key_prefix';
ALTER TABLE delivery ALTER COLUMN key SET DEFAULT gen_random_uuid()::text;

ALTER TABLE schema_version ADD PRIMARY KEY (version);
ALTER TABLE inbox_state ADD COLUMN id int PRIMARY KEY DEFAULT 1 CHECK (id = 1);

-- A content as text. PostgreSQL has no text with other bytes than UTF-8 allows, or with a zero: such a content is shown in the
-- format `escape` of bytea. A function of SQL can't catch what `convert_from` reports.
CREATE FUNCTION text_of_7(content bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN convert_from(content, 'UTF8');
EXCEPTION WHEN character_not_in_repertoire THEN
  RETURN encode(content, 'escape');
END $$;

CREATE VIEW overview AS
SELECT
  id, CASE WHEN length(key) = 36 THEN key ELSE key || substr(CAST(1000000000000 + id AS text), 2) END AS key, state,
  to_char(timestamp 'epoch' + received_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS received_at,
  attempts, error, reason, event_id, method, media_type, content_encoding, fields,
  coalesce(discarded_bytes, length(content)) AS bytes, text_of_7(content) AS content
FROM delivery;

-- One cycle of a receiver, see `Store` in store.ts. Its name has the version of the tables: receivers of two versions share
-- them for a while. A receiver whose lease is lost gets nothing, and writes nothing: its result is null. It is a procedure,
-- because the call of a function is planned each time.
--
-- The plans are made while the tables are empty, and kept, so only the indexes may be in them: without these settings the
-- cycle reads whole tables as they grow. `IS TRUE` keeps the index of states out, where dead entries pile up. Nobody waits
-- longer for a row than a receiver waits for a reply.
CREATE PROCEDURE cycle_7(
  me text, my_epoch bigint, lease_time int, room int, longest_wait bigint,
  completed bigint[], completed_starts bigint[], released bigint[], released_starts bigint[],
  failed bigint[], failed_starts bigint[], errors text[], error_groups text[], stacks text[], durations bigint[],
  waits bigint[],
  keys text[], methods text[], media_types text[], content_encodings text[], event_ids text[], field_lists text[],
  offsets int[], sizes int[], contents bytea,
  OUT at bigint, OUT stored bigint[], OUT started bigint[], OUT claimed bigint[], OUT due_in bigint, OUT is_starved boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '10s'
AS $$
DECLARE
  is_stopped boolean;
  may_suspect boolean;
  ids bigint[];
  fresh bigint[];
  last_started bigint;
BEGIN
  IF NOT plant_store.extend_lease_5(me, my_epoch, lease_time) THEN RETURN; END IF;
  PERFORM plant_store.make_durable_5();
  at := extract(epoch FROM clock_timestamp()) * 1000;

  IF cardinality(completed) > 0 THEN
    UPDATE plant_store.delivery SET state = 'handled', ended_at = at, error = NULL, error_group = NULL, interruptions = 0
    FROM unnest(completed, completed_starts) AS r (delivery, start)
    WHERE id = r.delivery AND started_at = r.start AND receiver = me AND (state = 'running') IS TRUE;
  END IF;
  IF cardinality(released) > 0 THEN
    UPDATE plant_store.delivery SET
      state = CASE WHEN attempts > 1 THEN 'retrying' ELSE 'waiting' END, attempts = attempts - 1,
      due_at = CASE WHEN received_at < at THEN received_at ELSE at END, started_at = NULL
    FROM unnest(released, released_starts) AS r (delivery, start)
    WHERE id = r.delivery AND started_at = r.start AND receiver = me AND (state = 'running') IS TRUE;
  END IF;
  IF cardinality(failed) > 0 THEN
    WITH result AS MATERIALIZED (
      SELECT * FROM unnest(failed, failed_starts, errors, error_groups, stacks, durations, waits)
        AS r (delivery, start, message, message_group, stack, duration, wait)
    ), retried AS (
      UPDATE plant_store.delivery SET state = 'retrying', due_at = at + r.wait, ended_at = at, error = r.message,
        error_group = r.message_group, interruptions = 0
      FROM result AS r
      WHERE id = r.delivery AND started_at = r.start AND receiver = me AND (state = 'running') IS TRUE
        AND r.wait IS NOT NULL
      RETURNING id, attempts, started_at, duration, error, stack
    ), parked AS (
      UPDATE plant_store.delivery SET state = 'parked', ended_at = at, error = r.message, error_group = r.message_group,
        interruptions = 0
      FROM result AS r
      WHERE id = r.delivery AND started_at = r.start AND receiver = me AND (state = 'running') IS TRUE AND r.wait IS NULL
      RETURNING id, attempts, started_at, duration, error, stack
    ), ended AS (SELECT * FROM retried UNION ALL SELECT * FROM parked),
    -- Of the attempts of a delivery, the first and the last nine are kept, the one that follows included.
    pruned AS (
      DELETE FROM plant_store.attempt WHERE id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER (PARTITION BY delivery ORDER BY id) AS oldest,
            row_number() OVER (PARTITION BY delivery ORDER BY id DESC) AS newest
          FROM plant_store.attempt WHERE delivery = ANY (failed)
        ) AS kept
        WHERE oldest > 1 AND newest > 8)
    )
    INSERT INTO plant_store.attempt (delivery, number, started_at, duration, receiver, error, stack)
    SELECT id, attempts, started_at, duration, me, error, stack FROM ended;
  END IF;

  is_stopped := (SELECT is_paused FROM plant_store.inbox_state);
  IF is_stopped THEN
    room := 0;
  ELSE
    may_suspect := NOT EXISTS (SELECT FROM plant_store.delivery
      WHERE interruptions >= 2 AND due_at IS NULL AND receiver = me AND (state = 'running') IS TRUE);
    due_in := plant_store.due_in_5(at, longest_wait, may_suspect);
  END IF;
  claimed := '{}';
  -- What is due comes first: an arrival runs only if nothing waits before it.
  IF due_in = 0 AND room > 0 THEN
    WITH suspect AS (
      SELECT 1 AS place, id, due_at, length(content) AS bytes FROM plant_store.delivery
      WHERE may_suspect AND (state = 'waiting' OR state = 'retrying') AND id = coalesce((
        SELECT id FROM plant_store.delivery
        WHERE interruptions >= 2 AND due_at <= at AND (state = 'waiting' OR state = 'retrying') IS TRUE
        ORDER BY due_at LIMIT 1), (
        SELECT id FROM plant_store.delivery
        WHERE interruptions >= 2 AND due_at > at + longest_wait AND (state = 'waiting' OR state = 'retrying') IS TRUE
        ORDER BY due_at LIMIT 1))
      FOR NO KEY UPDATE SKIP LOCKED
    ), due AS (
      SELECT 2 AS place, id, due_at, length(content) AS bytes FROM plant_store.delivery
      WHERE (state = 'waiting' OR state = 'retrying') AND interruptions < 2 AND due_at <= at
      ORDER BY due_at, id LIMIT room FOR NO KEY UPDATE SKIP LOCKED
    ), late AS (
      SELECT 3 AS place, id, due_at, length(content) AS bytes FROM plant_store.delivery
      WHERE (state = 'waiting' OR state = 'retrying') AND interruptions < 2 AND due_at > at + longest_wait
      ORDER BY due_at, id LIMIT room FOR NO KEY UPDATE SKIP LOCKED
    ), counted AS (
      SELECT place, id, bytes, row_number() OVER first AS number, sum(bytes) OVER first AS total
      FROM (SELECT * FROM suspect UNION ALL SELECT * FROM due UNION ALL SELECT * FROM late) AS found
      WINDOW first AS (ORDER BY place, due_at, id ROWS UNBOUNDED PRECEDING)
    )
    SELECT coalesce(array_agg(id ORDER BY number), '{}'), may_suspect AND coalesce(min(place) > 1, true)
    INTO claimed, may_suspect FROM counted
    WHERE number <= room AND (total <= 4194304 OR total = bytes);
    UPDATE plant_store.delivery SET
      state = 'running', attempts = attempts + 1, due_at = NULL, started_at = at, receiver = me
    WHERE id = ANY (claimed);
    room := room - cardinality(claimed);
    due_in := plant_store.due_in_5(at, longest_wait, may_suspect);
  END IF;

  stored := '{}';
  started := '{}';
  IF cardinality(methods) > 0 THEN
    ids := ARRAY(SELECT nextval('plant_store.delivery_id') FROM generate_series(1, cardinality(methods)));
    stored := ids;
    fresh := ids;
    IF array_remove(event_ids, NULL) <> '{}' THEN
      -- All receivers store events in the order of their keys: in another, two would wait for each other.
      INSERT INTO plant_store.event (key, delivery, received_at)
      SELECT sha256(convert_to(e.event, 'UTF8')), e.id, at FROM unnest(ids, event_ids) AS e (id, event)
      WHERE e.event IS NOT NULL ORDER BY 1, 2 ON CONFLICT DO NOTHING;
      -- By another statement, which sees what others have committed meanwhile.
      SELECT array_agg(first ORDER BY n), coalesce(array_agg(id ORDER BY n) FILTER (WHERE id = first), '{}')
      INTO stored, fresh
      FROM (
        SELECT e.n, e.id, CASE WHEN e.event IS NULL THEN e.id ELSE (
          SELECT delivery FROM plant_store.event WHERE key = sha256(convert_to(e.event, 'UTF8'))) END AS first
        FROM unnest(ids, event_ids) WITH ORDINALITY AS e (id, event, n)) AS known;
      IF array_position(stored, NULL) IS NOT NULL THEN
        RAISE EXCEPTION 'its event was deleted meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
    started := fresh[1:greatest(room, 0)];
    last_started := coalesce(started[cardinality(started)], 0);
    INSERT INTO plant_store.delivery (id, state, attempts, received_at, due_at, started_at, receiver, key, method,
      media_type, content_encoding, event_id, fields, content)
    SELECT a.id, CASE WHEN a.id <= last_started THEN 'running' ELSE 'waiting' END, (a.id <= last_started)::int, at,
      CASE WHEN a.id > last_started THEN at END, CASE WHEN a.id <= last_started THEN at END,
      CASE WHEN a.id <= last_started THEN me END, a.key, a.method, a.media_type, a.content_encoding, a.event_id, a.fields,
      substring(contents FROM a.start FOR a.size)
    FROM unnest(ids, stored, keys, methods, media_types, content_encodings, event_ids, field_lists, offsets, sizes)
      AS a (id, first, key, method, media_type, content_encoding, event_id, fields, start, size)
    WHERE a.id = a.first;
    room := room - cardinality(started);
    IF NOT is_stopped AND cardinality(fresh) > cardinality(started) THEN due_in := 0; END IF;
  END IF;
  is_starved := coalesce(due_in = 0, false) AND room <= 0;
END $$;
