import type Database from 'libsql';

import { DamagedRowError } from './damage.js';
import type { HeaderField } from './header-field.js';
import type { DeliveryState, DeliverySummary, Page } from './inbox-operations.js';
import { DELIVERY_COLUMNS, type DeliveryRow, textIn, toIncoming } from './sqlite-statements.js';

/** What the tables of the handler's results say of a delivery. */
export interface Outcome extends Pick<DeliverySummary, 'id' | 'failures' | 'error' | 'dueAt' | 'reason'> {
  /** Null if it is in none of them: it is handled, or waits for its first attempt. */
  readonly state: DeliveryState | null;
}

/** What was received of a delivery, without fields and content. */
export type Received = Pick<
  DeliverySummary,
  'id' | 'receivedAt' | 'eventId' | 'method' | 'mediaType' | 'contentEncoding' | 'bytes'
>;

/** What was sent of a delivery. */
export interface Sent {
  readonly fields: readonly HeaderField[];
  readonly content: Uint8Array;
}

/** Which deliveries to look at, and which of them to choose. */
export interface Look {
  readonly state: DeliveryState | undefined;
  /** The smallest and the largest id, both included. */
  readonly first: number;
  readonly last: number;
  readonly order: Page['order'];
  /** At most as many are looked at. */
  readonly limit: number;
  /** In milliseconds since 1970: from the first, and before the second. Undefined for any time. */
  readonly times: readonly [from: number, before: number] | undefined;
  /** Claimed for the first time, and not ended. */
  readonly open: Iterable<number>;
  /** Everything after this id has not been claimed. */
  readonly claimedThrough: number;
}

/** What was found. */
export interface Found {
  /** In order. After a crash, some may be of another state. */
  readonly ids: number[];
  /** How many were looked at, and the last one. */
  readonly count: number;
  readonly last: number | null;
}

/** How many rows the tables have. */
interface Count {
  /** How many deliveries the retention has deleted. */
  readonly removed: number;
  readonly isPaused: boolean;
  readonly backlog: number;
  readonly parked: number;
  readonly discarded: number;
  /** Of the three, the rows after the last claimed id. After a crash there may be some. */
  readonly after: number;
}

/** Most identifiers of events that are deleted in one transaction. */
const MAX_REMOVED_EVENTS = 1_024;

const ALL = 'SELECT id FROM delivery WHERE id BETWEEN ?1 AND ?2';
const PARKED = 'SELECT delivery_id AS id FROM parked WHERE delivery_id BETWEEN ?1 AND ?2';
const DISCARDED = 'SELECT delivery_id AS id FROM discarded WHERE delivery_id BETWEEN ?1 AND ?2';

/** The deliveries that may have a state, from the table of the state if it has one. */
const IDS_OF: Readonly<Record<DeliveryState | 'any', string>> = {
  any: ALL,
  handled: ALL,
  parked: PARKED,
  discarded: DISCARDED,
  waiting: `
    SELECT delivery_id AS id FROM backlog WHERE delivery_id BETWEEN ?1 AND ?2
    UNION SELECT value FROM json_each(?6) WHERE value BETWEEN ?1 AND ?2
    UNION SELECT id FROM delivery WHERE id BETWEEN max(?1, ?7 + 1) AND ?2`,
};

const IS_HANDLED = `
  looked.id NOT IN (SELECT value FROM json_each(?6))
  AND NOT EXISTS (SELECT 1 FROM backlog WHERE delivery_id = looked.id)
  AND NOT EXISTS (SELECT 1 FROM parked WHERE delivery_id = looked.id)
  AND NOT EXISTS (SELECT 1 FROM discarded WHERE delivery_id = looked.id)`;

/** Looks at deliveries in one statement that returns one value: each row that libsql returns costs 20 µs. */
function lookStatement({ state, order, times }: Look): string {
  const direction = order === 'oldest first' ? 'ASC' : 'DESC';
  const conditions = [
    ...(state === 'handled' ? [IS_HANDLED] : []),
    ...(times === undefined ? [] : ['received_at >= ?4 AND received_at < ?5']),
  ];
  return `
    SELECT json_object(
      'count', count(*),
      'last', ${direction === 'ASC' ? 'max' : 'min'}(looked.id),
      'ids', json_group_array(looked.id) FILTER (WHERE ${conditions.join(' AND ') || 'TRUE'})) AS found
    FROM (${IDS_OF[state ?? 'any']} ORDER BY id ${direction} LIMIT ?3) AS looked
    ${times === undefined ? '' : 'LEFT JOIN delivery ON delivery.id = looked.id'}`;
}

/** The statements of what operators do, and of the retention. */
export type OperationStatements = ReturnType<typeof prepareOperationStatements>;

/** Prepares the statements of what operators do. None of them reads more than it is asked for. */
export function prepareOperationStatements(database: Database.Database) {
  const looks = new Map<string, Database.Statement>();
  const outcomes = database.prepare(`
    SELECT CAST(json_group_array(json_object(
      'id', wanted.value,
      'state', CASE
        WHEN parked.delivery_id IS NOT NULL THEN 'parked'
        WHEN discarded.delivery_id IS NOT NULL THEN 'discarded'
        WHEN backlog.delivery_id IS NOT NULL THEN 'waiting'
      END,
      'failures', coalesce(parked.failures, discarded.failures, backlog.failures, 0),
      'error', CAST(coalesce(parked.error, discarded.error, backlog.error) AS TEXT),
      'dueAt', iif(backlog.failures > 0, backlog.due_at, NULL),
      'reason', CAST(discarded.reason AS TEXT))) AS BLOB) AS rows
    FROM json_each(?) AS wanted
    LEFT JOIN parked ON parked.delivery_id = wanted.value
    LEFT JOIN discarded ON discarded.delivery_id = wanted.value
    LEFT JOIN backlog ON backlog.delivery_id = wanted.value`);
  const received = database.prepare(`
    SELECT CAST(json_group_array(json_object(
      'id', delivery.id,
      'receivedAt', CAST(received_at AS INTEGER),
      'method', CAST(method AS TEXT),
      'mediaType', CAST(media_type AS TEXT),
      'contentEncoding', CAST(content_encoding AS TEXT),
      'eventId', CAST(event_id AS TEXT),
      'bytes', length(content))) AS BLOB) AS rows
    FROM json_each(?) AS wanted CROSS JOIN delivery ON delivery.id = wanted.value`);
  const sent = database.prepare(`SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE id = ?`);
  const count = database.prepare(`
    SELECT removed, is_paused AS isPaused,
      (SELECT count(*) FROM backlog) AS backlog,
      (SELECT count(*) FROM parked) AS parked,
      (SELECT count(*) FROM discarded) AS discarded,
      (SELECT count(*) FROM backlog WHERE delivery_id > ?1)
        + (SELECT count(*) FROM parked WHERE delivery_id > ?1)
        + (SELECT count(*) FROM discarded WHERE delivery_id > ?1) AS after
    FROM progress`);
  const insertReplayed = database.prepare(`
    INSERT OR REPLACE INTO backlog (delivery_id, due_at, failures, error, suspect)
    SELECT value, ?2, 0, NULL, 0 FROM json_each(?1)`);
  const deleteParked = database.prepare(
    'DELETE FROM parked WHERE delivery_id IN (SELECT value FROM json_each(?))',
  );
  const insertDiscarded = database.prepare(`
    INSERT INTO discarded (delivery_id, discarded_at, parked_at, failures, error, reason)
    SELECT delivery_id, ?2, parked_at, failures, error, ?3 FROM parked
    WHERE delivery_id IN (SELECT value FROM json_each(?1))`);
  const deleteSent = database.prepare(
    "UPDATE delivery SET fields = NULL, content = x'' WHERE id IN (SELECT value FROM json_each(?))",
  );
  const insertPastEvents = database.prepare(`
    INSERT INTO past_event (event_id, delivery_id, received_at)
    SELECT event_id, id, received_at FROM delivery
    WHERE id IN (SELECT value FROM json_each(?)) AND event_id IS NOT NULL`);
  const deleteDiscarded = database.prepare(
    'DELETE FROM discarded WHERE delivery_id IN (SELECT value FROM json_each(?))',
  );
  const deleteDeliveries = database.prepare(
    'DELETE FROM delivery WHERE id IN (SELECT value FROM json_each(?))',
  );
  const addRemoved = database.prepare('UPDATE progress SET removed = removed + ?');
  const deletePastEvents = database.prepare(`
    DELETE FROM past_event WHERE event_id IN
      (SELECT event_id FROM past_event WHERE received_at < ? ORDER BY received_at LIMIT ?)`);
  const setPaused = database.prepare('UPDATE progress SET is_paused = ?');

  return {
    look(given: Look): Found {
      const { first, last, limit, times = [], open, claimedThrough } = given;
      const sql = lookStatement(given);
      const statement = looks.get(sql) ?? database.prepare(sql);
      looks.set(sql, statement);
      const [from = 0, before = 0] = times;
      const params = [first, last, limit, from, before, JSON.stringify([...open]), claimedThrough];
      const count = Math.max(...[...sql.matchAll(/\?(\d)/g)].map(([, number]) => Number(number)));
      const [{ found }] = statement.all(params.slice(0, count)) as [{ found: string }];
      return JSON.parse(found) as Found;
    },

    /** What the tables of results have of these, in their order. */
    outcomes: (wanted: readonly number[]): Outcome[] => rowsIn(outcomes.all([JSON.stringify(wanted)])),

    /** Those of these that are stored. */
    received(wanted: readonly number[]): Received[] {
      const rows: (Omit<Received, 'method'> & { readonly method: string | null })[] = rowsIn(
        received.all([JSON.stringify(wanted)]),
      );
      const damaged = rows.find(({ method }) => method === null);
      if (damaged !== undefined) throw new DamagedRowError(`delivery ${damaged.id} is damaged`);
      return rows as Received[];
    },

    /** Of one that is stored. */
    sent(id: number): Sent {
      const [row] = sent.all([id]) as [DeliveryRow];
      const { fields, content } = toIncoming(row);
      return { fields, content };
    },

    /**
     * How many rows the tables have, and how many of those are after an id.
     *
     * @param claimedThrough the id
     */
    count(claimedThrough: number): Count {
      const [{ isPaused, ...counts }] = count.all([claimedThrough]) as [
        Omit<Count, 'isPaused'> & { readonly isPaused: number },
      ];
      return { ...counts, isPaused: isPaused === 1 };
    },

    /** Moves these to the backlog, without a failure. */
    replay(given: readonly number[], now: number): void {
      insertReplayed.run([JSON.stringify(given), now]);
      deleteParked.run([JSON.stringify(given)]);
    },

    /** Deletes what was sent of these, which are parked. */
    discard(given: readonly number[], now: number, reason: string): void {
      const wanted = JSON.stringify(given);
      insertDiscarded.run([wanted, now, reason]);
      deleteParked.run([wanted]);
      deleteSent.run([wanted]);
    },

    /** Deletes these, and keeps the identifiers of their events. */
    remove(given: readonly Pick<DeliverySummary, 'id' | 'state' | 'eventId'>[]): void {
      const wanted = JSON.stringify(given.map(({ id }) => id));
      if (given.some(({ eventId }) => eventId !== null)) insertPastEvents.run([wanted]);
      if (given.some(({ state }) => state === 'discarded')) deleteDiscarded.run([wanted]);
      deleteDeliveries.run([wanted]);
      addRemoved.run([given.length]);
    },

    /** Deletes events of deliveries that were received before. Returns how many. */
    removeEvents: (before: number): number => deletePastEvents.run([before, MAX_REMOVED_EVENTS]).changes,

    setPaused: (isPaused: boolean) => setPaused.run([isPaused ? 1 : 0]),

    /** Writes a page, and leaves it as it was. */
    writeNothing(): void {
      for (let time = 0; time < 2; time += 1) database.exec('UPDATE progress SET is_paused = 1 - is_paused');
    },
  };
}

/** The rows of a statement that returns one value. Text that is damaged may not be UTF-8, so it is read as bytes. */
function rowsIn<Row>(result: unknown): Row[] {
  const [{ rows }] = result as [{ rows: Uint8Array }];
  return JSON.parse(textIn(rows)) as Row[];
}
