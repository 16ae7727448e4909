/** The receivers `r`, and how far each has come: `p`, the last row of its progress. */
export const LAST_PROGRESS = `
  plant_store.receiver r
  CROSS JOIN LATERAL (
    SELECT handled_through, accepted_through, stored FROM plant_store.progress WHERE receiver = r.id
    ORDER BY number DESC LIMIT 1
  ) p`;

/**
 * New deliveries that wait, of receivers and not in the backlog: for each receiver, what comes after its progress.
 * Without a condition, of all receivers. `OFFSET 0` keeps the planner from reading all deliveries first.
 */
export const FRESH = `
  ${LAST_PROGRESS}
  CROSS JOIN LATERAL (
    SELECT id FROM plant_store.delivery
    WHERE id > p.handled_through AND id <= p.accepted_through AND receiver = r.id OFFSET 0
  ) d`;

export const IS_IN_NO_TABLE = ['backlog', 'parked', 'discarded']
  .map((table) => `NOT EXISTS (SELECT FROM plant_store.${table} t WHERE t.delivery_id = d.id)`)
  .join(' AND ');
