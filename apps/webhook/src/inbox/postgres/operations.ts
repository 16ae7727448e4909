import pg from 'pg';

import type { HeaderField } from '../header-field.js';
import { storableText } from '../inbox.js';
import {
  type Batch,
  type BatchResult,
  countWithin,
  type DeliveryFilter,
  type DeliverySummary,
  type InboxOperations,
  type InboxStats,
  MAX_PART_BYTES,
  type Page,
  type StoredDelivery,
} from '../inbox-operations.js';
import { CONTENT_COLUMNS, DELIVERY_COLUMNS, readContent } from './claim-statements.js';
import { FRESH, IS_IN_NO_TABLE, LAST_PROGRESS } from './progress-statements.js';
import { queryAll } from './session.js';
import { writePaused } from './upkeep-statements.js';

/** What a receiver knows of its own deliveries, and the tables don't say. */
export interface Own {
  readonly receiver: number;
  /** New ones that wait or that the handler has. */
  readonly waiting: readonly number[];
  /** The last one. What comes after it is about to be known. */
  readonly acceptedThrough: number;
}

interface SummaryRow {
  readonly id: number;
  readonly state: DeliverySummary['state'];
  readonly received_at: number;
  readonly failures: number;
  readonly error: string | null;
  readonly due_at: number | null;
  readonly event_id: string | null;
  readonly method: string;
  readonly media_type: string | null;
  readonly content_encoding: string | null;
  readonly bytes: number;
  readonly reason: string | null;
  readonly fields: string;
  readonly content?: Buffer | null;
}

/** A delivery of this receiver waits if the receiver says so; one of another, if it comes after what that has stored. */
const IS_FRESH = `
  CASE WHEN d.receiver = $1 THEN d.id = ANY ($2::bigint[]) OR d.id > $3
  ELSE EXISTS (SELECT FROM last l WHERE l.receiver = d.receiver AND d.id > l.handled_through AND d.id <= l.accepted_through) END`;

const LAST = `
  last AS MATERIALIZED (
    SELECT r.id AS receiver, p.* FROM ${LAST_PROGRESS} WHERE r.id <> $1
  )`;

const SUMMARY = (content: string, from: string): string => `
  SELECT ${DELIVERY_COLUMNS}, ${content},
    coalesce(p.failures, x.failures, b.failures, 0) AS failures,
    coalesce(p.error, x.error, b.error) AS error,
    CASE WHEN b.failures > 0 THEN extract(epoch FROM b.due_at)::float8 * 1000 END AS due_at,
    x.reason,
    CASE
      WHEN p.delivery_id IS NOT NULL THEN 'parked'
      WHEN x.delivery_id IS NOT NULL THEN 'discarded'
      WHEN b.delivery_id IS NOT NULL OR ${IS_FRESH} THEN 'waiting'
      ELSE 'handled'
    END AS state
  FROM ${from} d
  LEFT JOIN plant_store.parked p ON p.delivery_id = d.id
  LEFT JOIN plant_store.discarded x ON x.delivery_id = d.id
  LEFT JOIN plant_store.backlog b ON b.delivery_id = d.id`;

/** The ids of the deliveries in a state that few are in. Of all others, any id may be one. */
const IDS_IN: Readonly<Partial<Record<string, string>>> = {
  parked: 'SELECT delivery_id FROM plant_store.parked',
  discarded: 'SELECT delivery_id FROM plant_store.discarded',
  waiting: `
    SELECT delivery_id FROM plant_store.backlog UNION SELECT unnest($2::bigint[])
    UNION SELECT d.id FROM ${FRESH} WHERE r.id <> $1`,
};

/** The deliveries with these ids. The planner must not read all deliveries in order, and look for each among the ids. */
const withIds = (ids: string, order: 'ASC' | 'DESC'): string => `
  (SELECT delivery_id FROM (${ids}) i WHERE delivery_id BETWEEN $4 AND $5 ORDER BY delivery_id ${order} OFFSET 0) chosen
  CROSS JOIN LATERAL (SELECT * FROM plant_store.delivery WHERE id = chosen.delivery_id OFFSET 0)`;

/** What operators do with the shared inbox, on a connection of their own. */
export abstract class PostgresOperations implements InboxOperations {
  /** Whether the handler of all receivers is paused, as far as this one knows. */
  protected isPaused = false;

  /** The connection of operators. */
  protected abstract operator(): Promise<pg.Client>;

  protected abstract own(): Own;

  async list(filter: DeliveryFilter, { order, after, limit }: Page): Promise<readonly DeliverySummary[]> {
    const isOldestFirst = order === 'oldest first';
    const range = {
      first: Math.max(filter.firstId ?? 0, isOldestFirst ? (after ?? 0) + 1 : 0),
      last: Math.min(filter.lastId ?? MAX_ID, isOldestFirst ? MAX_ID : (after ?? MAX_ID + 1) - 1),
    };
    return (await this.#select(filter, range, isOldestFirst ? 'ASC' : 'DESC', limit, false)).map(toSummary);
  }

  async find(id: number): Promise<StoredDelivery | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.#select({}, { first: id, last: id }, 'ASC', 1, true);
    return row && ((await this.#withContent(row)) ?? this.find(id));
  }

  async read(batch: Batch): ReturnType<InboxOperations['read']> {
    const { rows, next } = await this.#part(batch, true);
    if (rows.length === 0) return { deliveries: [], next };
    const range = { first: rows[0]!.id, last: rows.at(-1)!.id };
    const read = await this.#select(batch.filter, range, 'ASC', rows.length, true);
    const deliveries = await Promise.all(read.map((row) => this.#withContent(row)));
    if (!deliveries.every((delivery) => delivery !== undefined)) return this.read(batch);
    // One that came between, for example because it was replayed, leaves no room for the last.
    const isFull = read.length === rows.length;
    return { deliveries, next: isFull && read.at(-1)!.id < range.last ? read.at(-1)!.id : next };
  }

  async replay(batch: Batch): Promise<BatchResult> {
    const { rows, next } = await this.#part(batch, false);
    const idsIn = (state: DeliverySummary['state']): number[] =>
      rows.filter((row) => row.state === state).map(({ id }) => id);
    const changed = await this.#change(
      rows.map(({ id }) => id),
      replayOf(idsIn('parked'), idsIn('handled'), idsIn('waiting')),
    );
    return { changed, next };
  }

  async discard(batch: Batch, reason: string): Promise<BatchResult> {
    const { rows, next } = await this.#part(batch, true);
    const ids = rows.filter(({ state }) => state === 'parked').map(({ id }) => id);
    const changed = await this.#change(ids, discardOf(ids, pg.escapeLiteral(storableText(reason))));
    return { changed, next };
  }

  /**
   * Changes deliveries whose rows it locks first, so that the statement sees what another operator has made of them. The
   * lock also waits for a retention that deletes them.
   */
  async #change(ids: readonly number[], statement: string): Promise<number> {
    const client = await this.operator();
    const [, result] = await queryAll(
      client,
      `SELECT FROM plant_store.delivery WHERE id = ANY (${bigints(ids)}) ORDER BY id FOR NO KEY UPDATE; ${statement}`,
    );
    return (result!.rows as { changed: number }[])[0]!.changed;
  }

  async setPaused(isPaused: boolean): Promise<void> {
    await writePaused(await this.operator(), isPaused);
    this.isPaused = isPaused;
  }

  async stats(): Promise<InboxStats> {
    const { isPaused } = this;
    const own = this.own();
    const client = await this.operator();
    const values = [own.receiver, `{${own.waiting.join(',')}}`, own.acceptedThrough];
    const { rows } = await client.query<Count>(COUNT, values);
    const { total, waiting, parked, discarded, bytes, oldest } = rows[0]!;
    return {
      waiting,
      handled: total - waiting - parked - discarded,
      parked,
      discarded,
      oldestWaitingAt: oldest === null ? null : Math.round(oldest),
      bytes,
      isPaused,
    };
  }

  /** Undefined if the delivery was deleted or discarded since the row was read. */
  async #withContent(row: SummaryRow): Promise<StoredDelivery | undefined> {
    const content = await readContent(await this.operator(), { ...row, content: row.content ?? null });
    return content && { ...toSummary(row), fields: JSON.parse(row.fields) as HeaderField[], content };
  }

  /** The deliveries of a part of a selection. */
  async #part(
    { filter, after, limit }: Batch,
    limitsBytes: boolean,
  ): Promise<{ rows: readonly SummaryRow[]; next: number | undefined }> {
    const range = { first: Math.max(filter.firstId ?? 0, after + 1), last: filter.lastId ?? MAX_ID };
    const rows = await this.#select(filter, range, 'ASC', limit, false);
    const count = limitsBytes ? countWithin(rows, MAX_PART_BYTES) : rows.length;
    if (count < rows.length) return { rows: rows.slice(0, count), next: rows[count - 1]!.id };
    return { rows, next: rows.length < limit ? undefined : rows.at(-1)!.id };
  }

  async #select(
    { state, receivedFrom, receivedBefore }: DeliveryFilter,
    { first, last }: { first: number; last: number },
    order: 'ASC' | 'DESC',
    limit: number,
    withContent: boolean,
  ): Promise<SummaryRow[]> {
    const { receiver, waiting, acceptedThrough } = this.own();
    const ids = IDS_IN[state ?? ''];
    const content = withContent ? CONTENT_COLUMNS : 'octet_length(d.content) AS bytes';
    const from = ids === undefined ? 'plant_store.delivery' : withIds(ids, order);
    const client = await this.operator();
    const { rows } = await client.query<SummaryRow>({
      text: `
        WITH ${LAST},
        summary AS (
          ${SUMMARY(content, from)}
          WHERE d.id BETWEEN $4 AND $5
            AND ($6::float8 IS NULL OR d.received_at >= to_timestamp($6 / 1000))
            AND ($7::float8 IS NULL OR d.received_at < to_timestamp($7 / 1000))
        )
        SELECT * FROM summary WHERE $8::text IS NULL OR state = $8 ORDER BY id ${order} LIMIT $9`,
      values: [
        receiver,
        `{${waiting.join(',')}}`,
        acceptedThrough,
        first,
        last,
        receivedFrom ?? null,
        receivedBefore ?? null,
        state ?? null,
        limit,
      ],
    });
    return rows;
  }
}

const MAX_ID = Number.MAX_SAFE_INTEGER;

const bigints = (ids: readonly number[]): string => `'{${ids.join(',')}}'::bigint[]`;

/**
 * Brings back what is still parked or handled, or makes it come at once. A delivery that somebody else has replayed in
 * the meantime may be in any table.
 */
const replayOf = (
  parked: readonly number[],
  handled: readonly number[],
  waiting: readonly number[],
): string => `
  WITH unparked AS (
    DELETE FROM plant_store.parked WHERE delivery_id = ANY (${bigints(parked)}) RETURNING delivery_id
  ),
  handled AS (
    SELECT id FROM plant_store.delivery d WHERE id = ANY (${bigints(handled)}) AND ${IS_IN_NO_TABLE}
  ),
  without_effect AS (DELETE FROM plant_store.effect WHERE delivery_id IN (SELECT id FROM handled)),
  brought_back AS (
    INSERT INTO plant_store.backlog (delivery_id, bytes)
    SELECT id, octet_length(content) FROM plant_store.delivery
    WHERE id IN (SELECT delivery_id FROM unparked UNION SELECT id FROM handled)
    ON CONFLICT DO NOTHING RETURNING 1
  ),
  at_once AS (
    UPDATE plant_store.backlog SET due_at = now(), failures = 0, error = NULL, suspect = false
    WHERE delivery_id = ANY (${bigints(waiting)}) AND failures > 0 AND receiver IS NULL AND NOT interrupted RETURNING 1
  )
  SELECT (SELECT count(*) FROM brought_back) + (SELECT count(*) FROM at_once) AS changed`;

/** @param reason a literal of SQL */
const discardOf = (ids: readonly number[], reason: string): string => `
  WITH unparked AS (
    DELETE FROM plant_store.parked WHERE delivery_id = ANY (${bigints(ids)}) RETURNING *
  ),
  kept AS (
    INSERT INTO plant_store.discarded (delivery_id, failures, error, reason)
    SELECT delivery_id, failures, error, ${reason} FROM unparked
  ),
  emptied AS (
    UPDATE plant_store.delivery d SET fields = '[]', content = '' FROM unparked u
    WHERE d.id = u.delivery_id
  )
  SELECT count(*) AS changed FROM unparked`;

interface Count {
  readonly total: number;
  readonly waiting: number;
  readonly parked: number;
  readonly discarded: number;
  readonly bytes: number;
  readonly oldest: number | null;
}

/** Of this receiver's own deliveries, some may have been stored since it said which ones wait, and others settled. */
const COUNT = `
  WITH fresh AS MATERIALIZED (
    SELECT d.id FROM ${FRESH} WHERE (r.id <> $1 OR d.id > $3) AND ${IS_IN_NO_TABLE}
    UNION ALL SELECT d.id FROM unnest($2::bigint[]) AS d (id) WHERE ${IS_IN_NO_TABLE}
  ),
  oldest AS (
    SELECT least((SELECT min(delivery_id) FROM plant_store.backlog), (SELECT min(id) FROM fresh)) AS id
  )
  SELECT
    (SELECT stored FROM plant_store.total) + (SELECT coalesce(sum(p.stored), 0)::bigint FROM ${LAST_PROGRESS}) AS total,
    (SELECT count(*) FROM plant_store.backlog) + (SELECT count(*) FROM fresh) AS waiting,
    (SELECT count(*) FROM plant_store.parked) AS parked,
    (SELECT count(*) FROM plant_store.discarded) AS discarded,
    (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
      WHERE relnamespace = 'plant_store'::regnamespace AND relkind = 'r') AS bytes,
    (SELECT extract(epoch FROM d.received_at)::float8 * 1000 FROM plant_store.delivery d JOIN oldest USING (id)) AS oldest`;

function toSummary(row: SummaryRow): DeliverySummary {
  return {
    id: row.id,
    state: row.state,
    receivedAt: Math.round(row.received_at),
    failures: row.failures,
    error: row.error,
    dueAt: row.due_at === null ? null : Math.round(row.due_at),
    eventId: row.event_id,
    method: row.method,
    mediaType: row.media_type,
    contentEncoding: row.content_encoding,
    bytes: row.bytes,
    reason: row.reason,
  };
}
