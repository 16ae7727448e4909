import pg from 'pg';

import { INBOX_SETTINGS } from './durable.js';

/** How long a receiver that writes nothing counts as alive, in milliseconds. Its cycles renew it every second. */
export const LEASE_TIME = 15_000;

const SECONDS = `interval '${LEASE_TIME} milliseconds'`;

/** A receiver, as long as its epoch is this one. */
export interface Lease {
  readonly receiver: string;
  readonly epoch: number;
}

/**
 * Begins a transaction. Until it ends, nobody gets a new epoch for this receiver.
 *
 * @returns whether the lease isn't lost; if it is, there is no transaction
 */
export async function beginWithLease(client: pg.ClientBase, { receiver, epoch }: Lease): Promise<boolean> {
  const [, renewed] = await queryAll(
    client,
    `BEGIN;
    UPDATE plant_store.receiver SET expires_at = clock_timestamp() + ${SECONDS}
    WHERE name = ${pg.escapeLiteral(receiver)} AND epoch = ${epoch}
    RETURNING ${INBOX_SETTINGS}`,
  );
  if (renewed!.rowCount === 1) return true;
  await client.query('ROLLBACK');
  return false;
}

/**
 * Gets a new epoch. Whatever the receiver has sent before and got no reply for has ended then, or will write nothing. It
 * also removes receivers that ended without a word.
 */
export async function takeLease(client: pg.ClientBase, receiver: string): Promise<Lease> {
  const [, , taken] = await queryAll(
    client,
    `BEGIN;
    SELECT ${INBOX_SETTINGS};
    INSERT INTO plant_store.receiver (name, expires_at)
      VALUES (${pg.escapeLiteral(receiver)}, clock_timestamp() + ${SECONDS})
      ON CONFLICT (name) DO UPDATE
      SET epoch = DEFAULT, since = clock_timestamp(), expires_at = clock_timestamp() + ${SECONDS}
      RETURNING epoch;
    DELETE FROM plant_store.receiver WHERE expires_at < now() - interval '1 day';
    COMMIT`,
  );
  return { receiver, epoch: Number(taken!.rows[0]!['epoch']) };
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

/** Runs statements in one round trip. Returns the result of each. */
async function queryAll(
  client: pg.ClientBase,
  text: string,
): Promise<pg.QueryResult<Record<string, unknown>>[]> {
  return (await client.query(text)) as unknown as pg.QueryResult<Record<string, unknown>>[];
}
