import { SUMMARY, WHOLE } from './columns.js';
import { bounded, conditions, DUE, NOT_HANDLED, type Selection, SUSPECTED, Values } from './conditions.js';
import type { DeliveryFilter, DeliveryState, Page } from './inbox-operations.js';
import type { Dialect, Statement } from './store.js';

/** Most rows that one statement deletes, so that it takes milliseconds. */
const MAX_REMOVED = 256;

/** Most deliveries that one part of a search reads, so that it takes milliseconds. */
const MAX_SEARCHED = 1_000;

/** Most deliveries of each kind whose errors are grouped. */
export const MAX_GROUPED = 10_000;

/** The statements that both databases run. */
export type Statements = ReturnType<typeof statementsFor>;

/** Makes the statements for a database. Times are in milliseconds since 1970. */
export function statementsFor({ schema, now, lock, position }: Dialect) {
  const delivery = `${schema}delivery`;
  const attempt = `${schema}attempt`;
  const event = `${schema}event`;
  const inboxState = `${schema}inbox_state`;
  /** Of one state and its index. */
  const ofState = (state: DeliveryState, order: string): string =>
    `FROM ${delivery} WHERE state = '${state}' AND ${NOT_HANDLED} ORDER BY ${order}`;

  return {
    /** The clock of the store. */
    now: (): Statement => ({ text: `SELECT ${now()} AS now`, values: [] }),

    isPaused: (): Statement => ({ text: `SELECT is_paused AS "isPaused" FROM ${inboxState}`, values: [] }),

    /** @param isPaused 1 or 0: SQLite has no other */
    setPaused: (isPaused: boolean): Statement => ({
      text: `UPDATE ${inboxState} SET is_paused = ($1 = 1)`,
      values: [isPaused ? 1 : 0],
    }),

    /** Writes something. */
    probe: (): Statement => ({ text: `UPDATE ${inboxState} SET probed_at = ${now()}`, values: [] }),

    list(filter: DeliveryFilter, { order, after, limit }: Page): Statement {
      const values = new Values();
      const where = conditions(values, filter, after === undefined ? undefined : { id: after, order });
      return {
        text: `SELECT ${SUMMARY} FROM ${delivery} ${where}
          ORDER BY id ${order === 'oldest first' ? 'ASC' : 'DESC'} LIMIT ${values.add(limit)}`,
        values: values.all,
      };
    },

    /** Deliveries by state, without those that are handled, and of all states as `all`: most are handled. */
    count(filter: DeliveryFilter): Statement {
      const values = new Values();
      const where = conditions(values, filter);
      const notHandled = where === '' ? `WHERE ${NOT_HANDLED}` : `${where} AND ${NOT_HANDLED}`;
      return {
        text: `SELECT state, count(*) AS count FROM ${delivery} ${notHandled} GROUP BY state
          UNION ALL SELECT 'all', count(*) FROM ${delivery} ${where}`,
        values: values.all,
      };
    },

    nextRetry: (): Statement => ({
      text: `SELECT min(due_at) AS "nextAt" FROM (
        SELECT * FROM (SELECT due_at FROM ${delivery} WHERE ${DUE} AND state = 'retrying' ORDER BY due_at LIMIT 1) AS first
        UNION ALL SELECT * FROM (
          SELECT due_at FROM ${delivery} WHERE ${SUSPECTED} AND state = 'retrying' ORDER BY due_at LIMIT 1) AS suspect
      ) AS next`,
      values: [],
    }),

    /** Errors by their group. The time of the first is that of the first attempt that ended with the last error. */
    errorGroups: (): Statement => ({
      text: `
        SELECT error_group AS "group", CASE WHEN min(error) = max(error) THEN min(error) END AS message,
          count(CASE WHEN state = 'parked' THEN 1 END) AS parked,
          count(CASE WHEN state = 'retrying' THEN 1 END) AS retrying,
          min(coalesce(
            (SELECT min(started_at) FROM ${attempt} a WHERE a.delivery = failing.id AND a.error = failing.error),
            ended_at)) AS "firstAt",
          max(ended_at) AS "lastAt"
        FROM (
          SELECT * FROM (
            SELECT id, state, error, error_group, ended_at ${ofState('parked', 'id DESC')} LIMIT ${MAX_GROUPED}) AS parked
          UNION ALL
          SELECT * FROM (
            SELECT id, state, error, error_group, ended_at ${ofState('retrying', 'id DESC')} LIMIT ${MAX_GROUPED}) AS retrying
        ) AS failing
        WHERE error_group IS NOT NULL
        GROUP BY error_group ORDER BY count(*) DESC, max(ended_at) DESC`,
      values: [],
    }),

    /** The ids of a part of a search, the newest first, and whether each contains the text. */
    search(text: string, filter: DeliveryFilter, before: number): Statement {
      const values = new Values();
      const part = bounded(`
        SELECT id, length(content) AS bytes, -id AS position FROM ${delivery}
        ${conditions(values, filter, { id: before, order: 'newest first' })}
        ORDER BY id DESC LIMIT ${MAX_SEARCHED}`);
      const sought = values.add(text);
      const isIn = [
        position('error', sought),
        position('event_id', sought),
        // As header fields are stored: in JSON.
        position('fields', values.add(JSON.stringify(text).slice(1, -1))),
        position('content', values.add(Buffer.from(text))),
      ].map((found) => `${found} > 0`);
      return {
        text: `SELECT id, CASE WHEN ${isIn.join(' OR ')} THEN 1 ELSE 0 END AS "isFound"
          FROM ${delivery} WHERE id IN (${part}) ORDER BY id DESC`,
        values: values.all,
      };
    },

    /** When the oldest one was stored that waits for an attempt. */
    oldestWaiting: (): Statement => ({
      text: `SELECT min(received_at) AS "receivedAt" FROM (
        SELECT * FROM (SELECT received_at ${ofState('waiting', 'id')} LIMIT 1) AS waiting
        UNION ALL SELECT * FROM (SELECT received_at ${ofState('retrying', 'id')} LIMIT 1) AS retrying
      ) AS oldest`,
      values: [],
    }),

    find: (id: number): Statement => ({
      text: `SELECT ${WHOLE} FROM ${delivery} WHERE id = $1`,
      values: [id],
    }),

    history: (id: number): Statement => ({
      text: `SELECT number, started_at AS "startedAt", duration, receiver, error, stack
        FROM ${attempt} WHERE delivery = $1 ORDER BY id`,
      values: [id],
    }),

    read(batch: Selection): Statement {
      const values = new Values();
      const part = bounded(`
        SELECT id, length(content) AS bytes, id AS position FROM ${delivery}
        ${conditions(values, batch.filter, { id: batch.after, order: 'oldest first' })}
        ORDER BY id LIMIT ${values.add(batch.limit)}`);
      return {
        text: `SELECT ${WHOLE} FROM ${delivery} WHERE id IN (${part}) ORDER BY id`,
        values: values.all,
      };
    },

    /** Deletes some of what was received, and then handled or discarded, before a time. */
    removeExpired: (before: number): Statement => ({
      text: `
        DELETE FROM ${delivery} WHERE id IN (${bounded(`
          SELECT id, length(content) AS bytes, received_at AS position FROM ${delivery}
          WHERE received_at < $1 AND ended_at < $1 AND (state = 'handled' OR state = 'discarded')
          ORDER BY received_at LIMIT ${MAX_REMOVED} ${lock}`)})
        RETURNING id`,
      values: [before],
    }),

    /** Deletes some of the oldest that were handled. */
    removeOldest: (): Statement => ({
      text: `
        DELETE FROM ${delivery} WHERE id IN (${bounded(`
          SELECT id, length(content) AS bytes, id AS position FROM ${delivery}
          WHERE state = 'handled' ORDER BY id LIMIT ${MAX_REMOVED} ${lock}`)})
        RETURNING id`,
      values: [],
    }),

    /** Deletes some events that were received before a time, and whose delivery was deleted. */
    removeEvents: (before: number): Statement => ({
      text: `
        DELETE FROM ${event} WHERE key IN (
          SELECT key FROM ${event} WHERE received_at < $1
            AND NOT EXISTS (SELECT 1 FROM ${delivery} WHERE ${delivery}.id = ${event}.delivery)
          ORDER BY received_at LIMIT ${MAX_REMOVED})
        RETURNING delivery`,
      values: [before],
    }),
  };
}
