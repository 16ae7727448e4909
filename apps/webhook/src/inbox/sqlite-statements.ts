import type Database from 'libsql';

import { DamagedRowError } from './damage.js';
import type { HeaderField } from './header-field.js';
import type { Delivery, IncomingDelivery, Interrupted } from './inbox.js';

/** A row of the tables `backlog` and `parked`; `at` is when the delivery is due, or was parked. */
export interface BacklogRow {
  readonly id: number;
  readonly at: number;
  readonly failures: number;
  readonly error: string | null;
  readonly suspect?: boolean;
}

/** The statements of the embedded inbox. But for new deliveries, each takes a whole batch. */
export type InboxStatements = ReturnType<typeof prepareStatements>;

/** How far an inbox has come. */
export interface Position {
  /** Everything up to this id is handled, parked or in the backlog. */
  readonly handledThrough: number;
  /** Of the last delivery. */
  readonly lastId: number;
}

/** A row of the table `delivery`; `failures` and `suspect` are of its row in the backlog. */
export interface DeliveryRow {
  readonly id: number;
  readonly receivedAt: number;
  readonly method: Uint8Array | null;
  readonly mediaType: Uint8Array | null;
  readonly contentEncoding: Uint8Array | null;
  readonly eventId: Uint8Array | null;
  readonly fields: Uint8Array | null;
  readonly content: Uint8Array | null;
  readonly failures: number;
  readonly suspect: number;
}

/** Text is read as bytes: libsql ends the process if text that is damaged isn't UTF-8. */
const SENT_COLUMNS = `
  CAST(received_at AS INTEGER) AS receivedAt, CAST(method AS BLOB) AS method,
  CAST(media_type AS BLOB) AS mediaType, CAST(content_encoding AS BLOB) AS contentEncoding,
  CAST(event_id AS BLOB) AS eventId, CAST(fields AS BLOB) AS fields, CAST(content AS BLOB) AS content`;
export const DELIVERY_COLUMNS = `delivery.id, ${SENT_COLUMNS}`;

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

/** The last id. It is never reused, even if somebody has deleted handled deliveries. */
const LAST_ID = 'max(handled_through, (SELECT coalesce(max(id), 0) FROM delivery))';

/** Reads the position from tables of any version. Undefined if the table that has it doesn't have exactly one row. */
export function preparePosition(database: Database.Database): () => Position | undefined {
  const position = database.prepare(
    `SELECT handled_through AS handledThrough, ${LAST_ID} AS lastId FROM progress`,
  );
  return () => {
    const [found, ...more] = position.all([]) as Position[];
    return more.length === 0 ? found : undefined;
  };
}

/** Prepares every statement once. */
export function prepareStatements(database: Database.Database) {
  // One by one is faster than one statement for all, which has to take its rows apart.
  const insertDelivery = database.prepare(`
    INSERT INTO delivery (id, received_at, method, media_type, content_encoding, event_id, content, fields)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const findEvents = database.prepare(`
    SELECT event_id AS eventId, id FROM delivery WHERE event_id IN (SELECT value FROM json_each(?1))
    UNION ALL
    SELECT event_id, delivery_id FROM past_event WHERE event_id IN (SELECT value FROM json_each(?1))`);
  const setHandledThrough = database.prepare('UPDATE progress SET handled_through = ?');
  const requireWritable = database.prepare('UPDATE progress SET handled_through = handled_through WHERE 0');
  const insertBacklog = database.prepare(`
    INSERT OR REPLACE INTO backlog (delivery_id, due_at, failures, error, suspect)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`);
  const insertParked = database.prepare(`
    INSERT OR REPLACE INTO parked (delivery_id, parked_at, failures, error)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`);
  const deleteBacklog = database.prepare(
    'DELETE FROM backlog WHERE delivery_id IN (SELECT value FROM json_each(?))',
  );
  const readAfter = database.prepare(
    `SELECT ${DELIVERY_COLUMNS}, 0 AS failures, 0 AS suspect FROM delivery WHERE id > ? ORDER BY id LIMIT ?`,
  );
  const readDue = database.prepare(`
    SELECT delivery_id AS id, ${SENT_COLUMNS}, failures, suspect
    FROM backlog LEFT JOIN delivery ON delivery.id = delivery_id
    WHERE due_at <= ? AND delivery_id NOT IN (SELECT value FROM json_each(?))
    ORDER BY due_at LIMIT ?`);
  const nextDue = database.prepare('SELECT min(due_at) AS dueAt FROM backlog WHERE due_at > ?');
  const findWaiting = database.prepare(`
    SELECT given.value ->> 0 AS id, coalesce(backlog.failures, 0) AS failures FROM json_each(?) AS given
    CROSS JOIN progress
    LEFT JOIN backlog ON backlog.delivery_id = given.value ->> 0
    LEFT JOIN parked ON parked.delivery_id = given.value ->> 0
    LEFT JOIN discarded ON discarded.delivery_id = given.value ->> 0
    WHERE typeof(given.value ->> 0) = 'integer' AND given.value ->> 0 BETWEEN 1 AND ${LAST_ID}
      AND parked.delivery_id IS NULL AND discarded.delivery_id IS NULL
      AND given.value ->> 1 = coalesce(backlog.failures, iif(given.value ->> 0 > handled_through, 0, NULL))
    ORDER BY given.value ->> 0`);
  const lastInTables = database.prepare(`
    SELECT max(handled_through,
      (SELECT coalesce(max(delivery_id), 0) FROM backlog),
      (SELECT coalesce(max(delivery_id), 0) FROM parked),
      (SELECT coalesce(max(delivery_id), 0) FROM discarded)) AS id
    FROM progress`);
  // Ids have no gaps, so nothing of the deliveries is read.
  const moveToBacklog = database.prepare(`
    WITH RECURSIVE waiting (id) AS (
      SELECT handled_through + 1 FROM progress UNION ALL SELECT id + 1 FROM waiting WHERE id < ?1
    )
    INSERT INTO backlog (delivery_id, due_at, failures)
    SELECT id, 0, 0 FROM waiting WHERE id <= ?1
      AND id NOT IN (SELECT delivery_id FROM backlog) AND id NOT IN (SELECT delivery_id FROM parked)
      AND id NOT IN (SELECT delivery_id FROM discarded)`);
  const limitDue = database.prepare('UPDATE backlog SET due_at = ? WHERE due_at > ?');

  return {
    transaction: prepareTransaction(database),

    position: preparePosition(database),

    insertDelivery(delivery: Delivery): void {
      const { id, receivedAt, method, mediaType, contentEncoding, eventId, content, fields } = delivery;
      const json = JSON.stringify(fields);
      insertDelivery.run([id, receivedAt, method, mediaType, contentEncoding, eventId, content, json]);
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

    /** The deliveries after one. There must be `count` of them, without a gap. */
    readAfter(id: number, count: number): Delivery[] {
      const deliveries = (readAfter.all([id, count]) as DeliveryRow[]).map(toDelivery);
      const isWhole =
        deliveries.length === count && deliveries.every((one, index) => one.id === id + 1 + index);
      if (!isWhole) throw new DamagedRowError(`a delivery after ${id} is missing`);
      return deliveries;
    },

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

    nextDueAt: (after: number) => (nextDue.all([after]) as [{ dueAt: number | null }])[0].dueAt ?? undefined,
  };
}

const toRows = (rows: readonly BacklogRow[]): string =>
  JSON.stringify(
    rows.map(({ id, at, failures, error, suspect }) => [id, at, failures, error, suspect === true ? 1 : 0]),
  );

function toDelivery(row: DeliveryRow): Delivery {
  const { id, receivedAt, failures, suspect } = row;
  return { id, receivedAt, failures, suspect: suspect === 1, ...toIncoming(row) };
}

/** @throws DamagedRowError */
export function toIncoming(row: Omit<DeliveryRow, 'failures' | 'suspect'>): IncomingDelivery {
  const { id, method, mediaType, contentEncoding, eventId, fields, content } = row;
  if (method === null || content === null) throw new DamagedRowError(`delivery ${id} is missing`);
  return {
    method: textIn(method),
    mediaType: textIn(mediaType),
    contentEncoding: textIn(contentEncoding),
    eventId: textIn(eventId),
    fields: fieldsIn(id, fields),
    content: Buffer.from(content),
  };
}

/** Deliveries that version 3 has stored have no fields, and neither have discarded ones. */
function fieldsIn(id: number, json: Uint8Array | null): HeaderField[] {
  if (json === null) return [];
  try {
    return JSON.parse(textIn(json)) as HeaderField[];
  } catch (cause) {
    throw new DamagedRowError(`the header fields of delivery ${id} are damaged`, { cause });
  }
}

/** The text of a column that was read as bytes. */
export function textIn(bytes: Uint8Array): string;
export function textIn(bytes: Uint8Array | null): string | null;
export function textIn(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString();
}
