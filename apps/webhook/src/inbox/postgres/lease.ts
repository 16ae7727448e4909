import pg from 'pg';

import { queryAlone } from './connect.js';
import { BEGIN_BRIEFLY, INBOX_SETTINGS } from './durable.js';

/** How long a receiver that doesn't extend its lease counts as alive, in milliseconds. */
export const LEASE_TIME = 15_000;

/** How often a receiver extends its lease, in milliseconds. */
export const EXTEND_INTERVAL = 3_000;

export const SECONDS = `interval '${LEASE_TIME} milliseconds'`;

/** A condition: a lease was extended lately, so there was no outage of the database, or it was over by then. */
const isFresh = (lease: string): string =>
  `${lease}.expires_at BETWEEN clock_timestamp() + ${SECONDS} / 2 AND clock_timestamp() + ${SECONDS}`;

/** Since when the receiver has its leases without an outage in between. It may have a new one after a write that failed. */
const SINCE = `CASE WHEN ${isFresh('receiver')} THEN receiver.since ELSE clock_timestamp() END`;

/**
 * How long a transaction that isn't a cycle waits for a row that somebody has locked, in milliseconds. The receiver takes no
 * new lease meanwhile, and nothing else that isn't a cycle happens.
 */
const LOCK_TIMEOUT = 500;

/** Key of the locks that belong to the leases, with the hash of the receiver's name. */
export const LEASE_LOCK = 0x706c6171;

/** A moment by the monotonic and by the wall clock: a machine that sleeps stops the one, and not always the other. */
const moment = (): readonly number[] => [performance.now(), Date.now()];

/**
 * What a receiver has while it is alive: as long as it holds its lease, nobody adopts what it runs. Cycles only read it, so
 * that several can be under way. It is extended by itself.
 *
 * The server decides whether it is lost. The receiver knows earlier that it may be: when it was not extended for as long as
 * a lease lasts, since it sent the last extension.
 */
export class Lease {
  #isLost = false;
  #sent: readonly number[];

  private constructor(
    readonly receiver: string,
    readonly epoch: number,
    sent: readonly number[],
  ) {
    this.#sent = sent;
  }

  /** Gets a new epoch. Whatever the receiver has sent before has ended then, or will write nothing. */
  static async take(client: pg.ClientBase, receiver: string): Promise<Lease> {
    const sent = moment();
    const name = pg.escapeLiteral(receiver);
    const [, , , , taken] = await queryAll(
      client,
      `${BEGIN_BRIEFLY};
      SELECT ${INBOX_SETTINGS};
      SELECT pg_advisory_xact_lock(${LEASE_LOCK}, hashtext(${name}));
      INSERT INTO plant_store.receiver (name, expires_at)
        VALUES (${name}, clock_timestamp() + ${SECONDS})
        ON CONFLICT (name) DO UPDATE
        SET epoch = DEFAULT, since = ${SINCE}, expires_at = clock_timestamp() + ${SECONDS}
        RETURNING epoch;
      COMMIT`,
    );
    return new Lease(receiver, Number(taken!.rows[0]!['epoch']), sent);
  }

  /** Whether nobody else can have adopted what was claimed by this lease. */
  isHeld(): boolean {
    return !this.#isLost && moment().every((time, index) => time - this.#sent[index]! < LEASE_TIME);
  }

  /**
   * It also removes receivers that ended long ago without a word, unless it is new: then the clock may just have been set.
   *
   * @returns whether it isn't lost: one that has lapsed for a moment is
   */
  async extend(client: pg.ClientBase): Promise<boolean> {
    const sent = moment();
    const { rowCount } = await queryAlone(
      client,
      `WITH extended AS (
        UPDATE plant_store.receiver SET expires_at = clock_timestamp() + ${SECONDS}, since = ${SINCE}
        WHERE name = $1 AND epoch = $2 AND expires_at BETWEEN clock_timestamp() AND clock_timestamp() + ${SECONDS}
        RETURNING since
      ), removed AS (
        DELETE FROM plant_store.receiver
        WHERE expires_at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day'
          AND EXISTS (SELECT FROM extended WHERE since < now() - ${SECONDS})
      )
      SELECT FROM extended`,
      [this.receiver, this.epoch],
    );
    if (rowCount === 1) this.#sent = sent;
    else this.#isLost = true;
    return rowCount === 1;
  }

  /**
   * Begins a transaction. Until it ends, nobody gets a new epoch for this receiver.
   *
   * @returns whether the lease isn't lost; if it is, there is no transaction
   */
  async begin(client: pg.ClientBase): Promise<boolean> {
    const [, , , checked] = await queryAll(
      client,
      `${BEGIN_BRIEFLY};
      SELECT ${INBOX_SETTINGS};
      SELECT plant_store.has_lease_11(${pg.escapeLiteral(this.receiver)}, ${this.epoch}) AS "isHeld",
        set_config('lock_timeout', '${LOCK_TIMEOUT}', true)`,
    );
    if (checked!.rows[0]!['isHeld'] === true) return true;
    await client.query('ROLLBACK');
    return false;
  }
}

/**
 * A condition: the receiver that a row names isn't alive. A lease that ends further away than one can last is of a
 * clock that was wrong; it may last twice as long here, because this transaction may have begun before it was extended.
 * After an outage of the database every lease may have lapsed but this receiver's own. So one only counts once this receiver
 * has extended its own, without an outage, for as long as a lease lasts: the others have extended theirs by then.
 */
export const isAbandoned = (receiver: string): string => `NOT EXISTS (
  SELECT FROM plant_store.receiver AS other
  WHERE other.name = receiver AND (other.expires_at BETWEEN now() AND now() + 2 * ${SECONDS} OR NOT EXISTS (
    SELECT FROM plant_store.receiver AS own
    WHERE own.name = ${pg.escapeLiteral(receiver)} AND own.since < now() - ${SECONDS} AND ${isFresh('own')})))`;

/** Runs statements in one round trip. Returns the result of each. */
async function queryAll(
  client: pg.ClientBase,
  text: string,
): Promise<pg.QueryResult<Record<string, unknown>>[]> {
  return (await client.query(text)) as unknown as pg.QueryResult<Record<string, unknown>>[];
}
