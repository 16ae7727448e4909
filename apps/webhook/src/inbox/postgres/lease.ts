import pg from 'pg';

import { BEGIN_BRIEFLY, INBOX_SETTINGS } from './durable.js';

/** How long a receiver that writes nothing counts as alive, in milliseconds. Its cycles extend it every second. */
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
  const [, , extended] = await queryAll(
    client,
    `${BEGIN_BRIEFLY};
    SELECT ${INBOX_SETTINGS},
      plant_store.extend_lease_11(${pg.escapeLiteral(receiver)}, ${epoch}, ${LEASE_TIME}) AS "isExtended"`,
  );
  if (extended!.rows[0]!['isExtended'] === true) return true;
  await client.query('ROLLBACK');
  return false;
}

/**
 * Gets a new epoch. Whatever the receiver has sent before and got no reply for has ended then, or will write nothing. It
 * also removes receivers that ended without a word.
 */
export async function takeLease(client: pg.ClientBase, receiver: string): Promise<Lease> {
  const [, , , taken] = await queryAll(
    client,
    `${BEGIN_BRIEFLY};
    SELECT ${INBOX_SETTINGS};
    INSERT INTO plant_store.receiver (name, expires_at)
      VALUES (${pg.escapeLiteral(receiver)}, clock_timestamp() + ${SECONDS})
      ON CONFLICT (name) DO UPDATE
      SET epoch = DEFAULT, since = clock_timestamp(), expires_at = clock_timestamp() + ${SECONDS}
      RETURNING epoch;
    DELETE FROM plant_store.receiver
      WHERE expires_at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day';
    COMMIT`,
  );
  return { receiver, epoch: Number(taken!.rows[0]!['epoch']) };
}

/**
 * A condition: the receiver that a row names isn't alive. A lease that ends further away than one can last is of a
 * clock that was wrong; it may last twice as long here, because this transaction may have begun before it was extended.
 * After an outage of the database every lease has lapsed, so one only counts once this receiver has been back for as long:
 * the others have extended theirs by then.
 */
export const isAbandoned = (receiver: string): string => `NOT EXISTS (
  SELECT FROM plant_store.receiver AS other
  WHERE other.name = receiver AND (other.expires_at BETWEEN now() AND now() + 2 * ${SECONDS} OR NOT EXISTS (
    SELECT FROM plant_store.receiver AS own
    WHERE own.name = ${pg.escapeLiteral(receiver)} AND own.since < now() - ${SECONDS})))`;

/** Runs statements in one round trip. Returns the result of each. */
async function queryAll(
  client: pg.ClientBase,
  text: string,
): Promise<pg.QueryResult<Record<string, unknown>>[]> {
  return (await client.query(text)) as unknown as pg.QueryResult<Record<string, unknown>>[];
}
