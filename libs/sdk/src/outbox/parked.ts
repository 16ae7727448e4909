import { invalidOption } from '../errors/invalid-options-error.js';
import type { Outcome } from '../errors/plant-store-error.js';
import { readInteger, readOptions } from '../options/read-options.js';
import { type OutboxDatabase, withSession } from './database.js';
import { requireSchema } from './schema.js';

/** An entry that was not acknowledged, and that no relay sends again. */
export interface ParkedEntry {
  /** What `replay` and `discard` take. */
  readonly id: number;
  /** When `enqueue` ran, by the clock of the database. */
  readonly enqueuedAt: Date;
  /** When its last attempt ended, by the clock of the database. */
  readonly parkedAt: Date;
  /** Bytes of its content. */
  readonly bytes: number;
  /** `undefined` if `encode` returned none. */
  readonly mediaType: string | undefined;
  /** `undefined` if it was enqueued without one (question event-identity). */
  readonly eventId: string | undefined;
  /** How often it was sent since it was enqueued or replayed. */
  readonly attempts: number;
  /** Whether it may have reached the receiver, in any of the attempts. */
  readonly outcome: Outcome;
  /** Code of the last error. */
  readonly code: string;
  /** Message of the last error. */
  readonly error: string;
}

/** How many entries wait, are being sent, and are parked. */
export interface OutboxStatus {
  /** Entries that wait for a relay, for the first time or again. */
  readonly waiting: number;
  /** Entries whose attempt a relay has stored. They may have arrived. */
  readonly sending: number;
  /** Entries that stay until somebody replays or discards them. */
  readonly parked: number;
  /** When the entry that waits longest was enqueued; `undefined` if none waits. */
  readonly waitingSince: Date | undefined;
}

/** Which entries are listed. */
export interface ListOptions {
  /** Only entries with a higher id. @default 0 */
  readonly after?: number | undefined;
  /** How many at most. @default 100 */
  readonly limit?: number | undefined;
}

/** Entries by their ids, or all that are parked. */
export type Selection = readonly number[] | 'all';

type Row = Readonly<Record<string, string | null>>;

const LIST = `
  SELECT id::text, attempts::text, outcome, code, error, media_type, event_id, octet_length(content)::text AS bytes,
    (extract(epoch FROM enqueued_at) * 1000)::text AS enqueued_at,
    (extract(epoch FROM settled_at) * 1000)::text AS settled_at
  FROM plant_store_outbox.entry WHERE state = 'parked' AND id > $1 ORDER BY entry.id LIMIT $2`;

const listReaders = {
  after: (id: unknown, name: string) => readInteger(id, name, 0),
  limit: (count: unknown, name: string) => readInteger(count, name, 1),
};

/**
 * Lists parked entries, the oldest first.
 *
 * @throws InvalidOptionsError with every fault of the options
 */
export async function listParked(
  database: OutboxDatabase,
  options: ListOptions = {},
): Promise<ParkedEntry[]> {
  const { after, limit } = readOptions(listReaders, options, '`listParked`', { after: 0, limit: 100 });
  return withSession(database, async (session) => {
    await requireSchema(session);
    return (await session.query<Row>(LIST, [after, limit])).map(toParked);
  });
}

function toParked(row: Row): ParkedEntry {
  return {
    id: Number(row['id']),
    enqueuedAt: new Date(Number(row['enqueued_at'])),
    parkedAt: new Date(Number(row['settled_at'])),
    bytes: Number(row['bytes']),
    mediaType: row['media_type'] ?? undefined,
    eventId: row['event_id'] ?? undefined,
    attempts: Number(row['attempts']),
    outcome: row['outcome'] as Outcome,
    code: row['code']!,
    error: row['error']!,
  };
}

const STATUS = `
  SELECT
    (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'waiting')::text AS waiting,
    (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'sending')::text AS sending,
    (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'parked')::text AS parked,
    (SELECT (extract(epoch FROM min(enqueued_at)) * 1000)::text FROM plant_store_outbox.entry WHERE state = 'waiting')
      AS waiting_since`;

/** Counts the entries. With a million that wait, this takes a second. */
export function readStatus(database: OutboxDatabase): Promise<OutboxStatus> {
  return withSession(database, async (session) => {
    await requireSchema(session);
    const [row] = await session.query<Row>(STATUS);
    const { waiting, sending, parked, waiting_since: since } = row!;
    return {
      waiting: Number(waiting),
      sending: Number(sending),
      parked: Number(parked),
      waitingSince: typeof since === 'string' ? new Date(Number(since)) : undefined,
    };
  });
}

/** Entries that are changed by one statement. */
const BATCH = 1_000;

const changeParked = (change: string): string => `
  WITH chosen AS (
    SELECT id FROM plant_store_outbox.entry
    WHERE state = 'parked' AND id > $1 AND ($2::bigint[] IS NULL OR id = ANY ($2::bigint[]))
    ORDER BY id LIMIT ${BATCH} FOR UPDATE
  )
  UPDATE plant_store_outbox.entry e SET ${change} FROM chosen WHERE e.id = chosen.id RETURNING e.id::text`;

const REPLAY = changeParked(`state = 'waiting', due_at = clock_timestamp(), attempts = 0, settled_at = NULL`);
const DISCARD = changeParked(`state = 'discarded', settled_at = clock_timestamp()`);

/**
 * Lets relays send parked entries again, from the first attempt.
 *
 * @returns how many there were
 * @throws InvalidOptionsError if the selection is no list of ids
 */
export function replayParked(database: OutboxDatabase, selection: Selection): Promise<number> {
  return changeAll(database, REPLAY, selection);
}

/**
 * Gives parked entries up. They are deleted when delivered ones would be.
 *
 * @returns how many there were
 * @throws InvalidOptionsError if the selection is no list of ids
 */
export function discardParked(database: OutboxDatabase, selection: Selection): Promise<number> {
  return changeAll(database, DISCARD, selection);
}

async function changeAll(database: OutboxDatabase, statement: string, selection: Selection): Promise<number> {
  const ids = readIds(selection);
  return withSession(database, async (session) => {
    await requireSchema(session);
    let after = 0;
    let count = 0;
    for (;;) {
      const changed = await session.query<{ id: string }>(statement, [after, ids]);
      count += changed.length;
      if (changed.length < BATCH) return count;
      after = changed.reduce((last, { id }) => Math.max(last, Number(id)), after);
    }
  });
}

/** The ids as an array of PostgreSQL; null for all. */
function readIds(selection: Selection): string | null {
  if (selection === 'all') return null;
  if (Array.isArray(selection) && selection.every((id) => Number.isSafeInteger(id)))
    return `{${selection.join(',')}}`;
  throw invalidOption('entries', "must be a list of ids, or 'all'.");
}
