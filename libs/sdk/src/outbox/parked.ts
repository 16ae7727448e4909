import { invalidOption } from '../errors/invalid-options-error.js';
import type { Outcome } from '../errors/plant-store-error.js';
import { readInteger, readOptions } from '../options/read-options.js';
import { type OutboxDatabase, query } from './database.js';
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

/** An entry of the outbox, whatever its state. */
export interface OutboxEntry {
  readonly id: number;
  readonly state: 'waiting' | 'sending' | 'delivered' | 'parked' | 'discarded';
  /** When `enqueue` ran, by the clock of the database. */
  readonly enqueuedAt: Date;
  /** When it was delivered, parked or discarded; `undefined` before. */
  readonly settledAt: Date | undefined;
  /** What is sent. */
  readonly content: Uint8Array;
  /** `undefined` if `encode` returned none. */
  readonly mediaType: string | undefined;
  /** `undefined` if it was enqueued without one (question event-identity). */
  readonly eventId: string | undefined;
  /** How often it was sent since it was enqueued or replayed. */
  readonly attempts: number;
  /** The worst outcome of the attempts that failed; `undefined` if none did. */
  readonly outcome: Outcome | undefined;
  /** Code of the last error. */
  readonly code: string | undefined;
  /** Message of the last error. */
  readonly error: string | undefined;
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

const COLUMNS = `
  id::text, state::text, attempts::text, outcome, code, error, media_type, event_id,
  octet_length(content)::text AS bytes,
  (extract(epoch FROM enqueued_at) * 1000)::text AS enqueued_at,
  (extract(epoch FROM settled_at) * 1000)::text AS settled_at`;

const LIST = `
  SELECT ${COLUMNS} FROM plant_store_outbox.entry
  WHERE state = 'parked' AND id > $1 ORDER BY entry.id LIMIT $2`;

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
  await requireSchema(database);
  return (await query<Row>(database, LIST, [after, limit])).map((row) => ({
    ...commonOf(row),
    parkedAt: new Date(Number(row['settled_at'])),
    bytes: Number(row['bytes']),
    outcome: row['outcome'] as Outcome,
    code: row['code']!,
    error: row['error']!,
  }));
}

const FIND = `SELECT ${COLUMNS}, encode(content, 'hex') AS content FROM plant_store_outbox.entry WHERE id = $1`;

/** An entry with its content; `undefined` if there is none. */
export async function findEntry(database: OutboxDatabase, id: number): Promise<OutboxEntry | undefined> {
  const wanted = readInteger(id, 'id', 0);
  await requireSchema(database);
  const [row] = await query<Row>(database, FIND, [wanted]);
  if (row === undefined) return undefined;
  return {
    ...commonOf(row),
    state: row['state'] as OutboxEntry['state'],
    settledAt: dateOf(row['settled_at']),
    content: Buffer.from(row['content']!, 'hex'),
    outcome: (row['outcome'] ?? undefined) as Outcome | undefined,
    code: row['code'] ?? undefined,
    error: row['error'] ?? undefined,
  };
}

function commonOf(row: Row): Pick<ParkedEntry, 'id' | 'enqueuedAt' | 'mediaType' | 'eventId' | 'attempts'> {
  return {
    id: Number(row['id']),
    enqueuedAt: new Date(Number(row['enqueued_at'])),
    mediaType: row['media_type'] ?? undefined,
    eventId: row['event_id'] ?? undefined,
    attempts: Number(row['attempts']),
  };
}

function dateOf(milliseconds: string | null | undefined): Date | undefined {
  return typeof milliseconds === 'string' ? new Date(Number(milliseconds)) : undefined;
}

const STATUS = `
  SELECT
    (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'waiting')::text AS waiting,
    (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'sending')::text AS sending,
    (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'parked')::text AS parked,
    (SELECT (extract(epoch FROM min(enqueued_at)) * 1000)::text FROM plant_store_outbox.entry WHERE state = 'waiting')
      AS waiting_since`;

/** Counts the entries. With a million that wait, this takes a second. */
export async function readStatus(database: OutboxDatabase): Promise<OutboxStatus> {
  await requireSchema(database);
  const [row] = await query<Row>(database, STATUS);
  const { waiting, sending, parked, waiting_since: since } = row!;
  return {
    waiting: Number(waiting),
    sending: Number(sending),
    parked: Number(parked),
    waitingSince: dateOf(since),
  };
}

/** Entries that one call of `change_parked` changes at most. */
const BATCH = 1_000;

/**
 * Lets relays send parked entries again, from the first attempt.
 *
 * @returns how many there were
 * @throws InvalidOptionsError if the selection is no list of ids
 */
export function replayParked(database: OutboxDatabase, selection: Selection): Promise<number> {
  return changeAll(database, 'waiting', selection);
}

/**
 * Gives parked entries up. They are deleted when delivered ones would be.
 *
 * @returns how many there were
 * @throws InvalidOptionsError if the selection is no list of ids
 */
export function discardParked(database: OutboxDatabase, selection: Selection): Promise<number> {
  return changeAll(database, 'discarded', selection);
}

async function changeAll(database: OutboxDatabase, state: string, selection: Selection): Promise<number> {
  const ids = readIds(selection);
  await requireSchema(database);
  let after = 0;
  let count = 0;
  for (;;) {
    const text = 'SELECT id::text FROM plant_store_outbox.change_parked($1, $2, $3) AS id';
    const changed = await query<{ id: string }>(database, text, [state, after, ids]);
    count += changed.length;
    if (changed.length < BATCH) return count;
    after = changed.reduce((last, { id }) => Math.max(last, Number(id)), after);
  }
}

/** The ids as an array of PostgreSQL; null for all. */
function readIds(selection: Selection): string | null {
  if (selection === 'all') return null;
  if (Array.isArray(selection) && selection.every((id) => Number.isSafeInteger(id)))
    return `{${selection.join(',')}}`;
  throw invalidOption('entries', "must be a list of ids, or 'all'.");
}
