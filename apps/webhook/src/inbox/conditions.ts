import type { DeliveryFilter, Page } from './inbox-operations.js';

/** Most content that one statement reads, claims or deletes, in bytes, if it is of more than one delivery. */
export const MAX_BYTES = 4 * 1_048_576;

/** Times that are before and after all others. */
const EARLIEST = Number.MIN_SAFE_INTEGER;
const LATEST = Number.MAX_SAFE_INTEGER;

/** How often in a row a delivery was interrupted when it may be the cause: then it is a suspect. */
export const SUSPECT = 2;

/** The conditions of indexes in both databases: what waits for an attempt, suspects, and what isn't handled. */
export const DUE = `due_at IS NOT NULL AND interruptions < ${SUSPECT}`;
export const SUSPECTED = `interruptions >= ${SUSPECT}`;
export const NOT_HANDLED = `state <> 'handled'`;

/** A part of what an operator chooses. */
export interface Selection {
  readonly filter: DeliveryFilter;
  readonly after: number;
  readonly limit: number;
}

/** Collects the values of a statement. */
export class Values {
  readonly all: unknown[] = [];

  /** Returns the placeholder of a value. */
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** The conditions of a filter, and of the ids before or behind one. */
export function conditions(
  values: Values,
  { state, errorGroup, ids, firstId, lastId, receivedFrom, receivedBefore }: DeliveryFilter,
  after?: { readonly id: number; readonly order: Page['order'] },
): string {
  const all = [
    state !== undefined && `state = ${values.add(state)}`,
    // What isn't handled has an index, which SQLite takes only for this condition.
    state !== undefined && state !== 'handled' && NOT_HANDLED,
    errorGroup !== undefined && `error_group = ${values.add(errorGroup)}`,
    ids !== undefined && `id IN (${ids.join(', ')})`,
    firstId !== undefined && `id >= ${values.add(firstId)}`,
    lastId !== undefined && `id <= ${values.add(lastId)}`,
    (receivedFrom ?? receivedBefore) !== undefined &&
      `received_at >= ${values.add(receivedFrom ?? EARLIEST)} AND received_at < ${values.add(receivedBefore ?? LATEST)}`,
    after !== undefined && `id ${after.order === 'oldest first' ? '>' : '<'} ${values.add(after.id)}`,
  ].filter((condition) => condition !== false);
  return all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`;
}

/**
 * The ids of a selection, without those that would make its content too large.
 *
 * @param selection has the columns `id`, `bytes` and `position`, and an order
 */
export const bounded = (selection: string): string => `
  SELECT id AS chosen FROM (
    SELECT id, bytes, sum(bytes) OVER (ORDER BY position, id ROWS UNBOUNDED PRECEDING) AS total
    FROM (${selection}) AS selected
  ) AS summed
  WHERE total <= ${MAX_BYTES} OR total = bytes`;
