import type pg from 'pg';

/**
 * New deliveries that wait, of receivers and not in the backlog: for each receiver, what comes after its progress.
 * Without a condition, of all receivers.
 */
export const FRESH = `
  plant_store.receiver r
  CROSS JOIN LATERAL (
    SELECT handled_through, accepted_through FROM plant_store.progress WHERE receiver = r.id
    ORDER BY number DESC LIMIT 1
  ) p
  JOIN plant_store.delivery d ON d.id > p.handled_through AND d.id <= p.accepted_through AND d.receiver = r.id`;

export const IS_IN_NO_TABLE = ['backlog', 'parked', 'discarded']
  .map((table) => `NOT EXISTS (SELECT FROM plant_store.${table} t WHERE t.delivery_id = d.id)`)
  .join(' AND ');

const COUNT_WAITING = `
  SELECT
    (SELECT count(*) FROM plant_store.backlog)
      + (SELECT count(*) FROM ${FRESH} WHERE r.id <> $1 AND ${IS_IN_NO_TABLE}) AS waiting,
    (SELECT count(*) FROM plant_store.parked) AS parked`;

/** How many deliveries are parked, and how many wait except those that this receiver has in memory. */
export async function countWaiting(
  client: pg.Client,
  receiver: number,
): Promise<{ waiting: number; parked: number }> {
  const { rows } = await client.query<{ waiting: number; parked: number }>(COUNT_WAITING, [receiver]);
  return rows[0]!;
}
