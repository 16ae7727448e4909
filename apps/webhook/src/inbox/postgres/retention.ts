import type pg from 'pg';

import type { Retention } from '../inbox-operations.js';
import { LAST_PROGRESS } from './progress-statements.js';
import { LOCK_CLASS } from './schema.js';

/** How many parts the deliveries are in, at most, and some more. Each is dropped as a whole. */
const PARTS = 16;

/** Most deliveries that are moved so that the rest of their part can be dropped, or deleted one by one. */
const MAX_MOVED = 1_024;

/** Most content that is moved, as a part of what its part takes. More would free little space. */
const MAX_MOVED_SHARE = 1 / 2;

/** How long to wait for those who use a part, in milliseconds. While this waits, others wait behind it. */
const LOCK_TIMEOUT = 500;

/** A smaller part is not closed because of its size. */
const MIN_PART_BYTES = 1_048_576;

/** Second key of the advisory lock of this work. Receivers have positive numbers. */
const RETENTION = -1;

/** Deliveries `d` that must stay: they wait, are parked, or a handler has them. Handled ones stay until they expire. */
const MUST_STAY = `(
  EXISTS (SELECT FROM plant_store.backlog b WHERE b.delivery_id = d.id)
  OR EXISTS (SELECT FROM plant_store.parked p WHERE p.delivery_id = d.id)
  OR EXISTS (SELECT FROM ${LAST_PROGRESS}
    WHERE r.id = d.receiver AND d.id > p.handled_through AND d.id <= p.accepted_through)
)`;

/** The columns of a delivery, except its part. */
const COLUMNS = 'id, receiver, received_at, method, media_type, content_encoding, event_id, fields, content';

/** An old part of the deliveries, and what of it must stay. */
interface OldPart {
  readonly bytes: number;
  readonly stays: number;
  readonly stay_bytes: number;
  /** Whether it also has deliveries that have not expired. */
  readonly is_needed: boolean;
}

/**
 * Deletes some of what the retention doesn't keep: a part of the deliveries as a whole. What must stay of it moves to
 * part 0, if that is little. One receiver at a time does this, on a connection of its own.
 *
 * @returns how many deliveries, identifiers of events and rows of `effect` were deleted
 */
export async function removeExpired(client: pg.Client, retention: Retention): Promise<number> {
  const lock = [LOCK_CLASS, RETENTION];
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1, $2) AS locked',
    lock,
  );
  if (rows[0]?.locked !== true) return 0;
  try {
    const now = Date.now();
    const cutoff = Math.max(0, now - retention.maxAge);
    await dropDetached(client);
    const events = await removeEvents(client, Math.max(0, now - retention.maxEventAge));
    const effects = await removeEffects(client);
    const isTooMuch = await takesMoreThan(client, retention.maxBytes);
    const single = await removeSingly(client, cutoff, isTooMuch);
    await closePart(client, retention);
    return events + effects + single + (await dropOldest(client, cutoff, isTooMuch));
  } finally {
    await client.query('SELECT pg_advisory_unlock($1, $2)', lock);
  }
}

async function removeEvents(client: pg.Client, cutoff: number): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM plant_store.event WHERE key IN (
       SELECT key FROM plant_store.event e WHERE accepted_at < to_timestamp($1 / 1000.0)
         AND NOT EXISTS (SELECT FROM plant_store.delivery d WHERE d.id = e.delivery_id)
       ORDER BY accepted_at LIMIT ${MAX_MOVED})`,
    [cutoff],
  );
  return rowCount ?? 0;
}

/** Rows of `effect` whose deliveries were deleted. Only those of part 0 may be older than all parts. */
async function removeEffects(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM plant_store.effect WHERE delivery_id IN (
       SELECT delivery_id FROM plant_store.effect e
       WHERE delivery_id < (SELECT min(id) FROM plant_store.delivery WHERE part <> 0)
         AND NOT EXISTS (SELECT FROM plant_store.delivery d WHERE d.part = 0 AND d.id = e.delivery_id)
       ORDER BY delivery_id LIMIT ${MAX_MOVED})`,
  );
  return rowCount ?? 0;
}

/** Whether the tables take more than this many bytes. */
async function takesMoreThan(client: pg.Client, maxBytes: number | undefined): Promise<boolean> {
  if (maxBytes === undefined) return false;
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE relnamespace = 'plant_store'::regnamespace AND relkind = 'r'`,
  );
  return rows[0]!.bytes > maxBytes;
}

/**
 * Deletes rows where no part can be dropped: in part 0, in the newest part, which has old ones only if a clock was wrong
 * or if the receiver was stopped for long, and in parts of which too much must stay.
 *
 * @param isTooMuch whether to delete from part 0 whatever may be deleted, which then gives back its space
 */
async function removeSingly(client: pg.Client, cutoff: number, isTooMuch: boolean): Promise<number> {
  const count = await inTransaction(client, async () => {
    const { rows: found } = await client.query<{ id: number }>(
      `SELECT id FROM plant_store.delivery d
       WHERE (d.received_at < to_timestamp($1 / 1000.0) OR ($2 AND d.part = 0)) AND NOT ${MUST_STAY}
         AND (d.part = 0 OR d.part = (SELECT max(part) FROM plant_store.part) OR d.part IN (
           SELECT part FROM plant_store.part p WHERE p.created_at < to_timestamp($1 / 1000.0) - interval '1 day'))
       LIMIT ${MAX_MOVED} FOR UPDATE OF d SKIP LOCKED`,
      [cutoff, isTooMuch],
    );
    // Whoever writes nothing doesn't wait for a standby.
    if (found.length === 0) return 0;
    // A statement of its own, after the locks: it sees what operators have replayed before.
    const { rows } = await client.query<{ count: number }>(
      `WITH removed AS (
         DELETE FROM plant_store.delivery d WHERE id = ANY ($1::bigint[]) AND NOT ${MUST_STAY} RETURNING id),
       discarded AS (DELETE FROM plant_store.discarded WHERE delivery_id IN (SELECT id FROM removed))
       UPDATE plant_store.total SET stored = stored - (SELECT count(*) FROM removed)
       RETURNING (SELECT count(*) FROM removed)`,
      [found.map(({ id }) => id)],
    );
    return rows[0]!.count;
  });
  if (isTooMuch && count > 0) await client.query('VACUUM plant_store.delivery_0');
  return count;
}

async function inTransaction<Result>(client: pg.Client, run: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  try {
    const result = await run();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Begins a new part, if the newest one is old or large enough. Receivers use it from their next poll on. */
async function closePart(client: pg.Client, { maxAge, maxBytes }: Retention): Promise<void> {
  const { rows } = await client.query<{ part: number; age: number; bytes: number }>(
    `SELECT part, extract(epoch FROM now() - created_at)::float8 * 1000 AS age,
       pg_total_relation_size(('plant_store.delivery_' || part)::regclass) AS bytes
     FROM plant_store.part ORDER BY part DESC LIMIT 1`,
  );
  const { part, age, bytes } = rows[0]!;
  const isLarge = maxBytes !== undefined && bytes > Math.max(maxBytes / PARTS, MIN_PART_BYTES);
  if (!isLarge && age < maxAge / PARTS) return;
  const next = part + 1;
  await client.query(`
    CREATE TABLE plant_store.delivery_${next} (LIKE plant_store.delivery INCLUDING ALL);
    ALTER TABLE plant_store.delivery ATTACH PARTITION plant_store.delivery_${next} FOR VALUES IN (${next});
    INSERT INTO plant_store.part (part) VALUES (${next})`);
}

/**
 * Drops the oldest part of which little must stay, unless it is the newest one. As long as all parts have room, what is
 * not expired stays where it is, and so does its part.
 */
async function dropOldest(client: pg.Client, cutoff: number, isTooMuch: boolean): Promise<number> {
  const { rows: old } = await client.query<{ part: number }>(
    'SELECT part FROM plant_store.part WHERE part < (SELECT max(part) FROM plant_store.part) ORDER BY part',
  );
  for (const { part } of old) {
    const { rows } = await client.query<OldPart>(
      `SELECT pg_total_relation_size('plant_store.delivery_${part}') AS bytes,
         count(*) AS stays, coalesce(sum(content_bytes), 0) AS stay_bytes,
         NOT $2 AND EXISTS (
           SELECT FROM plant_store.delivery d
           WHERE d.part = $1 AND d.received_at >= to_timestamp($3 / 1000.0) AND NOT ${MUST_STAY}) AS is_needed
       FROM (
         SELECT octet_length(d.content) AS content_bytes FROM plant_store.delivery d
         WHERE d.part = $1 AND ${MUST_STAY}
         ORDER BY d.id DESC LIMIT ${MAX_MOVED + 1}) k`,
      [part, isTooMuch, cutoff],
    );
    const { bytes, stays, stay_bytes: stayBytes, is_needed: isNeeded } = rows[0]!;
    if (isNeeded) return 0;
    if (stays <= MAX_MOVED && stayBytes <= bytes * MAX_MOVED_SHARE) return emptyPart(client, part);
  }
  return 0;
}

/**
 * Moves what stays, and empties a part. The lock makes sure that nobody stores something there meanwhile, and the
 * constraint that nobody does it afterwards: a receiver that has not looked for the newest part may have waited for the
 * lock.
 */
async function emptyPart(client: pg.Client, part: number): Promise<number> {
  const table = `plant_store.delivery_${part}`;
  try {
    const removed = await inTransaction(client, async () => {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
      await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      await client.query(
        `UPDATE plant_store.delivery d SET part = 0 WHERE d.part = ${part} AND ${MUST_STAY}`,
      );
      await client.query(
        `DELETE FROM plant_store.discarded x USING plant_store.delivery d WHERE d.part = ${part} AND d.id = x.delivery_id`,
      );
      const { rows } = await client.query<{ count: number }>(`SELECT count(*) FROM ${table}`);
      await client.query(`UPDATE plant_store.total SET stored = stored - ${rows[0]!.count}`);
      await client.query(`TRUNCATE ${table}; ALTER TABLE ${table} ADD CHECK (false) NOT VALID`);
      await client.query(`DELETE FROM plant_store.part WHERE part = ${part}`);
      return rows[0]!.count;
    });
    await dropDetached(client);
    return removed;
  } catch (error) {
    // Somebody reads it, perhaps for long.
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return 0;
    throw error;
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Drops the tables of parts that were emptied. If one has something nevertheless, that moves to part 0. While somebody
 * uses a part for long, it stays until a later call. Its detaching may have begun then, and must end before another one's.
 */
async function dropDetached(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ part: number; is_attached: boolean; is_pending: boolean }>(
    `SELECT substr(relname, 10)::int AS part, relispartition AS is_attached,
       coalesce(inhdetachpending, false) AS is_pending
     FROM pg_class c LEFT JOIN pg_inherits ON inhrelid = c.oid
     WHERE relnamespace = 'plant_store'::regnamespace AND relkind = 'r' AND relname ~ '^delivery_[1-9][0-9]*$'
       AND NOT EXISTS (SELECT FROM plant_store.part p WHERE 'delivery_' || p.part = c.relname)
     ORDER BY is_pending DESC, part`,
  );
  try {
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT}`);
    for (const { part, is_attached, is_pending } of rows) {
      const table = `plant_store.delivery_${part}`;
      const how = is_pending ? 'FINALIZE' : 'CONCURRENTLY';
      if (is_attached)
        await client.query(`ALTER TABLE plant_store.delivery DETACH PARTITION ${table} ${how}`);
      await client.query(`
        WITH late AS (DELETE FROM ${table} RETURNING ${COLUMNS})
        INSERT INTO plant_store.delivery (part, ${COLUMNS}) SELECT 0, ${COLUMNS} FROM late`);
      await client.query(`DROP TABLE ${table}`);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
  } finally {
    await client.query('SET lock_timeout = 0');
  }
}
