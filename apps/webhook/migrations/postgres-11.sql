-- The tables of a shared inbox: those of an embedded one, see sqlite-11.sql, and the leases of the receivers. Times are in
-- milliseconds since 1970, those of leases by the clock of the database. Each table has a primary key: without, a
-- publication of all tables refuses every change. A queue has more dead rows than others, so it is cleaned earlier. What
-- stands for `:name`, migrate.ts says.
CREATE SCHEMA IF NOT EXISTS plant_store;
SET LOCAL search_path = plant_store;

CREATE TABLE schema_version (version int PRIMARY KEY);
INSERT INTO schema_version VALUES (11);

-- The leases. One has a new epoch whenever its receiver doesn't know what became of a write, or may have lost it: what the
-- receiver has sent before writes nothing any more.
CREATE TABLE receiver (
  name text PRIMARY KEY,
  epoch bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  since timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Nobody would find what waits and isn't due.
CREATE SEQUENCE delivery_id AS bigint;
CREATE TABLE delivery (
  id bigint PRIMARY KEY DEFAULT nextval('delivery_id'),
  state text NOT NULL CHECK (state IN ('running', 'handled', 'parked', 'discarded')
    OR state IN ('waiting', 'retrying') AND due_at IS NOT NULL),
  attempts int NOT NULL,
  interruptions int NOT NULL DEFAULT 0,
  received_at bigint NOT NULL,
  due_at bigint,
  claimed_at bigint,
  ended_at bigint,
  replayed_at bigint,
  error text,
  error_group text,
  reason text,
  receiver text,
  act bigint,
  discarded_bytes bigint,
  key text NOT NULL,
  method text NOT NULL,
  media_type text,
  content_encoding text,
  event_id text,
  fields text NOT NULL,
  content bytea NOT NULL
) WITH (
  fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02
);
ALTER TABLE delivery ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX delivery_by_time ON delivery (received_at);
-- `interruptions` is in it so that suspects are passed over without a look at their rows.
CREATE INDEX delivery_due ON delivery (due_at, id, interruptions) WHERE state = 'waiting' OR state = 'retrying';
CREATE INDEX delivery_suspect ON delivery (due_at, id) WHERE interruptions >= :suspect;
CREATE INDEX delivery_not_handled ON delivery (state, id) WHERE state <> 'handled';
-- By its hash: a message may be too long for another index.
CREATE INDEX delivery_by_error ON delivery USING hash (error_group) WHERE error_group IS NOT NULL;
CREATE INDEX delivery_by_act ON delivery (act, state, attempts) WHERE act IS NOT NULL;

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

CREATE TABLE act (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  at bigint NOT NULL,
  operator text,
  source text,
  reason text,
  filter text NOT NULL,
  selected bigint NOT NULL,
  changed bigint NOT NULL DEFAULT 0,
  handled bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  next bigint NOT NULL DEFAULT 0,
  receiver text,
  ended_at bigint
);
CREATE INDEX act_open ON act (changed, id) WHERE ended_at IS NULL;

CREATE TABLE inbox_state (
  id int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  is_paused boolean NOT NULL,
  probed_at bigint
) WITH (fillfactor = 50);
INSERT INTO inbox_state (is_paused) VALUES (false);

-- A content as text. PostgreSQL has no text with other bytes than UTF-8 allows, or with a zero: such a content is shown in the
-- format `escape` of bytea. A function of SQL can't catch what `convert_from` reports.
CREATE FUNCTION text_of_11(content bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN convert_from(content, 'UTF8');
EXCEPTION WHEN character_not_in_repertoire THEN
  RETURN encode(content, 'escape');
END $$;

CREATE VIEW overview AS
SELECT
  id, key, state,
  to_char(timestamp 'epoch' + received_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS received_at,
  attempts, error, reason, event_id, method, media_type, content_encoding, fields,
  coalesce(discarded_bytes, length(content)) AS bytes, text_of_11(content) AS content
FROM delivery;

-- Settings until the transaction ends, because a session may have other users under PgBouncer: a commit is flushed here, and
-- on the standbys that `synchronous_standby_names` asks for, its warnings are told, and what is sent by a process that has
-- ended is broken off. Nothing is set in a session that has them, see connect.ts: that would cost a tenth of a cycle.
CREATE FUNCTION make_durable_11() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') IN ('on', 'remote_apply') AND current_setting('client_min_messages') = 'warning'
    AND current_setting('client_connection_check_interval') = '1s' THEN RETURN; END IF;
  IF current_setting('synchronous_commit') <> 'remote_apply' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
  PERFORM set_config('client_min_messages', 'warning', true), set_config('client_connection_check_interval', '1s', true);
END $$;

-- Whether a receiver has its lease. Until the transaction ends, nobody takes a new one for it. By two statements: the second
-- one sees what was committed while the first one waited. A lease that ends further away than one can last is of a clock that
-- was wrong.
CREATE FUNCTION has_lease_11(me text, my_epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(:lease_lock, hashtext(me));
  RETURN EXISTS (SELECT FROM plant_store.receiver WHERE name = me AND epoch = my_epoch
    AND expires_at BETWEEN clock_timestamp() AND clock_timestamp() + :lease_time);
END $$;

-- When the first delivery is due that waits, and the first suspect: null if none waits, or may run.
CREATE FUNCTION ask_11(me text, may_suspect boolean, OUT is_stopped boolean, OUT first_due bigint, OUT suspect_due bigint)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT is_paused,
    (SELECT due_at FROM plant_store.delivery
      WHERE (state = 'waiting' OR state = 'retrying') AND interruptions < :suspect ORDER BY due_at LIMIT 1),
    CASE WHEN may_suspect AND NOT EXISTS (SELECT FROM plant_store.delivery
        WHERE interruptions >= :suspect AND due_at IS NULL AND receiver = me AND (state = 'running') IS TRUE)
      THEN (SELECT due_at FROM plant_store.delivery
        WHERE interruptions >= :suspect AND (state = 'waiting' OR state = 'retrying') IS TRUE ORDER BY due_at LIMIT 1) END
  INTO is_stopped, first_due, suspect_due FROM plant_store.inbox_state;
END $$;

-- One cycle of a receiver, see `Store` in store.ts. Its name has the version of the tables: receivers of two versions share
-- them for a while. A receiver whose lease is lost gets nothing, and writes nothing: its result is null. It is a procedure,
-- because the call of a function is planned each time.
--
-- It waits for no row of a delivery: who has one locked, such as the transaction of a handler, would stop everything. A result
-- whose row is locked comes back in `locked`.
--
-- The plans are made while the tables are empty, and kept, so only the indexes may be in them: without these settings the
-- cycle reads whole tables as they grow. `IS TRUE` keeps the index of states out, where dead entries pile up.
CREATE PROCEDURE cycle_11(
  me text, my_epoch bigint, room int, may_suspect boolean,
  completed bigint[], completed_claims bigint[], released bigint[], released_claims bigint[],
  failed bigint[], failed_claims bigint[], errors text[], error_groups text[], stacks text[], durations bigint[],
  waits bigint[],
  keys text[], methods text[], media_types text[], content_encodings text[], event_ids text[], field_lists text[],
  offsets int[], sizes int[], contents bytea,
  OUT at bigint, OUT locked bigint[], OUT stored bigint[], OUT started bigint[], OUT claimed bigint[], OUT due_in bigint,
  OUT is_starved boolean, OUT work double precision)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '10s'
AS $$
DECLARE
  waiting record;
  applied int := 0;
  count int;
  ids bigint[];
  fresh bigint[];
  last_started bigint;
BEGIN
  IF NOT plant_store.has_lease_11(me, my_epoch) THEN RETURN; END IF;
  PERFORM plant_store.make_durable_11();
  at := extract(epoch FROM clock_timestamp()) * 1000;

  IF cardinality(completed) > 0 THEN
    WITH free AS MATERIALIZED (
      SELECT id FROM unnest(completed, completed_claims) AS r (delivery, claim) JOIN plant_store.delivery ON id = r.delivery
      WHERE claimed_at = r.claim AND receiver = me AND (state = 'running') IS TRUE FOR NO KEY UPDATE OF delivery SKIP LOCKED)
    UPDATE plant_store.delivery SET :complete FROM free WHERE delivery.id = free.id;
    GET DIAGNOSTICS applied = ROW_COUNT;
  END IF;
  IF cardinality(released) > 0 THEN
    WITH free AS MATERIALIZED (
      SELECT id FROM unnest(released, released_claims) AS r (delivery, claim) JOIN plant_store.delivery ON id = r.delivery
      WHERE claimed_at = r.claim AND receiver = me AND (state = 'running') IS TRUE FOR NO KEY UPDATE OF delivery SKIP LOCKED)
    UPDATE plant_store.delivery SET :release FROM free WHERE delivery.id = free.id;
    GET DIAGNOSTICS count = ROW_COUNT;
    applied := applied + count;
  END IF;
  IF cardinality(failed) > 0 THEN
    WITH free AS MATERIALIZED (
      SELECT r.* FROM unnest(failed, failed_claims, errors, error_groups, stacks, durations, waits)
        AS r (delivery, claim, message, message_group, stack, duration, wait)
      JOIN plant_store.delivery AS d ON d.id = r.delivery
      WHERE d.claimed_at = r.claim AND d.receiver = me AND (d.state = 'running') IS TRUE
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ), retried AS (
      UPDATE plant_store.delivery SET :retry FROM free AS r WHERE id = r.delivery AND r.wait IS NOT NULL
      RETURNING id, attempts, claimed_at, duration, error, stack
    ), parked AS (
      UPDATE plant_store.delivery SET :park FROM free AS r WHERE id = r.delivery AND r.wait IS NULL
      RETURNING id, attempts, claimed_at, duration, error, stack
    ), ended AS (SELECT * FROM retried UNION ALL SELECT * FROM parked),
    -- Of the attempts of a delivery, the first and the last nine are kept, the one that follows included.
    pruned AS (
      DELETE FROM plant_store.attempt WHERE id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER (PARTITION BY delivery ORDER BY id) AS oldest,
            row_number() OVER (PARTITION BY delivery ORDER BY id DESC) AS newest
          FROM plant_store.attempt WHERE delivery = ANY (ARRAY(SELECT delivery FROM free))
        ) AS kept
        WHERE oldest > 1 AND newest > 8)
    )
    INSERT INTO plant_store.attempt (delivery, number, started_at, duration, receiver, error, stack)
    SELECT id, attempts, claimed_at, duration, me, error, stack FROM ended;
    GET DIAGNOSTICS count = ROW_COUNT;
    applied := applied + count;
  END IF;
  locked := '{}';
  IF applied < cardinality(completed) + cardinality(released) + cardinality(failed) THEN
    -- Others are of a receiver that has adopted them, or of nobody any more.
    locked := ARRAY(
      SELECT id FROM unnest(completed || released || failed, completed_claims || released_claims || failed_claims)
        AS r (delivery, claim) JOIN plant_store.delivery ON id = r.delivery
      WHERE claimed_at = r.claim AND receiver = me AND (state = 'running') IS TRUE);
  END IF;

  SELECT * INTO waiting FROM plant_store.ask_11(me, may_suspect);
  claimed := '{}';
  -- What is due comes first: an arrival runs only if nothing waits before it.
  IF room > 0 AND NOT waiting.is_stopped AND least(waiting.first_due, waiting.suspect_due) <= at THEN
    WITH suspect AS (
      SELECT 1 AS place, id, due_at, length(content) AS bytes FROM plant_store.delivery
      WHERE waiting.suspect_due <= at AND interruptions >= :suspect AND due_at <= at
        AND (state = 'waiting' OR state = 'retrying') IS TRUE
      ORDER BY due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ), due AS (
      SELECT 2 AS place, id, due_at, length(content) AS bytes FROM plant_store.delivery
      WHERE (state = 'waiting' OR state = 'retrying') AND interruptions < :suspect AND due_at <= at
      ORDER BY due_at, id LIMIT room FOR NO KEY UPDATE SKIP LOCKED
    ), counted AS (
      SELECT place, id, bytes, row_number() OVER first AS number, sum(bytes) OVER first AS total
      FROM (SELECT * FROM suspect UNION ALL SELECT * FROM due) AS found
      WINDOW first AS (ORDER BY place, due_at, id ROWS UNBOUNDED PRECEDING)
    )
    SELECT coalesce(array_agg(id ORDER BY number), '{}') INTO claimed FROM counted
    WHERE number <= room AND (total <= :max_bytes OR total = bytes);
    UPDATE plant_store.delivery SET :claim WHERE id = ANY (claimed);
    room := room - cardinality(claimed);
    SELECT * INTO waiting FROM plant_store.ask_11(me, may_suspect);
  END IF;
  IF waiting.is_stopped THEN room := 0; END IF;

  stored := '{}';
  started := '{}';
  IF cardinality(methods) > 0 THEN
    ids := ARRAY(SELECT nextval('plant_store.delivery_id') FROM generate_series(1, cardinality(methods)));
    stored := ids;
    fresh := ids;
    IF array_remove(event_ids, NULL) <> '{}' THEN
      LOOP
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
        -- The retention may have deleted one between the two.
        EXIT WHEN array_position(stored, NULL) IS NULL;
      END LOOP;
      -- The first delivery of an event may not be on the standby yet. A commit that has written nothing doesn't wait for it.
      IF cardinality(fresh) < cardinality(ids) THEN
        UPDATE plant_store.receiver SET name = name WHERE name = me;
      END IF;
    END IF;
    started := fresh[1:greatest(room, 0)];
    last_started := coalesce(started[cardinality(started)], 0);
    INSERT INTO plant_store.delivery (id, :accepted)
    SELECT a.id, CASE WHEN a.id <= last_started THEN 'running' ELSE 'waiting' END, (a.id <= last_started)::int, at,
      CASE WHEN a.id > last_started THEN at END, CASE WHEN a.id <= last_started THEN at END,
      CASE WHEN a.id <= last_started THEN me END, a.key, a.method, a.media_type, a.content_encoding, a.event_id, a.fields,
      substring(contents FROM a.start FOR a.size)
    FROM unnest(ids, stored, keys, methods, media_types, content_encodings, event_ids, field_lists, offsets, sizes)
      AS a (id, first, key, method, media_type, content_encoding, event_id, fields, start, size)
    WHERE a.id = a.first;
    room := room - cardinality(started);
    IF cardinality(fresh) > cardinality(started) THEN waiting.first_due := at; END IF;
  END IF;
  IF NOT waiting.is_stopped THEN
    due_in := least(waiting.first_due, waiting.suspect_due) - at;
    IF due_in < 0 THEN due_in := 0; END IF;
    -- Another receiver claims what is due, or somebody has locked it: each cycle would find it again.
    IF due_in = 0 AND room > 0 AND claimed = '{}' THEN due_in := 250; END IF;
  END IF;
  is_starved := coalesce(due_in = 0, false) AND room <= 0;
  work := extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000;
END $$;
