import { randomUUID } from 'node:crypto';
import type { EncodedPlant } from '../encoders/encode-plant.js';
import type { Outcome } from '../errors/plant-store-error.js';
import { type OutboxDatabase, query } from './database.js';

/** An entry that is due, as a relay has read it. Any relay may send it. */
export interface DueEntry {
  readonly id: number;
  readonly plant: EncodedPlant;
}

/** An entry with an attempt that a relay has stored before it begins. No other relay sends it. */
export interface BegunEntry {
  readonly id: number;
  /** How often it was sent before. */
  readonly attempts: number;
  /** The outcome of those attempts; `undefined` if there were none. */
  readonly outcome: Outcome | undefined;
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

/**
 * The outbox as a relay sees it that has a lease. sql/outbox-001.sql has the functions. Each is one statement, so any
 * connection will do. Where a lease is lost, nothing changes.
 */
export class LeasedOutbox {
  readonly #database: OutboxDatabase;
  readonly #relay = randomUUID();
  #epoch = '0';
  /** Where the next read starts in the index of what waits. */
  #cursor = FROM_START;
  /** From when on a read starts at the beginning again. */
  #fromStartAt = 0;
  /** Where the next batch of old entries starts in their index. */
  #deletedUpTo = '-infinity';

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

  /** Renews the lease, if that is due. */
  async renew(): Promise<void> {
    await this.#call('require_lease', this.#epoch);
  }

  /**
   * Reads entries that are due, the first due first, but not those that the relay has read before. It changes nothing.
   *
   * A read starts in the index where the last one ended: entries before it are sent or gone, but a session that holds an
   * old snapshot keeps their rows, and each read would pass all of them. An entry whose transaction took longer than
   * others may have been passed by. So a read also starts at the beginning, as often as that costs little, and every few
   * seconds at least.
   */
  async readDue(most: number, known: readonly DueEntry[]): Promise<DueEntry[]> {
    const began = performance.now();
    if (began >= this.#fromStartAt) this.#cursor = FROM_START;
    const isFromStart = this.#cursor === FROM_START;
    const { dueAt, id } = this.#cursor;
    const rows = await query<DueRow>(
      this.#database,
      'SELECT * FROM plant_store_outbox.read_due($1, $2, $3, $4)',
      [dueAt, id, most, known.map((entry) => entry.id)],
    );
    const ended = performance.now();
    if (isFromStart) this.#fromStartAt = ended + Math.min((ended - began) / SHARE_FROM_START, MAX_FROM_START);
    const last = rows.at(-1);
    if (last !== undefined) this.#cursor = { dueAt: last.due_at, id: last.id };
    return rows.map(toDue);
  }

  /**
   * Stores results, and that attempts of other entries begin. A result of an entry that the relay no longer has changes
   * nothing.
   *
   * @returns entries whose attempts may begin: still due, and not taken by another relay
   */
  async store(results: readonly Result[], due: readonly DueEntry[]): Promise<BegunEntry[]> {
    const stored = results.map((result) => ({ ...result, error: result.error && storable(result.error) }));
    const ids = due.map(({ id }) => id);
    return this.#entries(await this.#call<BegunRow>('store', this.#epoch, JSON.stringify(stored), ids));
  }

  /**
   * Takes entries of relays whose leases have expired.
   *
   * @returns all entries whose attempts were cut off, and that have no result yet
   */
  async takeOver(): Promise<BegunEntry[]> {
    return this.#entries(await this.#call<BegunRow>('take_over', this.#epoch));
  }

  /**
   * Deletes a batch of what was delivered or discarded so many milliseconds ago, so that deliveries go on meanwhile.
   *
   * @returns whether that was all
   */
  async deleteOld(milliseconds: number): Promise<boolean> {
    const text = 'SELECT plant_store_outbox.delete_old($1, $2) AS next';
    const values = [milliseconds, this.#deletedUpTo];
    const [row] = await query<{ next: string | null }>(this.#database, text, values);
    this.#deletedUpTo = row!.next ?? '-infinity';
    return row!.next === null;
  }

  /** Ends the lease. What the relay still has waits again: no attempt of it began. */
  async endLease(): Promise<void> {
    await this.#call('end_lease', this.#epoch);
  }

  /** Calls a function whose first parameter is the relay. */
  #call<Row>(name: string, ...values: unknown[]): Promise<Row[]> {
    const parameters = ['$1', ...values.map((_, index) => `$${index + 2}`)].join(', ');
    const text = `SELECT * FROM plant_store_outbox.${name}(${parameters})`;
    return query<Row>(this.#database, text, [this.#relay, ...values]);
  }

  #entries(rows: readonly BegunRow[]): BegunEntry[] {
    return rows.map(({ id, attempts, outcome }) => ({
      id: Number(id),
      attempts: Number(attempts),
      outcome: outcome ?? undefined,
    }));
  }
}

interface Cursor {
  readonly dueAt: string;
  readonly id: string;
}

const FROM_START: Cursor = { dueAt: '-infinity', id: '0' };

interface DueRow {
  readonly id: string;
  readonly media_type: string | null;
  readonly event_id: string | null;
  readonly content: string;
  readonly due_at: string;
}

function toDue(row: DueRow): DueEntry {
  const plant = {
    content: Buffer.from(row.content, 'hex'),
    ...(row.media_type !== null && { mediaType: row.media_type }),
    ...(row.event_id !== null && { eventId: row.event_id }),
  };
  return { id: Number(row.id), plant };
}

interface BegunRow {
  readonly id: string;
  readonly attempts: string;
  readonly outcome: Outcome | null;
}

/** PostgreSQL can't store NUL or half of a surrogate pair. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}
