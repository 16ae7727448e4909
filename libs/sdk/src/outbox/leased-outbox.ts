import { randomUUID } from 'node:crypto';
import type { EncodedPlant } from '../encoders/plant-encoder.js';
import type { Outcome } from '../errors/plant-store-error.js';
import { type OutboxDatabase, query } from './database.js';

/** An entry with an attempt that was stored before it begins. No other relay sends it. */
export interface TakenEntry {
  readonly id: number;
  /** How often it was sent before. */
  readonly attempts: number;
  /** The outcome of those attempts; `undefined` if there were none. */
  readonly outcome: Outcome | undefined;
  /** What is sent; `undefined` if another relay has begun the attempt, and it was cut off. */
  readonly plant: EncodedPlant | undefined;
}

/** What becomes of an entry after an attempt. */
export interface Result {
  readonly id: number;
  readonly state: 'delivered' | 'parked' | 'waiting';
  /** Milliseconds until it is sent again. */
  readonly dueIn: number;
  readonly attempts: number;
  readonly outcome: Outcome | undefined;
  /** Code and message of the last error. */
  readonly code: string | undefined;
  readonly error: string | undefined;
}

/** A read that starts at the beginning of the index takes at most this share of the time. */
const SHARE_FROM_START = 0.05;

/** But the next one comes after this time at the latest, in milliseconds: the last one may have been slow by chance. */
const MAX_FROM_START = 5_000;

const START = '-infinity';

/**
 * The outbox as a relay sees it that has a lease. schema-001.ts has the functions. Each is one statement, so any
 * connection will do. Where a lease is lost, nothing changes.
 */
export class LeasedOutbox {
  readonly #database: OutboxDatabase;
  readonly #relay = randomUUID();
  #epoch = '0';
  /** Where the next read starts in the index of what waits. */
  #cursor = START;
  /** From when on a read starts at the beginning again. */
  #fromStartAt = 0;

  constructor(database: OutboxDatabase) {
    this.#database = database;
  }

  /**
   * Takes the lease anew. What was sent before has ended then, or changes nothing. Entries that the relay has, and whose
   * attempts haven't begun, wait again.
   *
   * @param begun entries whose attempts have begun, or have results that may not be stored
   * @returns entries that the relay still has
   */
  async takeLease(begun: readonly number[]): Promise<Set<number>> {
    const [lease] = await this.#call<{ new_epoch: string; kept: string[] }>('take_lease', begun);
    this.#epoch = lease!.new_epoch;
    return new Set(lease!.kept.map(Number));
  }

  /**
   * Stores results, and that attempts of other entries begin. Renews the lease, if that is due. A result of an entry that
   * the relay no longer has changes nothing.
   *
   * A read starts in the index where the last one ended: entries before it are sent or gone, but a session that holds an
   * old snapshot keeps their rows, and each read would pass all of them. An entry whose transaction took longer than
   * others may have been passed by. So a read also starts at the beginning, as often as that costs little, and every few
   * seconds at least.
   *
   * @param most how many attempts may begin
   * @returns entries whose attempts may begin, and those whose attempts were cut off
   */
  async store(results: readonly Result[], most: number): Promise<TakenEntry[]> {
    const began = performance.now();
    if (began >= this.#fromStartAt) this.#cursor = START;
    const isFromStart = this.#cursor === START;
    const stored = results.map((result) => ({ ...result, error: result.error && storable(result.error) }));
    const values = [this.#epoch, JSON.stringify(stored), most, this.#cursor];
    const rows = await this.#call<TakenRow>('store', ...values);
    const ended = performance.now();
    if (isFromStart) this.#fromStartAt = ended + Math.min((ended - began) / SHARE_FROM_START, MAX_FROM_START);
    this.#cursor = rows.at(-1)?.due_at ?? this.#cursor;
    return rows.map(toTaken);
  }

  /** Ends the lease. What the relay still has waits again: no attempt of it began. */
  async endLease(): Promise<void> {
    await this.#call('end_lease', this.#epoch);
  }

  /** Deletes a batch of what was delivered or discarded so many milliseconds ago. @returns whether there was something */
  async deleteOld(milliseconds: number): Promise<boolean> {
    const text = 'SELECT plant_store_outbox.delete_old($1)::text AS deleted';
    const [row] = await query<{ deleted: string }>(this.#database, text, [milliseconds]);
    return row!.deleted !== '0';
  }

  /** Calls a function whose first parameter is the relay. */
  #call<Row>(name: string, ...values: unknown[]): Promise<Row[]> {
    const parameters = ['$1', ...values.map((_, index) => `$${index + 2}`)].join(', ');
    const text = `SELECT * FROM plant_store_outbox.${name}(${parameters})`;
    return query<Row>(this.#database, text, [this.#relay, ...values]);
  }
}

interface TakenRow {
  readonly id: string;
  readonly attempts: number;
  readonly outcome: Outcome | null;
  readonly media_type: string | null;
  readonly event_id: string | null;
  readonly content: Uint8Array | null;
  readonly due_at: string | null;
}

function toTaken({ id, attempts, outcome, media_type, event_id, content }: TakenRow): TakenEntry {
  const plant = content && {
    content,
    ...(media_type !== null && { mediaType: media_type }),
    ...(event_id !== null && { eventId: event_id }),
  };
  return { id: Number(id), attempts, outcome: outcome ?? undefined, plant: plant ?? undefined };
}

/** PostgreSQL can't store NUL or half of a surrogate pair. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}
