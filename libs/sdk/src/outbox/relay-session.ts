import type { EncodedPlant } from '../encoders/encode-plant.js';
import type { Outcome } from '../errors/plant-store-error.js';
import { type OutboxDatabase, Session } from './database.js';
import { LOCK_CLASS, requireSchema } from './schema.js';

/** An entry that a relay has claimed. */
export interface ClaimedEntry {
  readonly id: number;
  readonly plant: EncodedPlant;
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

/** Most content that is claimed at once, in bytes; a single entry may be larger. */
const MAX_CLAIM_BYTES = 8 * 1_048_576;

/** A claim that starts at the beginning of the index takes at most this share of the time. */
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
  /** Where the next claim starts in the index of what waits. */
  #cursor = FROM_START;
  /** From when on a claim starts at the beginning again. */
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
   * Claims entries that are due, the first due first. Those that others claim now are left out.
   *
   * A claim starts in the index where the last one ended: entries before it are claimed or gone, but a session that holds
   * an old snapshot keeps their rows, and each claim would read all of them. An entry whose transaction took longer than
   * others may have been passed by. So a claim also starts at the beginning, as often as that costs little, and
   * every few seconds at least.
   */
  async claim(limit: number): Promise<ClaimedEntry[]> {
    const began = performance.now();
    if (began >= this.#fromStartAt) this.#cursor = FROM_START;
    const isFromStart = this.#cursor === FROM_START;
    const { dueAt, id } = this.#cursor;
    const rows = await this.#session.query<EntryRow>(CLAIM, [this.relay, dueAt, id, limit]);
    const ended = performance.now();
    if (isFromStart) this.#fromStartAt = ended + Math.min((ended - began) / SHARE_FROM_START, MAX_FROM_START);
    const last = rows.at(-1);
    if (last !== undefined) this.#cursor = { dueAt: last.due_at, id: last.id };
    return rows.map(toEntry);
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

  /** Takes over entries of earlier sessions of this process. @returns those that nobody else has taken */
  async adopt(ids: readonly number[], earlier: readonly number[]): Promise<Set<number>> {
    const rows = await this.#session.query<{ id: string }>(ADOPT, [this.relay, earlier, ids]);
    return new Set(rows.map(({ id }) => Number(id)));
  }

  /**
   * Lets entries wait again whose relay has no session. A relay that lost its connection may come back at once and adopt
   * its own: so it must be missing twice.
   */
  async takeOver(): Promise<void> {
    const rows = await this.#session.query<{ id: string }>(MISSING_RELAYS, [this.relay]);
    const missing = rows.map(({ id }) => Number(id));
    const dead = missing.filter((id) => this.#missing.has(id));
    this.#missing = new Set(missing);
    if (dead.length === 0) return;
    await this.#session.transaction(async () => {
      const locked = await this.#session.query<{ id: string }>(LOCK_RELAYS, [dead]);
      // A statement of its own, after the locks: it sees the last commit of those relays.
      await this.#session.query(RELEASE, [locked.map(({ id }) => id), 'unknown']);
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

  /** Ends the session in order. What the relay still has goes back. */
  async close(): Promise<void> {
    try {
      await this.#session.query(RELEASE, [[this.relay], null]);
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

interface EntryRow {
  readonly id: string;
  readonly attempts: string;
  readonly outcome: Outcome | null;
  readonly media_type: string | null;
  readonly event_id: string | null;
  readonly content: Uint8Array;
  readonly due_at: string;
}

function toEntry(row: EntryRow): ClaimedEntry {
  const plant = {
    content: row.content,
    ...(row.media_type !== null && { mediaType: row.media_type }),
    ...(row.event_id !== null && { eventId: row.event_id }),
  };
  return { id: Number(row.id), plant, attempts: Number(row.attempts), outcome: row.outcome ?? undefined };
}

/** The lock comes before the row: others see only relays that have it. */
const REGISTER = `
  WITH next AS MATERIALIZED (SELECT nextval('plant_store_outbox.relay_id')::int AS id),
  locked AS MATERIALIZED (SELECT id, pg_advisory_lock(${LOCK_CLASS}, id) AS done FROM next)
  INSERT INTO plant_store_outbox.relay (id) SELECT id FROM locked WHERE done IS NOT NULL RETURNING id::text`;

const CLAIM = `
  WITH due AS (
    SELECT id, due_at, octet_length(content) AS bytes FROM plant_store_outbox.entry
    WHERE state = 'waiting' AND due_at <= now() AND (due_at, id) > ($2::timestamptz, $3::bigint)
    ORDER BY due_at, id LIMIT $4 FOR UPDATE SKIP LOCKED
  ),
  chosen AS (
    SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY due_at, id) - bytes AS before FROM due) s
    WHERE before < ${MAX_CLAIM_BYTES}
  ),
  claimed AS (
    UPDATE plant_store_outbox.entry e SET state = 'sending', relay = $1 FROM chosen WHERE e.id = chosen.id
    RETURNING e.*
  )
  SELECT id::text, attempts::text, outcome, media_type, event_id, content, due_at::text FROM claimed
  ORDER BY claimed.due_at, claimed.id`;

const SETTLE = `
  UPDATE plant_store_outbox.entry e SET
    state = r.state, relay = NULL, attempts = r.attempts, outcome = r.outcome, code = r.code, error = r.error,
    due_at = CASE r.state WHEN 'waiting' THEN clock_timestamp() + r.due_in * interval '1 ms' ELSE e.due_at END,
    settled_at = CASE r.state WHEN 'waiting' THEN NULL ELSE clock_timestamp() END
  FROM unnest($2::bigint[], $3::plant_store_outbox.state[], $4::float8[], $5::int[], $6::text[], $7::text[], $8::text[])
    AS r (id, state, due_in, attempts, outcome, code, error)
  WHERE e.id = r.id AND e.relay = $1`;

const ADOPT = `
  UPDATE plant_store_outbox.entry SET relay = $1 WHERE id = ANY ($3::bigint[]) AND relay = ANY ($2::int[])
  RETURNING id::text`;

const MISSING_RELAYS = `
  SELECT id::text FROM plant_store_outbox.relay
  WHERE id <> $1 AND pg_try_advisory_xact_lock(${LOCK_CLASS}, id)`;

const LOCK_RELAYS = `
  SELECT id::text FROM plant_store_outbox.relay
  WHERE id = ANY ($1::int[]) AND pg_try_advisory_xact_lock(${LOCK_CLASS}, id)`;

/** `$2` is the outcome of the entries, if the relays may have been sending them. */
const RELEASE = `
  WITH released AS (
    UPDATE plant_store_outbox.entry SET
      state = 'waiting', relay = NULL, due_at = clock_timestamp(), outcome = coalesce($2, outcome)
    WHERE state = 'sending' AND relay = ANY ($1::int[])
  )
  DELETE FROM plant_store_outbox.relay WHERE id = ANY ($1::int[])`;

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
