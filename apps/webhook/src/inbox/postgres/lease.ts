import pg from 'pg';

import { INBOX_SETTINGS } from './connect.js';

/** How long a receiver that writes nothing counts as alive, in milliseconds. */
const LEASE_TIME = 15_000;

/** How often a lease is renewed if nothing is written, in milliseconds. */
export const RENEWAL_INTERVAL = LEASE_TIME / 3;

const SECONDS = `interval '${LEASE_TIME} milliseconds'`;

/** A receiver, as long as its epoch is this one. */
export interface Lease {
  readonly receiver: string;
  readonly epoch: number;
}

/**
 * A statement that renews a lease, and makes the settings of the transaction. It returns a row unless the lease is lost.
 * Until the transaction ends, nobody gets a new epoch for this receiver.
 */
export const renewal = (receiver: string, epoch: string): string => `
  UPDATE plant_store.receiver SET expires_at = clock_timestamp() + ${SECONDS}
  WHERE name = ${receiver} AND epoch = ${epoch}
  RETURNING ${INBOX_SETTINGS}`;

/**
 * Gets a new epoch. Whatever the receiver has sent before and got no reply for has ended then, or will write nothing. It
 * also removes receivers that ended without a word.
 */
export async function takeLease(client: pg.ClientBase, receiver: string): Promise<Lease> {
  const name = pg.escapeLiteral(receiver);
  const results = (await client.query(`
    BEGIN;
    SELECT ${INBOX_SETTINGS};
    INSERT INTO plant_store.receiver (name, expires_at) VALUES (${name}, clock_timestamp() + ${SECONDS})
      ON CONFLICT (name) DO UPDATE
      SET epoch = DEFAULT, since = clock_timestamp(), expires_at = clock_timestamp() + ${SECONDS}
      RETURNING epoch;
    DELETE FROM plant_store.receiver WHERE expires_at < now() - interval '1 day';
    COMMIT`)) as unknown as pg.QueryResult<{ epoch: string }>[];
  return { receiver, epoch: Number(results[2]!.rows[0]!.epoch) };
}

/**
 * A condition: the receiver of a running delivery isn't alive. After an outage of the database every lease has expired,
 * so one only counts once this receiver has been back for as long: the others have renewed theirs by then.
 */
export const isAbandoned = (receiver: string): string => `NOT EXISTS (
  SELECT FROM plant_store.receiver AS other
  WHERE other.name = delivery.receiver AND (other.expires_at > now() OR NOT EXISTS (
    SELECT FROM plant_store.receiver AS own
    WHERE own.name = ${pg.escapeLiteral(receiver)} AND own.since < now() - ${SECONDS})))`;
