import type pg from 'pg';

import type { Delivery, Interrupted } from '../inbox.js';
import type { HeaderField } from '../header-field.js';
import { LOCK_CLASS } from './schema.js';

/** A delivery of the backlog whose attempt was cut off because its receiver ended. */
export interface CutOff extends Interrupted {
  readonly bytes: number;
}

/**
 * Where the next claim starts in the index of the backlog. Rows before it are claimed or gone. A session that holds an
 * old snapshot keeps their entries in the index, and each claim would read all of them.
 */
export interface Cursor {
  readonly dueAt: string;
  readonly id: number;
}

export const FROM_THE_START: Cursor = { dueAt: '-infinity', id: 0 };

/** Most content that is claimed at once, in bytes; a single delivery may be larger. */
const MAX_CLAIM_BYTES = 8 * 1_048_576;

interface DeliveryRow {
  readonly id: number;
  readonly received_at: number;
  readonly failures: number;
  readonly suspect: boolean;
  readonly method: string;
  readonly media_type: string | null;
  readonly content_encoding: string | null;
  readonly event_id: string | null;
  readonly fields: string;
  readonly bytes: number;
  readonly content: Buffer | null;
  readonly due_at: string;
}

/** Columns of a delivery `d`. A time is a number of milliseconds since 1970. */
export const DELIVERY_COLUMNS = `
  d.id, extract(epoch FROM d.received_at)::float8 * 1000 AS received_at,
  d.method, d.media_type, d.content_encoding, d.event_id, d.fields`;

/** A content that is larger is read in parts of this size, in bytes: `pg` can't read a value of more than 268 MB. */
const MAX_WHOLE_BYTES = 4 * 1_048_576;

/** The length of the content of a delivery `d`, and the content; null if it is read in parts. */
export const CONTENT_COLUMNS = `
  octet_length(d.content) AS bytes,
  CASE WHEN octet_length(d.content) <= ${MAX_WHOLE_BYTES} THEN d.content END AS content`;

/** The content of a row with {@link CONTENT_COLUMNS}; undefined if it was deleted or emptied since. */
export async function readContent(
  client: pg.Client,
  { id, bytes, content }: Pick<DeliveryRow, 'id' | 'bytes' | 'content'>,
): Promise<Buffer | undefined> {
  if (content !== null) return content;
  const whole = Buffer.allocUnsafe(bytes);
  for (let start = 0; start < bytes; start += MAX_WHOLE_BYTES) {
    const { rows } = await client.query<{ part: Buffer }>(
      'SELECT substr(content, $2, $3) AS part FROM plant_store.delivery WHERE id = $1',
      [id, start + 1, MAX_WHOLE_BYTES],
    );
    if (rows[0] === undefined || rows[0].part.length === 0) return undefined;
    rows[0].part.copy(whole, start);
  }
  return whole;
}

const CLAIM = `
  WITH due AS (
    SELECT delivery_id, due_at, bytes FROM plant_store.backlog
    WHERE receiver IS NULL AND NOT interrupted AND due_at <= now()
      AND (due_at, delivery_id) > ($2::timestamptz, $3::bigint)
    ORDER BY due_at, delivery_id LIMIT $4 FOR UPDATE SKIP LOCKED
  ),
  chosen AS (
    SELECT delivery_id FROM (
      SELECT delivery_id, sum(bytes) OVER (ORDER BY due_at, delivery_id) - bytes AS before FROM due
    ) s WHERE before < ${MAX_CLAIM_BYTES}
  ),
  claimed AS (
    UPDATE plant_store.backlog b SET receiver = $1 FROM chosen WHERE b.delivery_id = chosen.delivery_id
    RETURNING b.*
  )
  SELECT ${DELIVERY_COLUMNS}, ${CONTENT_COLUMNS}, b.failures, b.suspect,
    least(b.due_at, now() - interval '1 s')::text AS due_at
  FROM claimed b JOIN plant_store.delivery d ON d.id = b.delivery_id
  ORDER BY b.due_at, b.delivery_id`;

/** What was claimed from the backlog. */
export interface Claimed {
  readonly deliveries: readonly Delivery[];
  readonly cursor: Cursor;
}

/** Claims deliveries of the backlog that are due, the first due first. Those that others claim now are left out. */
export async function claimBacklog(
  client: pg.Client,
  receiver: number,
  cursor: Cursor,
  limit: number,
): Promise<Claimed> {
  const values = [receiver, cursor.dueAt, cursor.id, limit];
  const { rows } = await client.query<DeliveryRow>({ name: 'claim', text: CLAIM, values });
  const last = rows.at(-1);
  try {
    return {
      deliveries: await Promise.all(rows.map((row) => toDelivery(client, row))),
      cursor: last === undefined ? cursor : { dueAt: last.due_at, id: last.id },
    };
  } catch (error) {
    await client.query(GIVE_BACK, [receiver, rows.map(({ id }) => id)]).catch(() => undefined);
    throw error;
  }
}

/** What was claimed and can't be read. Nobody else would claim it. */
const GIVE_BACK = `
  UPDATE plant_store.backlog SET receiver = NULL WHERE receiver = $1 AND delivery_id = ANY ($2::bigint[])`;

const NEXT_DUE = `
  SELECT extract(epoch FROM due_at - clock_timestamp())::float8 * 1000 AS due_in FROM plant_store.backlog
  WHERE receiver IS NULL AND NOT interrupted AND (due_at, delivery_id) > ($1::timestamptz, $2::bigint)
  ORDER BY due_at, delivery_id LIMIT 1`;

/** Milliseconds until a delivery of the backlog is due, 0 if one is; undefined if there is none. */
export async function nextDueIn(client: pg.Client, { dueAt, id }: Cursor): Promise<number | undefined> {
  const { rows } = await client.query<{ due_in: number }>({
    name: 'next due',
    text: NEXT_DUE,
    values: [dueAt, id],
  });
  const dueIn = rows[0]?.due_in;
  return dueIn === undefined ? undefined : Math.max(0, Math.ceil(dueIn));
}

const BEGIN_ATTEMPTS = `
  INSERT INTO plant_store.under_way (receiver, number, ids, failures) VALUES ($1, $2, $3, $4)`;

/** The handler of a receiver gets these, and has no others. Not flushed: it must outlive the receiver only. */
export async function markUnderWay(
  client: pg.Client,
  receiver: number,
  number: number,
  deliveries: readonly Interrupted[],
): Promise<void> {
  const ids = `{${deliveries.map(({ id }) => id).join(',')}}`;
  const failures = `{${deliveries.map((delivery) => delivery.failures).join(',')}}`;
  await client.query({
    name: 'mark under way',
    text: BEGIN_ATTEMPTS,
    values: [receiver, number, ids, failures],
  });
}

const RECOVER = `
  WITH limited AS (
    UPDATE plant_store.backlog SET due_at = now() + $2 * interval '1 ms'
    WHERE due_at > now() + $2 * interval '1 ms' AND receiver IS NULL AND NOT interrupted
  )
  UPDATE plant_store.backlog SET receiver = $1 WHERE interrupted AND (receiver IS NULL OR receiver = $1)
  RETURNING delivery_id AS id, bytes, failures`;

/** Claims what was cut off, and makes nothing due later than in `maxWait` milliseconds. */
export async function claimCutOff(client: pg.Client, receiver: number, maxWait: number): Promise<CutOff[]> {
  const { rows } = await client.query<CutOff>(RECOVER, [receiver, maxWait]);
  return rows.sort((one, other) => one.id - other.id);
}

const DEAD_RECEIVERS = `
  SELECT id FROM plant_store.receiver WHERE id <> $1 AND NOT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS}::oid AND objid::int = receiver.id
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  )`;

/** The receivers whose session has ended without giving back what they had. */
export async function deadReceivers(client: pg.Client, receiver: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(DEAD_RECEIVERS, [receiver]);
  return rows.map(({ id }) => id);
}

/** How long to wait for the end of a session, in milliseconds. */
const END_TIMEOUT = 1_000;

/**
 * Ends the session of a receiver. Where bytes stopped on the way, the server may not notice for long that the receiver has
 * given up its connection.
 *
 * @param pid the server's process of its writer. Whoever takes up its work has its lock, too, and goes on
 */
export async function endSession(client: pg.Client, receiver: number, pid: number): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid, ${END_TIMEOUT}) FROM pg_locks
     WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS}::oid AND objid::int = $1 AND pid = $2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [receiver, pid],
  );
}

const TAKE_OVER = `
  WITH last AS (
    SELECT handled_through, accepted_through, stored FROM plant_store.progress WHERE receiver = $1
    ORDER BY number DESC LIMIT 1
  ),
  counted AS (UPDATE plant_store.total t SET stored = t.stored + last.stored FROM last),
  mark AS (
    SELECT * FROM (
      SELECT ids, failures FROM plant_store.under_way WHERE receiver = $1 ORDER BY number DESC LIMIT 1
    ) m, unnest(m.ids, m.failures) AS u (id, failed)
  ),
  fresh AS (
    INSERT INTO plant_store.backlog (delivery_id, bytes, interrupted, receiver)
    SELECT d.id, octet_length(d.content), mark.id IS NOT NULL,
      CASE WHEN mark.id IS NOT NULL OR d.id = ANY ($3::bigint[]) THEN $2::int END
    FROM last
    JOIN plant_store.delivery d ON d.id > last.handled_through AND d.id <= last.accepted_through
    LEFT JOIN mark ON mark.id = d.id AND mark.failed = 0
    WHERE d.receiver = $1
      AND NOT EXISTS (SELECT FROM plant_store.parked p WHERE p.delivery_id = d.id)
      AND NOT EXISTS (SELECT FROM plant_store.discarded p WHERE p.delivery_id = d.id)
      AND NOT EXISTS (SELECT FROM plant_store.effect e WHERE e.delivery_id = d.id)
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id, bytes, failures, interrupted
  ),
  claimed AS (
    UPDATE plant_store.backlog b SET
      due_at = now(),
      interrupted = b.interrupted OR c.is_marked,
      receiver = CASE WHEN b.interrupted OR c.is_marked OR b.delivery_id = ANY ($3::bigint[]) THEN $2::int END
    FROM (
      SELECT o.delivery_id, EXISTS (SELECT FROM mark WHERE mark.id = o.delivery_id AND mark.failed = o.failures) AS is_marked
      FROM plant_store.backlog o WHERE o.receiver = $1 AND ($2::int IS NOT NULL OR NOT o.interrupted)
    ) c
    WHERE b.delivery_id = c.delivery_id
    RETURNING b.delivery_id, b.bytes, b.failures, b.interrupted
  ),
  without_receiver AS (
    DELETE FROM plant_store.receiver WHERE id = $1 AND ($2::int IS NOT NULL OR NOT EXISTS (
      SELECT FROM plant_store.backlog WHERE receiver = $1 AND interrupted
    ))
  ),
  without_progress AS (DELETE FROM plant_store.progress WHERE receiver = $1),
  without_marks AS (DELETE FROM plant_store.under_way WHERE receiver = $1)
  SELECT delivery_id AS id, bytes, failures FROM fresh WHERE interrupted
  UNION ALL SELECT delivery_id, bytes, failures FROM claimed WHERE interrupted`;

/**
 * Takes up the work of a receiver whose session has ended: what it had goes to the backlog, for any receiver. What its
 * handler had was cut off, and is claimed by this receiver.
 *
 * @param receiver null if a receiver gives back its own work. What was cut off stays with it then, and is claimed by whoever
 * finds it gone
 * @param running what the handler of this process has, if the other receiver is a session of this process. Nothing was cut
 * off then, although more may be marked
 */
export async function takeOver(
  client: pg.Client,
  other: number,
  receiver: number | null,
  running: readonly number[] | undefined,
): Promise<CutOff[]> {
  const lock = [LOCK_CLASS, other];
  const { rows: locks } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1, $2) AS locked',
    lock,
  );
  if (locks[0]?.locked !== true) return [];
  try {
    if (running !== undefined)
      await client.query('DELETE FROM plant_store.under_way WHERE receiver = $1', [other]);
    // Its last commit was before it lost the lock, so this statement sees it.
    const values = [other, receiver, `{${(running ?? []).join(',')}}`];
    const { rows } = await client.query<CutOff>(TAKE_OVER, values);
    return rows.sort((one, one2) => one.id - one2.id);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1, $2)', lock);
  }
}

async function toDelivery(client: pg.Client, row: DeliveryRow): Promise<Delivery> {
  const content = await readContent(client, row);
  if (content === undefined) throw new Error(`the content of delivery ${row.id} was deleted while it waited`);
  return {
    id: row.id,
    receivedAt: Math.round(row.received_at),
    failures: row.failures,
    suspect: row.suspect,
    method: row.method,
    mediaType: row.media_type,
    contentEncoding: row.content_encoding,
    eventId: row.event_id,
    fields: JSON.parse(row.fields) as HeaderField[],
    content,
  };
}
