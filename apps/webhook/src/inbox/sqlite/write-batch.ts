import type Database from 'libsql';

import type { Arrival, ResultRow, Stored, WriteBatch, WriteOutcome } from '../store.js';
import { faultIn, isLoss } from './sqlite-errors.js';

/** Writes a batch in one transaction. If the fault may be of one part, it writes each in one of its own. */
export type Writer = (batch: WriteBatch) => WriteOutcome;

/**
 * Prepares the statements of a batch once. Each delivery is a row of its own statement, which is faster than one
 * statement for all.
 *
 * @param receiver names this process
 */
export function prepareWriter(database: Database.Database, receiver: string): Writer {
  const findEvent = database.prepare('SELECT delivery FROM event WHERE key = ?');
  const insertEvent = database.prepare('INSERT INTO event (key, delivery, received_at) VALUES (?, ?, ?)');
  const insert = database.prepare(`
    INSERT INTO delivery (state, received_at, due_at, started_at, attempts, receiver, event_id, method, media_type,
      content_encoding, fields, content)
    VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`);
  const update = database.prepare(`
    UPDATE delivery SET state = ?1, attempts = ?2, due_at = coalesce(?3, due_at), started_at = ?4, ended_at = ?5, error = ?6,
      error_group = ?7
    WHERE id = ?8 AND state = 'running' AND receiver = ?9 AND attempts = ?10 AND started_at = ?11`);
  // Of the attempts of a delivery, the first and the last nine are kept, the one that follows included.
  const prune = database.prepare(`
    DELETE FROM attempt WHERE delivery = ?1
      AND id > (SELECT min(id) FROM attempt WHERE delivery = ?1)
      AND id <= (SELECT id FROM attempt WHERE delivery = ?1 ORDER BY id DESC LIMIT 1 OFFSET 8)`);
  const insertAttempt = database.prepare(`
    INSERT INTO attempt (delivery, number, started_at, duration, receiver, error, stack)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);

  const writeArrival = (arrival: Arrival): Stored => {
    const { receivedAt, runs, eventId, method, mediaType, contentEncoding, fields, content } = arrival;
    if (eventId !== null) {
      const [first] = findEvent.all([eventId]) as { delivery: number }[];
      if (first !== undefined) return { id: first.delivery, runs: false };
    }
    const [state, startedAt, attempts] = runs ? ['running', receivedAt, 1] : ['waiting', null, 0];
    const { lastInsertRowid } = insert.run([
      ...[state, receivedAt, startedAt, attempts, receiver, eventId, method, mediaType, contentEncoding],
      ...[fields, content],
    ]);
    const id = Number(lastInsertRowid);
    if (eventId !== null) insertEvent.run([eventId, id, receivedAt]);
    return { id, runs };
  };

  const writeResult = ({ id, attempts, claimedAt, next, failed }: ResultRow): undefined => {
    const { state, dueAt, startedAt, endedAt, error, errorGroup } = next;
    const { changes } = update.run([
      ...[state, next.attempts, dueAt, startedAt, endedAt, error, errorGroup],
      ...[id, receiver, attempts, claimedAt],
    ]);
    if (changes === 0 || failed === undefined) return;
    prune.run([id]);
    insertAttempt.run([
      ...[id, failed.number, failed.startedAt, failed.duration, failed.receiver, failed.error, failed.stack],
    ]);
  };

  return ({ arrivals, results }) => {
    try {
      return inTransaction(database, () => ({
        arrivals: arrivals.map(writeArrival),
        results: results.map(writeResult),
      }));
    } catch (error) {
      if (isOfDisk(error)) throw error;
    }
    const alone = <Part, Result>(parts: readonly Part[], write: (part: Part) => Result): (Result | Error)[] =>
      parts.map((part) => {
        try {
          return inTransaction(database, () => write(part));
        } catch (error) {
          if (isOfDisk(error)) throw error;
          return error as Error;
        }
      });
    return { arrivals: alone(arrivals, writeArrival), results: alone(results, writeResult) };
  };
}

/** Whether each part would fail as well: the disk is full or broken, or another program has the lock. */
function isOfDisk(error: unknown): boolean {
  return isLoss(error) || /^SQLITE_(BUSY|FULL|IOERR|READONLY)/.test(faultIn(error).code ?? '');
}

/**
 * Runs writes in one transaction: durable on return, undone if they throw. What can wait for a lock is never prepared: a
 * prepared statement that was refused with `SQLITE_BUSY` stays active, and nothing else is committed meanwhile.
 */
export function inTransaction<Result>(database: Database.Database, write: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = write();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
