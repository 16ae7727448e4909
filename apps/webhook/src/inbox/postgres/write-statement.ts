import type pg from 'pg';

import type { IncomingDelivery, Interrupted } from '../inbox.js';

/** A delivery that a commit stores. */
export interface Arrival {
  readonly incoming: IncomingDelivery;
  readonly receivedAt: number;
}

/** A delivery of the backlog, or one that moves there. */
export interface Attempted {
  readonly id: number;
  readonly bytes: number;
  readonly failures: number;
  readonly error: string | null;
  readonly suspect: boolean;
  /** Milliseconds from now. */
  readonly dueIn: number;
  /** Whether this receiver's handler has it. */
  readonly isClaimed: boolean;
}

/** What one commit changes. */
export interface Changes {
  readonly receiver: number;
  /** Counts the commits of the receiver. */
  readonly number: number;
  /** Counts the marks of the receiver. */
  readonly markNumber: number;
  readonly handledThrough: number;
  /** The last id that the receiver keeps in memory, before this commit; 0 if it has kept none. */
  readonly acceptedThrough: number;
  /** How many deliveries the receiver has stored, before this commit. */
  readonly stored: number;
  readonly part: number;
  /** Each event once. */
  readonly arrivals: readonly Arrival[];
  /** Whether the receiver keeps the arrivals in memory. Otherwise they wait in the backlog for any receiver. */
  readonly keeps: boolean;
  /** Deliveries that enter the backlog. */
  readonly entering: readonly Attempted[];
  /** Deliveries of the backlog that failed again. */
  readonly returning: readonly Attempted[];
  /** Deliveries that were never in the backlog, and those of the backlog, that failed for the last time. */
  readonly parked: readonly Attempted[];
  readonly parkedAgain: readonly Attempted[];
  /** Deliveries that leave the backlog. */
  readonly leaving: readonly number[];
  /** What the handler has, or is about to get. Undefined if that doesn't change. */
  readonly marks: Marks | undefined;
}

/** What a commit stores as begun. */
export interface Marks {
  readonly deliveries: readonly Interrupted[];
  /** How many of the arrivals, the first ones. */
  readonly arrivals: number;
}

/** Collects the parameters of a statement. */
class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  /** Numbers as an array. */
  numbers(values: readonly number[], type: string): string {
    return this.add(`{${values.join(',')}}`, `${type}[]`);
  }
}

/**
 * One statement for everything that a commit changes, so one round trip. For each arrival its result has in `ids` the id
 * of its delivery if that is new, or else in `first_ids` that of the first one of its event; neither, if another
 * receiver has stored the event at the same time.
 *
 * It always writes a row of `progress`. So the commit waits for the disk and for the standbys, also if all arrivals are
 * of events that are stored already: whatever it has seen is then as durable. The progress begins right before the first
 * delivery that the receiver keeps, so that nobody reads those of all others to find what it has.
 */
export function writeStatement(changes: Changes): pg.QueryConfig {
  const { receiver, arrivals, keeps } = changes;
  const parameters = new Parameters();
  const me = parameters.add(receiver, 'int');
  const hasEvents = arrivals.some(({ incoming }) => incoming.eventId !== null);
  const used = {
    arrivals: arrivals.length > 0,
    events: hasEvents,
    keeps: arrivals.length > 0 && keeps,
    entering: changes.entering.length > 0,
    returning: changes.returning.length > 0,
    parked: changes.parked.length > 0,
    parkedAgain: changes.parkedAgain.length > 0,
    leaving: changes.leaving.length > 0,
    marks: changes.marks !== undefined,
  };
  const handledThrough = parameters.add(changes.handledThrough, 'bigint');
  const acceptedThrough = parameters.add(changes.acceptedThrough, 'bigint');
  const parts = [
    ...(used.arrivals ? storeArrivals(changes, hasEvents, me, parameters) : []),
    used.arrivals &&
      !keeps &&
      'waiting AS (INSERT INTO plant_store.backlog (delivery_id, bytes) SELECT id, bytes FROM stored)',
    used.entering &&
      `entering AS (
        INSERT INTO plant_store.backlog (delivery_id, bytes, due_at, failures, error, suspect, receiver)
        SELECT id, bytes, now() + due_in * interval '1 ms', failures, error, suspect, CASE WHEN claimed THEN ${me} END
        FROM ${attempted(changes.entering, parameters)} WHERE ${HAS_NO_EFFECT})`,
    used.returning &&
      `returning_ AS (
        UPDATE plant_store.backlog SET
          due_at = now() + a.due_in * interval '1 ms', failures = a.failures, error = a.error, suspect = a.suspect,
          interrupted = false, receiver = NULL
        FROM ${attempted(changes.returning, parameters)}
        WHERE delivery_id = a.id AND receiver = ${me})`,
    used.parked && park('parked_', attempted(changes.parked, parameters)),
    ...(used.parkedAgain
      ? [
          `leaving_parked AS (
            DELETE FROM plant_store.backlog USING ${attempted(changes.parkedAgain, parameters)}
            WHERE delivery_id = a.id AND receiver = ${me}
            RETURNING a.id, a.failures, a.error)`,
          park('parked_again', 'leaving_parked'),
        ]
      : []),
    used.leaving &&
      `leaving_ AS (
        DELETE FROM plant_store.backlog
        WHERE delivery_id = ANY (${parameters.numbers(changes.leaving, 'bigint')}) AND receiver = ${me})`,
    changes.marks && mark(changes.marks, changes.markNumber, me, parameters),
    `progressed AS (
      INSERT INTO plant_store.progress (receiver, number, handled_through, accepted_through, stored)
      SELECT ${me}, ${parameters.add(changes.number, 'bigint')},
        ${used.keeps ? `greatest(${handledThrough}, CASE ${acceptedThrough} WHEN 0 THEN (SELECT min(id) - 1 FROM stored) END)` : handledThrough},
        ${used.keeps ? `greatest(${acceptedThrough}, (SELECT max(id) FROM stored))` : acceptedThrough},
        ${parameters.add(changes.stored, 'bigint')} + ${used.arrivals ? '(SELECT count(*) FROM stored)' : '0'})`,
  ];
  const ids = hasEvents
    ? `SELECT array_agg(s.id ORDER BY i.position) AS ids, array_agg(i.first ORDER BY i.position) AS first_ids
       FROM incoming i LEFT JOIN new n USING (position) LEFT JOIN stored s ON s.id = n.id`
    : 'SELECT array_agg(id ORDER BY id) AS ids FROM stored';
  return {
    name: `write ${Object.values(used).map(Number).join('')}`,
    text: `WITH ${parts.filter(Boolean).join(',\n')}\n${used.arrivals ? ids : 'SELECT'}`,
    values: parameters.values,
  };
}

/**
 * The rows of the arrivals. Contents and fields come as one value, which takes a copy instead of an encoding. All
 * receivers store events in one order, so that no two of them wait for each other.
 */
function storeArrivals(
  { arrivals, keeps, part }: Changes,
  hasEvents: boolean,
  me: string,
  parameters: Parameters,
): string[] {
  const fields = arrivals.map(({ incoming }) => Buffer.from(JSON.stringify(incoming.fields)));
  const bytes = arrivals.flatMap(({ incoming }, index) => [incoming.content, fields[index]!]);
  const starts: number[] = [];
  let start = 1;
  for (const value of bytes) {
    starts.push(start);
    start += value.length;
  }
  const all = parameters.add(Buffer.concat(bytes), 'bytea');
  const columns = [
    parameters.numbers(
      starts.filter((_, index) => index % 2 === 0),
      'int',
    ),
    parameters.numbers(
      starts.filter((_, index) => index % 2 === 1),
      'int',
    ),
    parameters.numbers(
      arrivals.map(({ incoming }) => incoming.content.length),
      'int',
    ),
    parameters.numbers(
      fields.map(({ length }) => length),
      'int',
    ),
    parameters.numbers(
      arrivals.map(({ receivedAt }) => receivedAt),
      'float8',
    ),
    parameters.add(
      arrivals.map(({ incoming }) => incoming.method),
      'text[]',
    ),
    parameters.add(
      arrivals.map(({ incoming }) => incoming.mediaType),
      'text[]',
    ),
    parameters.add(
      arrivals.map(({ incoming }) => incoming.contentEncoding),
      'text[]',
    ),
    parameters.add(
      arrivals.map(({ incoming }) => incoming.eventId),
      'text[]',
    ),
  ];
  const rows = `unnest(${columns.join(', ')}) WITH ORDINALITY
    AS r (content_start, fields_start, bytes, fields_bytes, received_at, method, media_type, content_encoding, event_id, position)`;
  const insert = (from: string): string => `stored AS (
    INSERT INTO plant_store.delivery
      (id, part, receiver, received_at, method, media_type, content_encoding, event_id, fields, content)
    SELECT id, ${parameters.add(part, 'int')}, ${keeps ? me : 'NULL'}, to_timestamp(received_at / 1000),
      method, media_type, content_encoding, event_id,
      convert_from(substr(${all}, fields_start, fields_bytes), 'UTF8'), substr(${all}, content_start, bytes)
    FROM ${from}
    RETURNING id, octet_length(content) AS bytes)`;
  if (!hasEvents)
    return [
      `new AS (SELECT nextval('plant_store.delivery_id') AS id, o.* FROM (SELECT * FROM ${rows} ORDER BY position) o)`,
      insert('new'),
    ];
  return [
    `incoming AS MATERIALIZED (
      SELECT k.*, e.delivery_id AS first
      FROM (SELECT *, sha256(convert_to(event_id, 'UTF8')) AS key FROM ${rows}) k
      LEFT JOIN plant_store.event e USING (key))`,
    `new AS MATERIALIZED (
      SELECT nextval('plant_store.delivery_id') AS id, o.*
      FROM (SELECT * FROM incoming WHERE first IS NULL ORDER BY position) o)`,
    `new_event AS (
      INSERT INTO plant_store.event (key, delivery_id, accepted_at)
      SELECT key, id, to_timestamp(received_at / 1000) FROM new WHERE key IS NOT NULL ORDER BY key
      ON CONFLICT DO NOTHING RETURNING delivery_id)`,
    insert(
      '(SELECT * FROM new WHERE key IS NULL OR id IN (SELECT delivery_id FROM new_event) ORDER BY id) n',
    ),
  ];
}

function mark({ deliveries, arrivals }: Marks, number: number, me: string, parameters: Parameters): string {
  const ids = parameters.numbers(
    deliveries.map(({ id }) => id),
    'bigint',
  );
  const failures = parameters.numbers(
    deliveries.map((delivery) => delivery.failures),
    'int',
  );
  return `marked AS (
    INSERT INTO plant_store.under_way (receiver, number, ids, failures)
    SELECT ${me}, ${parameters.add(number, 'bigint')},
      ${ids} || coalesce(array_agg(id), '{}'), ${failures} || array_fill(0, ARRAY[count(id)::int])
    FROM (SELECT id FROM stored ORDER BY id LIMIT ${parameters.add(arrivals, 'int')}) s)`;
}

/** The attempt of a delivery that has an effect is reported as failed if its transaction ended unnoticed. It is handled. */
const HAS_NO_EFFECT = 'NOT EXISTS (SELECT FROM plant_store.effect e WHERE e.delivery_id = id)';

const park = (name: string, from: string): string => `${name} AS (
  INSERT INTO plant_store.parked (delivery_id, failures, error) SELECT id, failures, error FROM ${from}
  WHERE ${HAS_NO_EFFECT})`;

function attempted(rows: readonly Attempted[], parameters: Parameters): string {
  const numbers = (of: (row: Attempted) => number, type: string): string =>
    parameters.numbers(rows.map(of), type);
  return `(SELECT * FROM unnest(
    ${numbers(({ id }) => id, 'bigint')},  ${numbers(({ bytes }) => bytes, 'int')},
    ${numbers(({ failures }) => failures, 'int')}, ${numbers(({ dueIn }) => dueIn, 'float8')},
    ${parameters.add(
      rows.map(({ error }) => error),
      'text[]',
    )},
    ${parameters.add(
      rows.map(({ suspect }) => suspect),
      'boolean[]',
    )},
    ${parameters.add(
      rows.map(({ isClaimed }) => isClaimed),
      'boolean[]',
    )}
  ) AS u (id, bytes, failures, due_in, error, suspect, claimed)) AS a`;
}

/** The id of the delivery of an event that another receiver has just stored. */
export async function findEvent(client: pg.Client, eventId: string): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `SELECT delivery_id AS id FROM plant_store.event WHERE key = sha256(convert_to($1, 'UTF8'))`,
    [eventId],
  );
  return rows[0]!.id;
}
