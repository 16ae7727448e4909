import type Database from 'libsql';

import type { ClaimedDelivery, IncomingDelivery, InboxCounts } from './inbox.js';

/** A place in the backlog: ordered by due time, then by id. */
export interface BacklogKey {
  readonly dueAt: number;
  readonly id: number;
}

/** A delivery that is to be kept. */
export interface NewDelivery extends BacklogKey {
  readonly receivedAt: number;
  readonly incoming: IncomingDelivery;
}

/** A failed attempt: the delivery's new place in the backlog, or none if it is parked. */
export interface FailedAttempt extends BacklogKey {
  readonly failures: number;
  readonly error: string;
}

/** The statements of the embedded inbox. Each takes a whole batch, so that their number does not grow with it. */
export type InboxStatements = ReturnType<typeof prepareStatements>;

interface ClaimedRow {
  readonly due_at: number;
  readonly failures: number;
  readonly id: number;
  readonly received_at: number;
  readonly method: string;
  readonly media_type: string | null;
  readonly content_encoding: string | null;
  readonly content: Uint8Array;
}

/** Prepares every statement once. */
export function prepareStatements(database: Database.Database) {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const last = database.prepare('SELECT coalesce(max(id), 0) AS id FROM delivery');
  const latest = database.prepare(
    'SELECT coalesce(max(due_at), 0) AS due_at FROM backlog WHERE failures = 0',
  );
  // One blob for all contents: handing them over one by one costs more than SQLite's own work.
  const insertDeliveries = database.prepare(`
    INSERT INTO delivery (id, received_at, method, media_type, content_encoding, content)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, substr(?, value ->> 5, value ->> 6)
    FROM json_each(?)`);
  const insertBacklog = database.prepare(`
    INSERT INTO backlog (due_at, delivery_id, failures, error)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`);
  const insertParked = database.prepare(`
    INSERT INTO parked (parked_at, delivery_id, failures, error)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`);
  const deleteBacklog = database.prepare(`
    DELETE FROM backlog
    WHERE (due_at, delivery_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`);
  const claim = database.prepare(`
    SELECT due_at, failures, id, received_at, method, media_type, content_encoding, content
    FROM backlog JOIN delivery ON delivery.id = backlog.delivery_id
    WHERE (due_at, delivery_id) > (?, ?) AND due_at <= ?
    ORDER BY due_at, delivery_id
    LIMIT ?`);
  const nextDue = database.prepare('SELECT min(due_at) AS due_at FROM backlog WHERE due_at > ?');
  const count = database.prepare(
    'SELECT (SELECT count(*) FROM backlog) AS waiting, (SELECT count(*) FROM parked) AS parked',
  );

  return {
    lastId: () => (last.get() as { id: number }).id,
    latestDueAt: () => (latest.get() as { due_at: number }).due_at,

    /** Runs the writes in one transaction; durable on return, undone if it throws. */
    transaction(write: () => void): void {
      begin.run();
      try {
        write();
        commit.run();
      } catch (error) {
        if (database.inTransaction) rollback.run();
        throw error;
      }
    },

    insertDeliveries(deliveries: readonly NewDelivery[]): void {
      let start = 1;
      const rows = deliveries.map(({ id, receivedAt, incoming }) => {
        const { method, mediaType, contentEncoding, content } = incoming;
        const row = [id, receivedAt, method, mediaType, contentEncoding, start, content.length];
        start += content.length;
        return row;
      });
      const contents = deliveries.map(({ incoming }) => incoming.content);
      insertDeliveries.run([Buffer.concat(contents, start - 1), JSON.stringify(rows)]);
      insertBacklog.run([JSON.stringify(deliveries.map(({ dueAt, id }) => [dueAt, id, 0, null]))]);
    },

    leaveBacklog(keys: readonly BacklogKey[]): void {
      deleteBacklog.run([JSON.stringify(keys.map(({ dueAt, id }) => [dueAt, id]))]);
    },

    comeAgain(attempts: readonly FailedAttempt[]): void {
      insertBacklog.run([toRows(attempts)]);
    },

    park(attempts: readonly FailedAttempt[]): void {
      insertParked.run([toRows(attempts)]);
    },

    claim(after: BacklogKey, now: number, limit: number): ClaimedDelivery[] {
      const rows = claim.all([after.dueAt, after.id, now, limit]) as ClaimedRow[];
      return rows.map(toClaimed);
    },

    nextDueAt(after: number): number | undefined {
      return (nextDue.get([after]) as { due_at: number | null }).due_at ?? undefined;
    },

    counts(): InboxCounts {
      const { waiting, parked } = count.get() as InboxCounts;
      return { waiting, parked };
    },
  };
}

function toRows(attempts: readonly FailedAttempt[]): string {
  return JSON.stringify(attempts.map(({ dueAt, id, failures, error }) => [dueAt, id, failures, error]));
}

function toClaimed(row: ClaimedRow): ClaimedDelivery {
  return {
    dueAt: row.due_at,
    delivery: {
      id: row.id,
      receivedAt: row.received_at,
      failures: row.failures,
      method: row.method,
      mediaType: row.media_type,
      contentEncoding: row.content_encoding,
      content: row.content,
    },
  };
}
