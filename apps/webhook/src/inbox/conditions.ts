import { storableText } from './delivery.js';
import type { DeliveryFilter } from './inbox-operations.js';
import { list, raw, type Sql, sql } from './sql.js';

/** Most content that one statement reads, claims or deletes, in bytes, if it is of more than one delivery. */
export const MAX_BYTES = 4 * 1_048_576;

/** Times that are before and after all others. */
const EARLIEST = Number.MIN_SAFE_INTEGER;
const LATEST = Number.MAX_SAFE_INTEGER;

/** No conditions: SQLite counts all rows without reading them. */
const NONE = raw('');

/** How often in a row a delivery was interrupted when it may be the cause: then it is a suspect. */
export const SUSPECT = 2;

/** The conditions of indexes in both databases: what waits for an attempt, suspects, and what isn't handled. */
export const DUE = raw(`due_at IS NOT NULL AND interruptions < ${SUSPECT}`);
export const SUSPECTED = raw(`interruptions >= ${SUSPECT}`);
export const NOT_HANDLED = raw(`state <> 'handled'`);

/** The conditions of a filter, and more. */
export function conditions(filter: DeliveryFilter, ...more: readonly Sql[]): Sql {
  const { state, errorGroup, act, ids, firstId, lastId, receivedFrom, receivedBefore } = filter;
  const states = state === undefined ? [] : [state].flat();
  const all = [
    states.length === 1 && sql`state = ${states[0]}`,
    states.length > 1 && sql`state IN (${list(states)})`,
    // What isn't handled has an index, which SQLite takes only for this condition.
    states.length > 0 && !states.includes('handled') && NOT_HANDLED,
    errorGroup !== undefined && sql`error_group = ${storableText(errorGroup)}`,
    act !== undefined && sql`act = ${act}`,
    ids !== undefined && sql`id IN (${list(ids)})`,
    firstId !== undefined && sql`id >= ${firstId}`,
    lastId !== undefined && sql`id <= ${lastId}`,
    (receivedFrom ?? receivedBefore) !== undefined &&
      sql`received_at >= ${receivedFrom ?? EARLIEST} AND received_at < ${receivedBefore ?? LATEST}`,
    ...more,
  ].filter((condition) => condition !== false);
  const [first, ...others] = all;
  return first === undefined
    ? NONE
    : others.reduce((one, other) => sql`${one} AND ${other}`, sql`WHERE ${first}`);
}

/**
 * The rows of a selection, without those that would make its content too large.
 *
 * @param selection has the columns `id`, `bytes` and `position`, and an order
 */
export const bounded = (selection: Sql): Sql => sql`
  SELECT * FROM (
    SELECT *, sum(bytes) OVER (ORDER BY position, id ROWS UNBOUNDED PRECEDING) AS total
    FROM (${selection}) AS selected
  ) AS summed
  WHERE total <= ${MAX_BYTES} OR total = bytes`;
