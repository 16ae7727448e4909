import type { EncodedPlant } from '../encoders/encode-plant.js';
import type { Outcome } from '../errors/plant-store-error.js';
import { type OutboxDatabase, Session } from './database.js';
import { LOCK_CLASS, requireSchema } from './schema.js';

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

/** Most content that is read at once, in bytes; a single entry may be larger. */
const MAX_READ_BYTES = 8 * 1_048_576;

/** A read that starts at the beginning of the index takes at most this share of the time. */
const SHARE_FROM_START = 0.05;

/** But the next one comes after this time at the latest, in milliseconds: the last one may have been slow by chance. */
const MAX_FROM_START = 5_000;

/** Entries that are deleted by one statement. */
const DELETE_BATCH = 1_000;

/**
 * The session of a relay. Its number is locked for as long as its connection lives. Whoever gets the lock knows that
 * this session writes nothing more, and takes its entries. A session that is opened anew has another number.
 */
export class RelaySession {
  readonly #session: Session;
  /** The number of the relay. */
  readonly relay: number;
  /** Where the next read starts in the index of what waits. */
  #cursor = FROM_START;
  /** From when on a read starts at the beginning again. */
  #fromStartAt = 0;
  /** Where the next batch of old entries starts in their index. */
  #deletedUpTo = '-infinity';
  /** Relays that had no session when they were looked for last. */
  #missing: ReadonlySet<number> = new Set();

  private constructor(session: Session, relay: number) {
    this.#session = session;
    this.relay = relay;
  }

  /**
   * Opens a session and registers the relay.
   *
   * @throws OutboxError if there is no connection, no outbox, or one of another version
   */
  static async open(database: OutboxDatabase): Promise<RelaySession> {
    const session = await Session.open(database);
    try {
      await requireSchema(session);
      const [row] = await session.query<{ id: string }>(REGISTER);
      return new RelaySession(session, Number(row!.id));
    } catch (error) {
      session.end();
      throw error;
    }
  }

  /**
   * Reads entries that are due, the first due first, but not those that the relay has read before. It changes nothing.
   *
   * A read starts in the index where the last one ended: entries before it are sent or gone, but a session that holds an
   * old snapshot keeps their rows, and each read would pass all of them. An entry whose transaction took longer than
   * others may have been passed by. So a read also starts at the beginning, as often as that costs little, and every few
   * seconds at least.
   */
  async readDue(limit: number, known: readonly DueEntry[]): Promise<DueEntry[]> {
    const began = performance.now();
    if (began >= this.#fromStartAt) this.#cursor = FROM_START;
    const isFromStart = this.#cursor === FROM_START;
    const { dueAt, id } = this.#cursor;
    const knownIds = known.map((entry) => entry.id);
    const rows = await this.#session.query<DueRow>(READ_DUE, [dueAt, id, limit, knownIds]);
    const ended = performance.now();
    if (isFromStart) this.#fromStartAt = ended + Math.min((ended - began) / SHARE_FROM_START, MAX_FROM_START);
    const last = rows.at(-1);
    if (last !== undefined) this.#cursor = { dueAt: last.due_at, id: last.id };
    return rows.map(toDue);
  }

  /**
   * Stores that attempts of entries begin. Entries that are no longer due are left out, and so are those that others take
   * now.
   *
   * @returns those whose attempts may begin
   */
  async begin(due: readonly DueEntry[]): Promise<BegunEntry[]> {
    const rows = await this.#session.query<BegunRow>(BEGIN, [this.relay, due.map(({ id }) => id)]);
    return rows.map(toBegun);
  }

  /** Stores results. An entry that this relay no longer has is left alone. */
  async settle(results: readonly Result[]): Promise<void> {
    await this.#session.query(SETTLE, [
      this.relay,
      results.map(({ id }) => id),
      results.map(({ state }) => state),
      results.map(({ dueIn }) => dueIn),
      results.map(({ attempts }) => attempts),
      results.map(({ outcome }) => outcome ?? null),
      results.map(({ code }) => code ?? null),
      // PostgreSQL can't store NUL.
      results.map(({ error }) => error?.replaceAll('\0', '') ?? null),
    ]);
  }

  /**
   * Takes over entries of earlier sessions of this process.
   *
   * @param due entries that it has not begun, though that may be stored: they wait again
   * @returns those that nobody else has taken
   */
  async adopt(
    ids: readonly number[],
    due: readonly DueEntry[],
    earlier: readonly number[],
  ): Promise<Set<number>> {
    const values = [this.relay, earlier, ids, due.map(({ id }) => id)];
    const rows = await this.#session.query<{ id: string }>(ADOPT, values);
    return new Set(rows.map(({ id }) => Number(id)));
  }

  /**
   * Takes entries whose relay has no session. A relay that lost its connection may come back at once and adopt its own: so
   * it must be missing twice.
   *
   * @returns entries whose attempts were cut off
   */
  async takeOver(): Promise<BegunEntry[]> {
    const rows = await this.#session.query<{ id: string }>(MISSING_RELAYS, [this.relay]);
    const missing = rows.map(({ id }) => Number(id));
    const dead = missing.filter((id) => this.#missing.has(id));
    this.#missing = new Set(missing);
    if (dead.length === 0) return [];
    return this.#session.transaction(async () => {
      const locked = await this.#session.query<{ id: string }>(LOCK_RELAYS, [dead]);
      // A statement of its own, after the locks: it sees the last commit of those relays.
      const ids = locked.map(({ id }) => id);
      return (await this.#session.query<BegunRow>(TAKE_OVER, [this.relay, ids])).map(toBegun);
    });
  }

  /**
   * Deletes a batch of what was delivered or discarded so many milliseconds ago, so that deliveries go on meanwhile.
   *
   * @returns whether that was all
   */
  async deleteOld(milliseconds: number): Promise<boolean> {
    const values = [milliseconds, this.#deletedUpTo];
    const rows = await this.#session.query<{ settled_at: string }>(DELETE_OLD, values);
    const isDone = rows.length < DELETE_BATCH;
    this.#deletedUpTo = isDone ? '-infinity' : rows.at(-1)!.settled_at;
    return isDone;
  }

  /** Ends the session in order. What the relay still has waits again: no attempt of it began. */
  async close(): Promise<void> {
    try {
      await this.#session.query(RELEASE, [this.relay]);
    } finally {
      this.#session.end();
    }
  }

  /** Ends a session whose connection is of no use. */
  abandon(): void {
    this.#session.end();
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
  readonly content: Uint8Array;
  readonly due_at: string;
}

function toDue(row: DueRow): DueEntry {
  const plant = {
    content: row.content,
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

function toBegun({ id, attempts, outcome }: BegunRow): BegunEntry {
  return { id: Number(id), attempts: Number(attempts), outcome: outcome ?? undefined };
}

/** The lock comes before the row: others see only relays that have it. */
const REGISTER = `
  WITH next AS MATERIALIZED (SELECT nextval('plant_store_outbox.relay_id')::int AS id),
  locked AS MATERIALIZED (SELECT id, pg_advisory_lock(${LOCK_CLASS}, id) AS done FROM next)
  INSERT INTO plant_store_outbox.relay (id) SELECT id FROM locked WHERE done IS NOT NULL RETURNING id::text`;

const READ_DUE = `
  SELECT id::text, media_type, event_id, content, due_at::text
  FROM (
    SELECT *, sum(octet_length(content)) OVER (ORDER BY due_at, id) - octet_length(content) AS bytes_before
    FROM (
      SELECT id, due_at, media_type, event_id, content FROM plant_store_outbox.entry
      WHERE state = 'waiting' AND due_at <= now() AND (due_at, id) > ($1::timestamptz, $2::bigint)
        AND id <> ALL ($4::bigint[])
      ORDER BY due_at, id LIMIT $3
    ) due
  ) measured
  WHERE bytes_before < ${MAX_READ_BYTES}
  ORDER BY measured.due_at, measured.id`;

const BEGIN = `
  WITH due AS (
    SELECT id FROM plant_store_outbox.entry
    WHERE id = ANY ($2::bigint[]) AND state = 'waiting' AND due_at <= now() FOR UPDATE SKIP LOCKED
  )
  UPDATE plant_store_outbox.entry e SET state = 'sending', relay = $1 FROM due WHERE e.id = due.id
  RETURNING e.id::text, e.attempts::text, e.outcome`;

const SETTLE = `
  UPDATE plant_store_outbox.entry e SET
    state = r.state, relay = NULL, attempts = r.attempts, outcome = r.outcome, code = r.code, error = r.error,
    due_at = CASE r.state WHEN 'waiting' THEN clock_timestamp() + r.due_in * interval '1 ms' ELSE e.due_at END,
    settled_at = CASE r.state WHEN 'waiting' THEN NULL ELSE clock_timestamp() END
  FROM unnest($2::bigint[], $3::plant_store_outbox.state[], $4::float8[], $5::int[], $6::text[], $7::text[], $8::text[])
    AS r (id, state, due_in, attempts, outcome, code, error)
  WHERE e.id = r.id AND e.relay = $1`;

const ADOPT = `
  WITH released AS (
    UPDATE plant_store_outbox.entry SET state = 'waiting', relay = NULL
    WHERE id = ANY ($4::bigint[]) AND relay = ANY ($2::int[])
  )
  UPDATE plant_store_outbox.entry SET relay = $1 WHERE id = ANY ($3::bigint[]) AND relay = ANY ($2::int[])
  RETURNING id::text`;

const MISSING_RELAYS = `
  SELECT id::text FROM plant_store_outbox.relay
  WHERE id <> $1 AND pg_try_advisory_xact_lock(${LOCK_CLASS}, id)`;

const LOCK_RELAYS = `
  SELECT id::text FROM plant_store_outbox.relay
  WHERE id = ANY ($1::int[]) AND pg_try_advisory_xact_lock(${LOCK_CLASS}, id)`;

const TAKE_OVER = `
  WITH dead AS (DELETE FROM plant_store_outbox.relay WHERE id = ANY ($2::int[]))
  UPDATE plant_store_outbox.entry SET relay = $1 WHERE state = 'sending' AND relay = ANY ($2::int[])
  RETURNING id::text, attempts::text, outcome`;

const RELEASE = `
  WITH released AS (
    UPDATE plant_store_outbox.entry SET state = 'waiting', relay = NULL WHERE state = 'sending' AND relay = $1
  )
  DELETE FROM plant_store_outbox.relay WHERE id = $1`;

const DELETE_OLD = `
  WITH old AS (
    SELECT id, settled_at FROM plant_store_outbox.entry
    WHERE state IN ('delivered', 'discarded') AND settled_at < now() - $1 * interval '1 ms'
      AND settled_at > $2::timestamptz
    ORDER BY settled_at LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED
  ),
  deleted AS (
    DELETE FROM plant_store_outbox.entry e USING old WHERE e.id = old.id RETURNING old.settled_at
  )
  SELECT settled_at::text FROM deleted ORDER BY deleted.settled_at`;
