import type Database from 'libsql';

import type { Delivery, InboxCounts } from './inbox.js';
import { prepareTransaction } from './prepare-transaction.js';

/** A row of `backlog` or `parked`; `at` is when the delivery is due, or was parked. */
export interface Exception {
  readonly id: number;
  readonly at: number;
  readonly failures: number;
  readonly error: string | null;
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
}

/** Prepares every statement once. */
export function prepareStatements(database: Database.Database) {
  // An id is never given again, not even if somebody has deleted what was handled.
  const lastId = 'max(handled_through, (SELECT coalesce(max(id), 0) FROM delivery))';
  const position = database.prepare(
    `SELECT handled_through AS handledThrough, ${lastId} AS lastId FROM progress`,
  );
  // One blob for all contents, and one id for all: handing them over one by one costs more than SQLite's own work.
  const insertDeliveries = database.prepare(`
    INSERT INTO delivery (id, received_at, method, media_type, content_encoding, event_id, content)
    SELECT ? + key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4,
      coalesce(substr(?, value ->> 5, value ->> 6), x'')
    FROM json_each(?)`);
  const findEvents = database.prepare(
    'SELECT event_id AS eventId, id FROM delivery WHERE event_id IN (SELECT value FROM json_each(?))',
  );
  const handledThrough = database.prepare('UPDATE progress SET handled_through = ?');
  const insertBacklog = database.prepare(`
    INSERT OR REPLACE INTO backlog (delivery_id, due_at, failures, error)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`);
  const insertParked = database.prepare(`
    INSERT INTO parked (delivery_id, parked_at, failures, error)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`);
  const deleteBacklog = database.prepare(
    'DELETE FROM backlog WHERE delivery_id IN (SELECT value FROM json_each(?))',
  );
  const readAfter = database.prepare(
    'SELECT *, 0 AS failures FROM delivery WHERE id > ? ORDER BY id LIMIT ?',
  );
  const readDue = database.prepare(`
    SELECT delivery.*, failures FROM backlog JOIN delivery ON delivery.id = delivery_id
    WHERE due_at <= ? AND delivery_id NOT IN (SELECT value FROM json_each(?))
    ORDER BY due_at LIMIT ?`);
  const nextDue = database.prepare('SELECT min(due_at) AS dueAt FROM backlog WHERE due_at > ?');
  const count = database.prepare(`
    SELECT ${lastId} - handled_through + (SELECT count(*) FROM backlog) AS waiting,
      (SELECT count(*) FROM parked) AS parked
    FROM progress`);

  return {
    transaction: prepareTransaction(database),

    position: () => position.get() as { handledThrough: number; lastId: number },

    /** At least one, with ids that follow one another. */
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

    /** Which of these events have a delivery that is kept, with its id. */
    findEvents(eventIds: readonly string[]): Map<string, number> {
      const rows = findEvents.all([JSON.stringify(eventIds)]) as { eventId: string; id: number }[];
      return new Map(rows.map(({ eventId, id }) => [eventId, id]));
    },

    setHandledThrough: (id: number) => handledThrough.run([id]),
    insertBacklog: (exceptions: readonly Exception[]) => insertBacklog.run([toRows(exceptions)]),
    insertParked: (exceptions: readonly Exception[]) => insertParked.run([toRows(exceptions)]),
    deleteBacklog: (ids: readonly number[]) => deleteBacklog.run([JSON.stringify(ids)]),

    readAfter: (id: number, limit: number) => (readAfter.all([id, limit]) as DeliveryRow[]).map(toDelivery),

    readDue: (now: number, except: Iterable<number>, limit: number) =>
      (readDue.all([now, JSON.stringify([...except]), limit]) as DeliveryRow[]).map(toDelivery),

    nextDueAt: (after: number) => (nextDue.get([after]) as { dueAt: number | null }).dueAt ?? undefined,

    counts(): InboxCounts {
      const { waiting, parked } = count.get() as InboxCounts;
      return { waiting, parked };
    },
  };
}

const toRows = (exceptions: readonly Exception[]): string =>
  JSON.stringify(exceptions.map(({ id, at, failures, error }) => [id, at, failures, error]));

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  receivedAt: row.received_at,
  failures: row.failures,
  method: row.method,
  mediaType: row.media_type,
  contentEncoding: row.content_encoding,
  eventId: row.event_id,
  content: Buffer.from(row.content),
});
