import type Database from 'libsql';

import type { Delivery, InboxCounts, Interrupted } from './inbox.js';

/** A row of the tables `backlog` and `parked`; `at` is when the delivery is due, or was parked. */
export interface BacklogRow {
  readonly id: number;
  readonly at: number;
  readonly failures: number;
  readonly error: string | null;
  readonly suspect?: boolean;
}

/** The statements of the embedded inbox. Each takes a whole batch, so that their number does not grow with it. */
export type InboxStatements = ReturnType<typeof prepareStatements>;

interface DeliveryRow {
  readonly id: number;
  readonly received_at: number;
  readonly method: string;
  readonly media_type: string | null;
  readonly content_encoding: string | null;
  readonly event_id: string | null;
  readonly content: ArrayBuffer;
  readonly failures: number;
  readonly suspect: number;
}

/** Runs writes in one transaction: durable on return, undone if they throw. */
type Transaction = <Result>(write: () => Result) => Result;

/** Prepares the statements of a transaction once. */
export function prepareTransaction(database: Database.Database): Transaction {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  return (write) => {
    begin.run();
    try {
      const result = write();
      commit.run();
      return result;
    } catch (error) {
      if (database.inTransaction) rollback.run();
      throw error;
    }
  };
}

/** Prepares every statement once. */
export function prepareStatements(database: Database.Database) {
  // An id is never reused, even if somebody has deleted handled deliveries.
  const lastId = 'max(handled_through, (SELECT coalesce(max(id), 0) FROM delivery))';
  const position = database.prepare(
    `SELECT handled_through AS handledThrough, ${lastId} AS lastId FROM progress`,
  );
  // One blob for all contents, and one id for all: passing them one by one costs more than SQLite's own work.
  const insertDeliveries = database.prepare(`
    INSERT INTO delivery (id, received_at, method, media_type, content_encoding, event_id, content)
    SELECT ? + key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4,
      coalesce(substr(?, value ->> 5, value ->> 6), x'')
    FROM json_each(?)`);
  const findEvents = database.prepare(
    'SELECT event_id AS eventId, id FROM delivery WHERE event_id IN (SELECT value FROM json_each(?))',
  );
  const setHandledThrough = database.prepare('UPDATE progress SET handled_through = ?');
  const requireWritable = database.prepare('UPDATE progress SET handled_through = handled_through WHERE 0');
  const insertBacklog = database.prepare(`
    INSERT OR REPLACE INTO backlog (delivery_id, due_at, failures, error, suspect)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`);
  const insertParked = database.prepare(`
    INSERT INTO parked (delivery_id, parked_at, failures, error)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`);
  const deleteBacklog = database.prepare(
    'DELETE FROM backlog WHERE delivery_id IN (SELECT value FROM json_each(?))',
  );
  const readAfter = database.prepare(
    'SELECT *, 0 AS failures, 0 AS suspect FROM delivery WHERE id > ? ORDER BY id LIMIT ?',
  );
  const readDue = database.prepare(`
    SELECT delivery.*, failures, suspect FROM backlog JOIN delivery ON delivery.id = delivery_id
    WHERE due_at <= ? AND delivery_id NOT IN (SELECT value FROM json_each(?))
    ORDER BY due_at LIMIT ?`);
  const nextDue = database.prepare('SELECT min(due_at) AS dueAt FROM backlog WHERE due_at > ?');
  const findWaiting = database.prepare(`
    SELECT delivery.id, coalesce(backlog.failures, 0) AS failures FROM json_each(?) AS given
    CROSS JOIN progress
    JOIN delivery ON delivery.id = given.value ->> 0
    LEFT JOIN backlog ON backlog.delivery_id = delivery.id
    LEFT JOIN parked ON parked.delivery_id = delivery.id
    WHERE parked.delivery_id IS NULL AND given.value ->> 1 =
      coalesce(backlog.failures, CASE WHEN delivery.id > handled_through THEN 0 END)
    ORDER BY delivery.id`);
  const lastInTables = database.prepare(`
    SELECT max(handled_through,
      (SELECT coalesce(max(delivery_id), 0) FROM backlog),
      (SELECT coalesce(max(delivery_id), 0) FROM parked)) AS id
    FROM progress`);
  const moveToBacklog = database.prepare(`
    INSERT INTO backlog (delivery_id, due_at, failures)
    SELECT id, 0, 0 FROM delivery, progress
    WHERE id > handled_through AND id <= ?
      AND id NOT IN (SELECT delivery_id FROM backlog) AND id NOT IN (SELECT delivery_id FROM parked)`);
  const limitDue = database.prepare('UPDATE backlog SET due_at = ? WHERE due_at > ?');
  const count = database.prepare(`
    SELECT ${lastId} - handled_through + (SELECT count(*) FROM backlog) AS waiting,
      (SELECT count(*) FROM parked) AS parked
    FROM progress`);

  return {
    transaction: prepareTransaction(database),

    position: () => position.get() as { handledThrough: number; lastId: number },

    /** @param deliveries at least one, with consecutive ids */
    insertDeliveries(deliveries: readonly Delivery[]): void {
      const [first] = deliveries as [Delivery];
      let start = 1;
      const rows = deliveries.map(({ receivedAt, method, mediaType, contentEncoding, eventId, content }) => {
        const row = [receivedAt, method, mediaType, contentEncoding, eventId, start, content.length];
        start += content.length;
        return row;
      });
      const contents = deliveries.map(({ content }) => content);
      insertDeliveries.run([first.id, Buffer.concat(contents, start - 1), JSON.stringify(rows)]);
    },

    /** Which of these events have a stored delivery, with its id. */
    findEvents(eventIds: readonly string[]): Map<string, number> {
      const rows = findEvents.all([JSON.stringify(eventIds)]) as { eventId: string; id: number }[];
      return new Map(rows.map(({ eventId, id }) => [eventId, id]));
    },

    /**
     * Throws if the file can't be written. SQLite opens such a file for reading and reports it only to a statement that
     * could write, like this one, which changes nothing.
     */
    requireWritable(): void {
      try {
        requireWritable.run();
      } catch (error) {
        // Another program is writing, so the file can be written.
        if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
      }
    },

    setHandledThrough: (id: number) => setHandledThrough.run([id]),
    insertBacklog: (rows: readonly BacklogRow[]) => insertBacklog.run([toRows(rows)]),
    insertParked: (rows: readonly BacklogRow[]) => insertParked.run([toRows(rows)]),
    deleteBacklog: (ids: readonly number[]) => deleteBacklog.run([JSON.stringify(ids)]),

    readAfter: (id: number, limit: number) => (readAfter.all([id, limit]) as DeliveryRow[]).map(toDelivery),

    readDue: (now: number, except: Iterable<number>, limit: number) =>
      (readDue.all([now, JSON.stringify([...except]), limit]) as DeliveryRow[]).map(toDelivery),

    /** Which of these wait with as many failures. */
    findWaiting(given: readonly Interrupted[]): Interrupted[] {
      const rows = JSON.stringify(given.map(({ id, failures }) => [id, failures]));
      return (findWaiting.all([rows]) as Interrupted[]).map(({ id, failures }) => ({ id, failures }));
    },

    /** The last id that is handled, in the backlog or parked. */
    lastInTables: () => (lastInTables.get([]) as { id: number }).id,

    /** Moves what waits up to this id to the backlog; `setHandledThrough` has to follow. */
    moveToBacklog: (through: number) => moveToBacklog.run([through]),

    /** Makes nothing in the backlog due later than this. */
    limitDue: (latest: number) => limitDue.run([latest, latest]),

    nextDueAt: (after: number) => (nextDue.get([after]) as { dueAt: number | null }).dueAt ?? undefined,

    counts(): InboxCounts {
      const { waiting, parked } = count.get() as InboxCounts;
      return { waiting, parked };
    },
  };
}

const toRows = (rows: readonly BacklogRow[]): string =>
  JSON.stringify(
    rows.map(({ id, at, failures, error, suspect }) => [id, at, failures, error, suspect === true ? 1 : 0]),
  );

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  receivedAt: row.received_at,
  failures: row.failures,
  suspect: row.suspect === 1,
  method: row.method,
  mediaType: row.media_type,
  contentEncoding: row.content_encoding,
  eventId: row.event_id,
  content: Buffer.from(row.content),
});
