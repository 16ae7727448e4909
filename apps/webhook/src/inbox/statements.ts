import type { DeliveryFilter, Page } from './inbox-operations.js';
import type { Dialect, Statement } from './store.js';

/** Most content that one statement reads or deletes, in bytes, if it is of more than one delivery. */
const MAX_BYTES = 4 * 1_048_576;

/** Most rows that one statement deletes, so that it takes milliseconds. */
const MAX_REMOVED = 256;

/** Most deliveries that one part of a search reads, so that it takes milliseconds. */
const MAX_SEARCHED = 1_000;

/** Most deliveries of each kind whose errors are grouped. */
export const MAX_GROUPED = 10_000;

/** Times that are before and after all others. */
const EARLIEST = Number.MIN_SAFE_INTEGER;
const LATEST = Number.MAX_SAFE_INTEGER;

const SENT = `method, media_type AS "mediaType", content_encoding AS "contentEncoding", event_id AS "eventId",
  fields, content`;

const SUMMARY = `id, state, received_at AS "receivedAt", CASE WHEN state = 'waiting' AND attempts > 0 THEN due_at END AS "dueAt",
  started_at AS "startedAt", ended_at AS "endedAt", replayed_at AS "replayedAt", attempts, error, reason,
  event_id AS "eventId", method, media_type AS "mediaType", content_encoding AS "contentEncoding",
  length(content) AS bytes`;

const CLAIMED = `id, received_at AS "receivedAt", attempts, started_at AS "claimedAt", ${SENT}`;

/** Waits for a further attempt. */
const RETRYING = `state = 'waiting' AND attempts > 0`;

/** What a replay applies to. */
const REPLAYABLE = `(state IN ('handled', 'parked') OR ${RETRYING})`;

/** Collects the values of a statement. */
class Values {
  readonly all: unknown[] = [];

  /** Returns the placeholder of a value. */
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** The conditions of a filter, and of the ids before or behind one. */
function conditions(
  values: Values,
  { state, isRetrying, errorGroup, ids, firstId, lastId, receivedFrom, receivedBefore }: DeliveryFilter,
  after?: { readonly id: number; readonly order: Page['order'] },
): string {
  const all = [
    state !== undefined && `state = ${values.add(state)}`,
    isRetrying !== undefined && (isRetrying ? RETRYING : `NOT (${RETRYING})`),
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
const bounded = (selection: string): string => `
  SELECT id AS chosen FROM (
    SELECT id, bytes, sum(bytes) OVER (ORDER BY position, id ROWS UNBOUNDED PRECEDING) AS total
    FROM (${selection}) AS selected
  ) AS summed
  WHERE total <= ${MAX_BYTES} OR total = bytes`;

/** The statements that both databases run. */
export type Statements = ReturnType<typeof statementsFor>;

/** Makes the statements for a database. Times are in milliseconds since 1970. */
export function statementsFor({ schema, lock, lockFree, isAbandoned, noBytes, position }: Dialect) {
  const delivery = `${schema}delivery`;
  const attempt = `${schema}attempt`;
  const event = `${schema}event`;
  const handler = `${schema}handler`;

  /** Selects deliveries for a change, which applies to none that has changed meanwhile. */
  const selected = (values: Values, where: string, { after, limit, filter }: Selection): string => `
    SELECT id, length(content) AS bytes, id AS position FROM ${delivery}
    ${conditions(values, filter, { id: after, order: 'oldest first' })} ${where}
    ORDER BY id LIMIT ${values.add(limit)} ${lock}`;

  return {
    /** Claims what is due, unless the handler is paused. */
    claim: (receiver: string, now: number, limit: number): Statement => ({
      text: `
        WITH due AS MATERIALIZED (${bounded(`
          SELECT id, length(content) AS bytes, due_at AS position FROM ${delivery}
          WHERE state = 'waiting' AND due_at <= $1 AND NOT (SELECT paused FROM ${handler})
          ORDER BY due_at, id LIMIT $3 ${lockFree}`)})
        UPDATE ${delivery} SET state = 'running', attempts = attempts + 1, started_at = $1, receiver = $2
        FROM due WHERE id = due.chosen
        RETURNING ${CLAIMED}, due_at AS "dueAt"`,
      values: [now, receiver, limit],
    }),

    /** When the next delivery is due. */
    nextDue: (): Statement => ({
      text: `SELECT min(due_at) AS "dueAt" FROM ${delivery} WHERE state = 'waiting'`,
      values: [],
    }),

    /** Takes over what receivers that have ended were running. */
    takeOver: (receiver: string): Statement => ({
      text: `
        UPDATE ${delivery} SET receiver = $1
        WHERE id IN (
          SELECT id FROM ${delivery} WHERE state = 'running' AND receiver <> $1 AND ${isAbandoned} ${lockFree})
        RETURNING id, attempts`,
      values: [receiver],
    }),

    /** Makes due what a clock that was wrong has dated into the future. */
    makeDue: (now: number): Statement => ({
      text: `UPDATE ${delivery} SET due_at = $1 WHERE state = 'waiting' AND attempts = 0 AND due_at > $1`,
      values: [now],
    }),

    /** A running delivery of this receiver. */
    running: (receiver: string, id: number): Statement => ({
      text: `SELECT ${CLAIMED} FROM ${delivery} WHERE id = $2 AND state = 'running' AND receiver = $1`,
      values: [receiver, id],
    }),

    /** Releases what this receiver is running, except some. */
    release: (receiver: string, except: readonly number[]): Statement => ({
      text: `
        UPDATE ${delivery} SET state = 'waiting', attempts = attempts - 1, started_at = NULL, ended_at = NULL
        WHERE state = 'running' AND receiver = $1
        ${except.length === 0 ? '' : `AND id NOT IN (${except.join(', ')})`}`,
      values: [receiver],
    }),

    isPaused: (): Statement => ({ text: `SELECT paused FROM ${handler}`, values: [] }),

    /** @param isPaused 1 or 0: SQLite has no other */
    setPaused: (isPaused: boolean): Statement => ({
      text: `UPDATE ${handler} SET paused = ($1 = 1)`,
      values: [isPaused ? 1 : 0],
    }),

    /** Writes something. */
    check: (now: number): Statement => ({
      text: `UPDATE ${handler} SET checked_at = $1`,
      values: [now],
    }),

    list(filter: DeliveryFilter, { order, after, limit }: Page): Statement {
      const values = new Values();
      const where = conditions(values, filter, after === undefined ? undefined : { id: after, order });
      return {
        text: `SELECT ${SUMMARY} FROM ${delivery} ${where}
          ORDER BY id ${order === 'oldest first' ? 'ASC' : 'DESC'} LIMIT ${values.add(limit)}`,
        values: values.all,
      };
    },

    count(filter: DeliveryFilter): Statement {
      const values = new Values();
      const where = conditions(values, filter);
      return {
        text: `SELECT state, count(*) AS count FROM ${delivery} ${where} GROUP BY state`,
        values: values.all,
      };
    },

    retrying: (): Statement => ({
      text: `SELECT count(*) AS count, min(due_at) AS "nextAt" FROM ${delivery} WHERE ${RETRYING}`,
      values: [],
    }),

    /** Errors by their group. The time of the first is that of the first attempt that ended with the last error. */
    errorGroups: (): Statement => ({
      text: `
        SELECT error_group AS "group", CASE WHEN min(error) = max(error) THEN min(error) END AS message,
          count(CASE WHEN state = 'parked' THEN 1 END) AS parked,
          count(CASE WHEN state = 'waiting' THEN 1 END) AS retrying,
          min(coalesce(
            (SELECT min(started_at) FROM ${attempt} a WHERE a.delivery = failing.id AND a.error = failing.error),
            ended_at)) AS "firstAt",
          max(ended_at) AS "lastAt"
        FROM (
          SELECT * FROM (
            SELECT id, state, error, error_group, ended_at FROM ${delivery}
            WHERE state = 'parked' ORDER BY id DESC LIMIT ${MAX_GROUPED}) AS parked
          UNION ALL
          SELECT * FROM (
            SELECT id, state, error, error_group, ended_at FROM ${delivery}
            WHERE ${RETRYING} ORDER BY due_at LIMIT ${MAX_GROUPED}) AS retrying
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

    oldestWaiting: (): Statement => ({
      text: `SELECT received_at AS "receivedAt" FROM ${delivery} WHERE state = 'waiting' ORDER BY id LIMIT 1`,
      values: [],
    }),

    find: (id: number): Statement => ({
      text: `SELECT ${SUMMARY}, fields, content FROM ${delivery} WHERE id = $1`,
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
        text: `SELECT ${SUMMARY}, fields, content FROM ${delivery} WHERE id IN (${part}) ORDER BY id`,
        values: values.all,
      };
    },

    replay(batch: Selection, now: number): Statement {
      const values = new Values();
      const at = values.add(now);
      return {
        text: `
          WITH part AS MATERIALIZED (${selected(values, `AND ${REPLAYABLE}`, batch)})
          UPDATE ${delivery} SET state = 'waiting', due_at = ${at}, replayed_at = ${at}, attempts = 0, error = NULL,
            error_group = NULL
          FROM part WHERE ${delivery}.id = part.id
          RETURNING ${delivery}.id AS id`,
        values: values.all,
      };
    },

    discard(batch: Selection, reason: string): Statement {
      const values = new Values();
      const why = values.add(reason);
      return {
        text: `
          WITH part AS MATERIALIZED (${bounded(selected(values, "AND state = 'parked'", batch))})
          UPDATE ${delivery} SET state = 'discarded', reason = ${why}, fields = '[]', content = ${noBytes}
          FROM part WHERE id = part.chosen
          RETURNING id`,
        values: values.all,
      };
    },

    /** Deletes some of what was handled or discarded, and received before a time. */
    removeExpired: (before: number): Statement => ({
      text: `
        DELETE FROM ${delivery} WHERE id IN (${bounded(`
          SELECT id, length(content) AS bytes, received_at AS position FROM ${delivery}
          WHERE received_at < $1 AND state IN ('handled', 'discarded')
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

/** A part of what an operator chooses. */
interface Selection {
  readonly filter: DeliveryFilter;
  readonly after: number;
  readonly limit: number;
}
