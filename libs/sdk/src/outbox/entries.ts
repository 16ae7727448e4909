import { invalidOption } from '../errors/invalid-options-error.js';
import type { Outcome } from '../errors/plant-store-error.js';
import { readInteger, readOptions } from '../options/read-options.js';
import { type OutboxDatabase, query } from './database.js';

/** An entry of the outbox. A parked one was not acknowledged, and no relay sends it again. */
export interface OutboxEntry {
  /** What `replay` and `discard` take. */
  readonly id: number;
  readonly state: 'waiting' | 'sending' | 'delivered' | 'parked' | 'discarded';
  /** When `enqueue` ran, by the clock of the database. */
  readonly enqueuedAt: Date;
  /** When it was delivered, parked or discarded; absent before. */
  readonly settledAt?: Date;
  /** Bytes of its content. */
  readonly bytes: number;
  /** Absent if `encode` returned none. */
  readonly mediaType?: string;
  /** Absent if it was enqueued without one (question event-identity). */
  readonly eventId?: string;
  /** How often it was sent since it was enqueued or replayed. Attempts that sent nothing don't count. */
  readonly attempts: number;
  /** The worst outcome of the attempts that failed; absent if none did. */
  readonly outcome?: Outcome;
  /** Code of the last error. */
  readonly code?: string;
  /** Message of the last error. */
  readonly error?: string;
}

/** An entry with what is sent. */
export interface OutboxEntryWithContent extends OutboxEntry {
  readonly content: Uint8Array;
}

/** How many entries wait, are being sent, and are parked. */
export interface OutboxStatus {
  /** Entries that wait for a relay, for the first time or again. */
  readonly waiting: number;
  /** Entries of which a relay has stored that an attempt begins. They may have arrived. */
  readonly sending: number;
  /** Entries that stay until somebody replays or discards them. */
  readonly parked: number;
  /** When the entry that waits longest was enqueued; absent if none waits. */
  readonly waitingSince?: Date;
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

/** An entry as JSON, whatever the driver makes of other types. Times are milliseconds; what is null is left out. */
const ENTRY = `json_strip_nulls(json_build_object(
    'id', id, 'state', state, 'enqueuedAt', extract(epoch FROM enqueued_at) * 1000,
    'settledAt', extract(epoch FROM settled_at) * 1000, 'bytes', octet_length(content), 'mediaType', media_type,
    'eventId', event_id, 'attempts', attempts, 'outcome', outcome, 'code', code, 'error', error))::text AS entry`;

interface EntryRow {
  readonly entry: string;
}

const times = ['enqueuedAt', 'settledAt', 'waitingSince'];

/** Parses an object whose times are milliseconds. */
function parse(json: string): unknown {
  const revive = (name: string, value: unknown): unknown =>
    times.includes(name) ? new Date(value as number) : value;
  return JSON.parse(json, revive);
}

const listReaders = {
  after: (id: unknown, name: string) => readInteger(id, name, 0),
  limit: (count: unknown, name: string) => readInteger(count, name, 1),
};

/** Lists parked entries, the oldest first. @throws InvalidOptionsError with every fault of the options */
export async function listParked(
  database: OutboxDatabase,
  options: ListOptions = {},
): Promise<OutboxEntry[]> {
  const { after, limit } = readOptions(listReaders, options, '`listParked`', { after: 0, limit: 100 });
  const text = `SELECT ${ENTRY} FROM plant_store_outbox.entry
    WHERE state = 'parked' AND id > $1 ORDER BY id LIMIT $2`;
  const rows = await query<EntryRow>(database, text, [after, limit]);
  return rows.map(({ entry }) => parse(entry) as OutboxEntry);
}

/** An entry with its content; `undefined` if there is none. */
export async function findEntry(
  database: OutboxDatabase,
  id: number,
): Promise<OutboxEntryWithContent | undefined> {
  const text = `SELECT ${ENTRY}, encode(content, 'base64') AS content FROM plant_store_outbox.entry WHERE id = $1`;
  const values = [readInteger(id, 'id', 0)];
  const [row] = await query<EntryRow & { content: string }>(database, text, values);
  return row && { ...(parse(row.entry) as OutboxEntry), content: Buffer.from(row.content, 'base64') };
}

/** Counts the entries. With a million that wait, this takes a second. */
export async function readStatus(database: OutboxDatabase): Promise<OutboxStatus> {
  const text = `SELECT json_strip_nulls(json_build_object(
      'waiting', (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'waiting'),
      'sending', (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'sending'),
      'parked', (SELECT count(*) FROM plant_store_outbox.entry WHERE state = 'parked'),
      'waitingSince',
      (SELECT extract(epoch FROM min(enqueued_at)) * 1000 FROM plant_store_outbox.entry WHERE state = 'waiting')
    ))::text AS status`;
  const [row] = await query<{ status: string }>(database, text);
  return parse(row!.status) as OutboxStatus;
}

/** Entries that one call of `change_parked` changes at most. */
const BATCH = 1_000;

/**
 * Replays parked entries, or discards them.
 *
 * @returns how many there were
 * @throws InvalidOptionsError if the selection is no list of ids
 */
export async function changeParked(
  database: OutboxDatabase,
  state: 'waiting' | 'discarded',
  selection: Selection,
): Promise<number> {
  const isList = Array.isArray(selection) && selection.every((id) => Number.isSafeInteger(id));
  if (!isList && selection !== 'all') throw invalidOption('entries', "must be a list of ids, or 'all'.");
  const ids = isList ? `{${selection.join(',')}}` : null;
  const text = 'SELECT changed, last FROM plant_store_outbox.change_parked($1, $2, $3)';
  let count = 0;
  for (let after = '0'; ;) {
    const [row] = await query<{ changed: string; last: string }>(database, text, [state, after, ids]);
    count += Number(row!.changed);
    if (Number(row!.changed) < BATCH) return count;
    after = row!.last;
  }
}
