import type pg from 'pg';

import type { Arrival, ResultRow, Stored, WriteBatch, WriteOutcome } from '../store.js';
import { withoutWarning } from './connect.js';
import { type Lease, renewal } from './lease.js';

/**
 * Writes a batch by one statement, which is a transaction and one round trip. It renews the lease first; without it,
 * nothing is written. `$3` and `$5` have a row for each arrival and for each result, `$4` has all contents, one behind
 * the other. All receivers store events in the order of their keys, so that none waits for a deadlock.
 */
const WRITE = `
  WITH lease AS (${renewal('$1', '$2')}),
  arrival AS MATERIALIZED (
    SELECT nextval('plant_store.delivery_id') AS id, a.*,
      CASE WHEN event_id IS NOT NULL THEN sha256(convert_to(event_id, 'UTF8')) END AS key,
      CASE WHEN runs AND NOT (SELECT paused FROM plant_store.handler) THEN received_at END AS started_at
    FROM json_to_recordset($3) AS a (
      position int, "offset" int, bytes int, received_at bigint, runs boolean, event_id text, method text,
      media_type text, content_encoding text, fields text)
    WHERE EXISTS (SELECT FROM lease)
  ),
  new_event AS (
    INSERT INTO plant_store.event (key, delivery, received_at)
    SELECT key, id, received_at FROM arrival WHERE key IS NOT NULL ORDER BY key, position
    ON CONFLICT DO NOTHING
    RETURNING delivery
  ),
  stored AS (
    INSERT INTO plant_store.delivery (id, state, received_at, due_at, started_at, attempts, receiver, event_id, method,
      media_type, content_encoding, fields, content)
    SELECT id, CASE WHEN started_at IS NULL THEN 'waiting' ELSE 'running' END, received_at, received_at, started_at,
      CASE WHEN started_at IS NULL THEN 0 ELSE 1 END, $1, event_id, method, media_type, content_encoding, fields,
      substring($4::bytea FROM "offset" FOR bytes)
    FROM arrival WHERE key IS NULL OR id IN (SELECT delivery FROM new_event)
    RETURNING id
  ),
  result AS (
    UPDATE plant_store.delivery d
    SET state = r.state, attempts = r.next_attempts, due_at = coalesce(r.due_at, d.due_at), started_at = r.started_at,
      ended_at = r.ended_at, error = r.error, error_group = r.error_group
    FROM json_to_recordset($5) AS r (
      id bigint, attempts int, claimed_at bigint, state text, next_attempts int, due_at bigint, started_at bigint,
      ended_at bigint, error text, error_group text, failed json)
    WHERE EXISTS (SELECT FROM lease)
      AND d.id = r.id AND d.state = 'running' AND d.receiver = $1 AND d.attempts = r.attempts
      AND d.started_at = r.claimed_at
    RETURNING d.id AS delivery, r.failed
  ),
  failed AS MATERIALIZED (
    SELECT delivery, f.* FROM result, json_to_record(failed) AS f (
      number int, "startedAt" bigint, duration bigint, receiver text, error text, stack text)
    WHERE failed IS NOT NULL
  ),
  pruned AS (
    DELETE FROM plant_store.attempt WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY delivery ORDER BY id) AS oldest,
          row_number() OVER (PARTITION BY delivery ORDER BY id DESC) AS newest
        FROM plant_store.attempt WHERE delivery IN (SELECT delivery FROM failed)
      ) AS kept
      WHERE oldest > 1 AND newest > 8)
  ),
  new_attempt AS (
    INSERT INTO plant_store.attempt (delivery, number, started_at, duration, receiver, error, stack)
    SELECT delivery, number, "startedAt", duration, receiver, error, stack FROM failed
  )
  SELECT 0 AS position, NULL::bigint AS id, NULL::boolean AS runs FROM lease
  UNION ALL
  SELECT position, stored.id, started_at IS NOT NULL FROM arrival LEFT JOIN stored USING (id)`;

/** Errors of one row, of which the others may be written: its data, a constraint, a limit, or a lock that it waits for. */
const OF_ONE_ROW = /^(22|23|40|54|55P03)/;

/**
 * Writes a batch. If the fault may be of one part, it writes each alone.
 *
 * @returns undefined if the lease was lost; then nothing is written
 * @throws Error of the connection or the server; nobody knows then what was written
 */
export async function writeBatch(
  client: pg.ClientBase,
  lease: Lease,
  batch: WriteBatch,
): Promise<WriteOutcome | undefined> {
  try {
    const arrivals = await writeTogether(client, lease, batch);
    return arrivals && { arrivals, results: batch.results.map(() => undefined) };
  } catch (error) {
    if (!isOfOneRow(error)) throw error;
  }
  const alone = async (part: Partial<WriteBatch>): Promise<Stored | Error | undefined> => {
    try {
      const stored = await writeTogether(client, lease, { arrivals: [], results: [], ...part });
      if (stored === undefined) throw new Error('the lease of this receiver has ended');
      return stored[0];
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      return error as Error;
    }
  };
  const arrivals: (Stored | Error)[] = [];
  for (const arrival of batch.arrivals) arrivals.push((await alone({ arrivals: [arrival] }))!);
  const results: (Error | undefined)[] = [];
  for (const result of batch.results) results.push((await alone({ results: [result] })) as Error | undefined);
  return { arrivals, results };
}

const isOfOneRow = (error: unknown): boolean => OF_ONE_ROW.test((error as { code?: string }).code ?? '');

async function writeTogether(
  client: pg.ClientBase,
  { receiver, epoch }: Lease,
  { arrivals, results }: WriteBatch,
): Promise<(Stored | Error)[] | undefined> {
  const contents = Buffer.concat(arrivals.map(({ content }) => content));
  const values = [receiver, epoch, arrivalRows(arrivals), contents, resultRows(results)];
  const { rows } = await withoutWarning(client, () =>
    client.query<{ position: number; id: number | null; runs: boolean }>(WRITE, values),
  );
  if (rows.length === 0) return undefined;
  const stored = new Map(rows.map(({ position, id, runs }) => [position, { id, runs }]));
  const repeated = arrivals.filter((_, index) => stored.get(index + 1)?.id === null);
  const firsts = await findEvents(client, repeated);
  return arrivals.map(({ eventId }, index) => {
    const { id, runs } = stored.get(index + 1)!;
    if (id !== null) return { id, runs };
    const first = firsts.get(eventId!);
    return first === undefined ? new Error('its event was deleted meanwhile') : { id: first, runs: false };
  });
}

function arrivalRows(arrivals: readonly Arrival[]): string {
  let end = 1;
  return JSON.stringify(
    arrivals.map(
      ({ content, receivedAt, runs, eventId, method, mediaType, contentEncoding, fields }, index) => ({
        position: index + 1,
        offset: (end += content.length) - content.length,
        bytes: content.length,
        received_at: receivedAt,
        runs,
        event_id: eventId,
        method,
        media_type: mediaType,
        content_encoding: contentEncoding,
        fields,
      }),
    ),
  );
}

function resultRows(results: readonly ResultRow[]): string {
  return JSON.stringify(
    results.map(({ id, attempts, claimedAt, next, failed }) => ({
      id,
      attempts,
      claimed_at: claimedAt,
      state: next.state,
      next_attempts: next.attempts,
      due_at: next.dueAt,
      started_at: next.startedAt,
      ended_at: next.endedAt,
      error: next.error,
      error_group: next.errorGroup,
      failed,
    })),
  );
}

/** The deliveries of events that were stored before, by another statement: this one sees what others have committed. */
async function findEvents(
  client: pg.ClientBase,
  repeated: readonly Arrival[],
): Promise<ReadonlyMap<string, number>> {
  if (repeated.length === 0) return new Map();
  const { rows } = await client.query<{ event: string; delivery: number }>(
    `SELECT event, delivery FROM unnest($1::text[]) AS u (event)
     JOIN plant_store.event ON key = sha256(convert_to(event, 'UTF8'))`,
    [repeated.map(({ eventId }) => eventId)],
  );
  return new Map(rows.map(({ event, delivery }) => [event, delivery]));
}
