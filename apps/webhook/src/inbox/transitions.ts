import { SENT_COLUMNS } from './columns.js';
import { DUE, NOT_HANDLED, SUSPECT, SUSPECTED } from './conditions.js';
import type { RetryPolicy } from './delivery.js';
import { list, raw, type Sql, sql } from './sql.js';
import type { Dialect } from './store.js';

/**
 * The transitions of a delivery, each with the columns that it sets. A transition applies to a row as it was, and changes
 * nothing else. The cycles of both databases have these texts in their statements: `:name` is a value. `replay` and
 * `discard` are in acts.ts.
 *
 * | Transition | From → to                                                                      |
 * | ---------- | ------------------------------------------------------------------------------ |
 * | accept     | – → waiting, running                                                           |
 * | claim      | waiting, retrying → running                                                    |
 * | complete   | running → handled                                                              |
 * | retry      | running → retrying                                                             |
 * | park       | running → parked                                                               |
 * | release    | running → waiting or retrying, as it was                                       |
 * | adopt      | running of a receiver that has ended → retrying, parked after the last attempt |
 * | replay     | handled, parked, retrying → waiting                                            |
 * | discard    | parked → discarded                                                             |
 */
export const TRANSITIONS = {
  claim: `state = 'running', attempts = attempts + 1, due_at = NULL, claimed_at = :now, receiver = :receiver`,
  complete: `state = 'handled', ended_at = :now, error = NULL, error_group = NULL, interruptions = 0`,
  retry: `state = 'retrying', due_at = :now + :wait, ended_at = :now, error = :error, error_group = :group,
    interruptions = 0`,
  park: `state = 'parked', ended_at = :now, error = :error, error_group = :group, interruptions = 0`,
  // Due since it arrived: what waits goes on in its order.
  release: `state = CASE WHEN attempts > 1 THEN 'retrying' ELSE 'waiting' END, attempts = attempts - 1,
    due_at = CASE WHEN received_at < :now THEN received_at ELSE :now END, claimed_at = NULL`,
} as const;

/** Columns of an insertion: of the transition `accept`, of what was sent, and the content. */
export const ACCEPTED = `state, attempts, received_at, due_at, claimed_at, receiver, ${SENT_COLUMNS.join(', ')}, content`;

/** What is stored of an attempt during which its process ended. */
const INTERRUPTED = 'the process ended during the attempt';

/** Puts values or placeholders into a transition. */
export function transition(name: keyof typeof TRANSITIONS, values: Readonly<Record<string, string>>): string {
  return TRANSITIONS[name].replaceAll(/:(\w+)/g, (_placeholder, value: string) => values[value]!);
}

/** The transitions of many deliveries in both databases, by a statement each. */
export type Transitions = ReturnType<typeof transitionsFor>;

/** Makes the transitions for a database. */
export function transitionsFor({ schema, now, lockFree, isAbandoned, isAmong }: Dialect) {
  return {
    /**
     * Takes over what was running in receivers that have ended. It comes again at once; what may have ended them, after a
     * backoff. The first two statements write the history, of which the first and the last nine attempts are kept; the
     * third one returns the deliveries. None waits for a row that the transaction of a handler has locked: everything
     * would wait with it.
     */
    adopt(
      receiver: string,
      { maxAttempts, backoff, maxBackoff }: RetryPolicy,
    ): readonly [forget: Sql, history: Sql, change: Sql] {
      const orphaned = sql`state = 'running' AND ${NOT_HANDLED} AND receiver <> ${receiver} AND ${isAbandoned}`;
      const earlier = sql`FROM ${schema}attempt AS earlier WHERE earlier.delivery = attempt.delivery`;
      const isLast = sql`attempts >= ${maxAttempts}`;
      // Without a limit, the shift would overflow.
      const wait = sql`CAST(${backoff} AS bigint) << CASE WHEN interruptions < 20 THEN interruptions ELSE 20 END`;
      return [
        sql`
          DELETE FROM ${schema}attempt WHERE delivery ${isAmong(sql`SELECT id FROM ${schema}delivery WHERE ${orphaned}`)}
          AND id > (SELECT min(id) ${earlier}) AND id <= (SELECT id ${earlier} ORDER BY id DESC LIMIT 1 OFFSET 8)`,
        sql`
          INSERT INTO ${schema}attempt (delivery, number, started_at, receiver, error)
          SELECT id, attempts, claimed_at, receiver, ${INTERRUPTED} FROM ${schema}delivery
          WHERE ${orphaned} ${lockFree}`,
        sql`
          UPDATE ${schema}delivery SET
            state = CASE WHEN ${isLast} THEN 'parked' ELSE 'retrying' END,
            due_at = CASE WHEN ${isLast} THEN NULL WHEN interruptions + 1 < ${SUSPECT} THEN ${now()}
              WHEN ${wait} < ${maxBackoff} THEN ${now()} + (${wait}) ELSE ${now()} + ${maxBackoff} END,
            interruptions = CASE WHEN ${isLast} THEN 0 ELSE interruptions + 1 END,
            ended_at = ${now()}, error = ${INTERRUPTED}, error_group = ${INTERRUPTED}
          WHERE id ${isAmong(sql`SELECT id FROM ${schema}delivery WHERE ${orphaned} ${lockFree}`)}
          RETURNING id, state, attempts`,
      ];
    },

    /** Makes due what waits longer than it can: a clock that was wrong has dated it into the future. */
    makeDue(maxBackoff: number): Sql {
      const late = (condition: Sql, longest: Sql): Sql => sql`SELECT id FROM (
        SELECT id FROM ${schema}delivery WHERE ${condition} AND due_at > (SELECT ${now()} + ${longest}) ${lockFree}) AS late`;
      return sql`
        UPDATE ${schema}delivery SET due_at = ${now()} WHERE id ${isAmong(sql`
          ${late(sql`${DUE} AND state = 'waiting'`, sql`0`)}
          UNION ALL ${late(sql`${DUE} AND state = 'retrying'`, sql`${maxBackoff}`)}
          UNION ALL ${late(sql`${SUSPECTED} AND due_at IS NOT NULL AND state = 'retrying'`, sql`${maxBackoff}`)}`)}`;
    },

    /**
     * Releases what this receiver is running, except some attempts: what a lost reply has claimed, nobody would settle. It
     * may have claimed the next attempt of the same delivery.
     */
    releaseLost(
      receiver: string,
      except: Iterable<readonly [id: number, attempt: { readonly startedAt: number }]>,
    ): Sql {
      const number = (value: number): Sql => sql`CAST(${value} AS bigint)`;
      const kept = Array.from(except, ([id, { startedAt }]) => sql`(${number(id)}, ${number(startedAt)})`);
      return sql`
        UPDATE ${schema}delivery SET ${raw(transition('release', { now: now().text }))}
        WHERE state = 'running' AND ${NOT_HANDLED} AND receiver = ${receiver}
        ${kept.length === 0 ? sql`` : sql`AND (id, claimed_at) NOT IN (VALUES ${list(kept)})`}`;
    },
  };
}
