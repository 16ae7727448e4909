import type Database from 'libsql';

import { DamagedRowError, isDamage } from './damage.js';
import type { HeaderField } from './header-field.js';
import type { DeliveryState, DeliverySummary, Page } from './inbox-operations.js';
import { DELIVERY_COLUMNS, type DeliveryRow, textIn, toIncoming } from './sqlite-statements.js';

/** Ids, from the first to the last. */
interface IdRange {
  readonly first: number;
  readonly last: number;
}

/** What the tables of the handler's results say of a delivery. */
export interface Outcome extends Pick<DeliverySummary, 'id' | 'failures' | 'error' | 'dueAt' | 'reason'> {
  /** Null if it is in none of them: it is handled, or waits for its first attempt. */
  readonly state: DeliveryState | null;
}

/** What was received of a delivery, without fields and content. */
export type Received = Pick<
  DeliverySummary,
  'id' | 'receivedAt' | 'eventId' | 'method' | 'mediaType' | 'contentEncoding' | 'bytes'
>;

/** What was sent of a delivery. */
export interface Sent {
  readonly fields: readonly HeaderField[];
  readonly content: Uint8Array;
}

type SummaryRow = Omit<DeliveryRow, 'content' | 'fields'> & { readonly bytes: number | null };

/** How many rows the tables have. */
interface Count {
  /** How many deliveries the retention has deleted. */
  readonly removed: number;
  readonly isPaused: boolean;
  readonly backlog: number;
  readonly parked: number;
  readonly discarded: number;
  /** Of the three, the rows after the last claimed id. After a crash there may be some. */
  readonly after: number;
}

export type OperationStatements = ReturnType<typeof prepareOperationStatements>;

/** Most identifiers of events that are deleted in one transaction. */
const MAX_REMOVED_EVENTS = 1_024;

const BETWEEN = 'BETWEEN ?1 AND ?2';

/** Prepares the statements of what operators do. None of them reads more than it is asked for. */
export function prepareOperationStatements(database: Database.Database) {
  const inBothOrders = (sql: string): Record<Page['order'], Database.Statement> => ({
    'oldest first': database.prepare(`${sql} ORDER BY 1 ASC LIMIT ?3`),
    'newest first': database.prepare(`${sql} ORDER BY 1 DESC LIMIT ?3`),
  });
  const ids = {
    all: inBothOrders(`SELECT id FROM delivery WHERE id ${BETWEEN}`),
    parked: inBothOrders(`SELECT delivery_id AS id FROM parked WHERE delivery_id ${BETWEEN}`),
    discarded: inBothOrders(`SELECT delivery_id AS id FROM discarded WHERE delivery_id ${BETWEEN}`),
    waiting: inBothOrders(`
      SELECT delivery_id AS id FROM backlog WHERE delivery_id ${BETWEEN}
      UNION SELECT value FROM json_each(?4) WHERE value ${BETWEEN}
      UNION SELECT id FROM delivery WHERE id BETWEEN max(?1, ?5 + 1) AND ?2`),
  };
  const outcomes = database.prepare(`
    SELECT wanted.value AS id,
      CASE
        WHEN parked.delivery_id IS NOT NULL THEN 'parked'
        WHEN discarded.delivery_id IS NOT NULL THEN 'discarded'
        WHEN backlog.delivery_id IS NOT NULL THEN 'waiting'
      END AS state,
      coalesce(parked.failures, discarded.failures, backlog.failures, 0) AS failures,
      CAST(coalesce(parked.error, discarded.error, backlog.error) AS BLOB) AS error,
      iif(backlog.failures > 0, backlog.due_at, NULL) AS dueAt,
      CAST(discarded.reason AS BLOB) AS reason
    FROM json_each(?) AS wanted
    LEFT JOIN parked ON parked.delivery_id = wanted.value
    LEFT JOIN discarded ON discarded.delivery_id = wanted.value
    LEFT JOIN backlog ON backlog.delivery_id = wanted.value`);
  const received = database.prepare(`
    SELECT delivery.id, received_at AS receivedAt, CAST(method AS BLOB) AS method, CAST(media_type AS BLOB) AS mediaType,
      CAST(content_encoding AS BLOB) AS contentEncoding, CAST(event_id AS BLOB) AS eventId,
      length(content) AS bytes
    FROM json_each(?) AS wanted CROSS JOIN delivery ON delivery.id = wanted.value`);
  const sent = database.prepare(`SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE id = ?`);
  const count = database.prepare(`
    SELECT removed, is_paused AS isPaused,
      (SELECT count(*) FROM backlog) AS backlog,
      (SELECT count(*) FROM parked) AS parked,
      (SELECT count(*) FROM discarded) AS discarded,
      (SELECT count(*) FROM backlog WHERE delivery_id > ?1)
        + (SELECT count(*) FROM parked WHERE delivery_id > ?1)
        + (SELECT count(*) FROM discarded WHERE delivery_id > ?1) AS after
    FROM progress`);
  const insertReplayed = database.prepare(`
    INSERT OR REPLACE INTO backlog (delivery_id, due_at, failures, error, suspect)
    SELECT value, ?2, 0, NULL, 0 FROM json_each(?1)`);
  const deleteParked = database.prepare(
    'DELETE FROM parked WHERE delivery_id IN (SELECT value FROM json_each(?))',
  );
  const insertDiscarded = database.prepare(`
    INSERT INTO discarded (delivery_id, discarded_at, parked_at, failures, error, reason)
    SELECT delivery_id, ?2, parked_at, failures, error, ?3 FROM parked
    WHERE delivery_id IN (SELECT value FROM json_each(?1))`);
  const deleteSent = database.prepare(
    "UPDATE delivery SET fields = NULL, content = x'' WHERE id IN (SELECT value FROM json_each(?))",
  );
  const insertPastEvents = database.prepare(`
    INSERT INTO past_event (event_id, delivery_id, received_at)
    SELECT event_id, id, received_at FROM delivery
    WHERE id IN (SELECT value FROM json_each(?1)) AND event_id IS NOT NULL AND received_at >= ?2`);
  const deleteDiscarded = database.prepare(
    'DELETE FROM discarded WHERE delivery_id IN (SELECT value FROM json_each(?))',
  );
  const deleteDeliveries = database.prepare(
    'DELETE FROM delivery WHERE id IN (SELECT value FROM json_each(?))',
  );
  const addRemoved = database.prepare('UPDATE progress SET removed = removed + ?');
  const deletePastEvents = database.prepare(`
    DELETE FROM past_event WHERE event_id IN
      (SELECT event_id FROM past_event WHERE received_at < ? ORDER BY received_at LIMIT ?)`);
  const setPaused = database.prepare('UPDATE progress SET is_paused = ?');

  return {
    /** Ids of stored deliveries, in one table of results or all. */
    listIds(
      source: 'all' | 'parked' | 'discarded',
      { first, last }: IdRange,
      order: Page['order'],
      limit: number,
    ): number[] {
      return idsIn(ids[source][order].all([first, last, limit]));
    },

    /**
     * Ids of deliveries that wait. After a crash some of them may be parked or discarded, too.
     *
     * @param open claimed for the first time, and not ended
     * @param claimedThrough everything after this id has not been claimed
     */
    listWaiting(
      open: readonly number[],
      claimedThrough: number,
      { first, last }: IdRange,
      order: Page['order'],
      limit: number,
    ): number[] {
      return idsIn(ids.waiting[order].all([first, last, limit, JSON.stringify(open), claimedThrough]));
    },

    outcomes: (wanted: readonly number[]): Outcome[] =>
      (
        outcomes.all([JSON.stringify(wanted)]) as (Omit<Outcome, 'error' | 'reason'> & {
          error: Uint8Array | null;
          reason: Uint8Array | null;
        })[]
      ).map((row) => ({ ...row, error: textIn(row.error), reason: textIn(row.reason) })),

    /** Those of these that are stored, in their order. */
    received: (wanted: readonly number[]): Received[] =>
      (received.all([JSON.stringify(wanted)]) as SummaryRow[]).map((row) => {
        const { id, receivedAt, method, mediaType, contentEncoding, eventId, bytes } = row;
        if (method === null || bytes === null) throw new DamagedRowError(`delivery ${id} is damaged`);
        return {
          id,
          receivedAt,
          method: textIn(method),
          mediaType: textIn(mediaType),
          contentEncoding: textIn(contentEncoding),
          eventId: textIn(eventId),
          bytes,
        };
      }),

    /** Undefined if it isn't stored. */
    sent(id: number): Sent | undefined {
      const [row] = sent.all([id]) as DeliveryRow[];
      return row && toIncoming(row);
    },

    /**
     * How many rows the tables have, and how many of those are after an id.
     *
     * @param claimedThrough the id
     */
    count(claimedThrough: number): Count {
      const { removed, isPaused, backlog, parked, discarded, after } = count.get([claimedThrough]) as Omit<
        Count,
        'isPaused'
      > & { isPaused: number };
      return { removed, isPaused: isPaused === 1, backlog, parked, discarded, after };
    },

    /** Moves these to the backlog, without a failure. */
    replay(given: readonly number[], now: number): void {
      insertReplayed.run([JSON.stringify(given), now]);
      deleteParked.run([JSON.stringify(given)]);
    },

    /** Deletes what was sent of these, which are parked. What can't be read because of damage stays. */
    discard(given: readonly number[], now: number, reason: string): void {
      insertDiscarded.run([JSON.stringify(given), now, reason]);
      deleteParked.run([JSON.stringify(given)]);
      try {
        deleteSent.run([JSON.stringify(given)]);
      } catch (error) {
        if (!isDamage(error)) throw error;
        for (const id of given) ignoreDamage(() => deleteSent.run([JSON.stringify([id])]));
      }
    },

    /**
     * Deletes these, and keeps the identifiers of their events.
     *
     * @param eventsFrom when the oldest delivery was received whose event is kept
     */
    remove(given: readonly Pick<DeliverySummary, 'id' | 'state' | 'eventId'>[], eventsFrom: number): void {
      const wanted = JSON.stringify(given.map(({ id }) => id));
      if (given.some(({ eventId }) => eventId !== null)) insertPastEvents.run([wanted, eventsFrom]);
      if (given.some(({ state }) => state === 'discarded')) deleteDiscarded.run([wanted]);
      deleteDeliveries.run([wanted]);
      addRemoved.run([given.length]);
    },

    /** Deletes events of deliveries that were received before. Returns how many. */
    removeEvents: (before: number): number => deletePastEvents.run([before, MAX_REMOVED_EVENTS]).changes,

    setPaused: (isPaused: boolean) => setPaused.run([isPaused ? 1 : 0]),

    /** Writes a page, and leaves it as it was. */
    writeNothing(): void {
      for (let time = 0; time < 2; time += 1) database.exec('UPDATE progress SET is_paused = 1 - is_paused');
    },
  };
}

const idsIn = (rows: unknown): number[] => (rows as { id: number }[]).map(({ id }) => id);

function ignoreDamage(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
