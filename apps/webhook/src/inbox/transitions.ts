import { SENT_COLUMNS } from './columns.js';
import { bounded, conditions, DUE, NOT_HANDLED, type Selection, SUSPECT, Values } from './conditions.js';
import { type RetryPolicy, storableText } from './delivery.js';
import type { Change } from './inbox-operations.js';
import type { Dialect, Statement } from './store.js';

/**
 * The transitions of a delivery, each with the columns that it sets. A transition applies to a row as it was, and changes
 * nothing else. The cycles of both databases have these texts in their statements: `:name` is a value.
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
  claim: `state = 'running', attempts = attempts + 1, due_at = NULL, started_at = :now, receiver = :receiver`,
  complete: `state = 'handled', ended_at = :now, error = NULL, error_group = NULL, interruptions = 0`,
  retry: `state = 'retrying', due_at = :now + :wait, ended_at = :now, error = :error, error_group = :group,
    interruptions = 0`,
  park: `state = 'parked', ended_at = :now, error = :error, error_group = :group, interruptions = 0`,
  // Due since it arrived: what waits goes on in its order.
  release: `state = CASE WHEN attempts > 1 THEN 'retrying' ELSE 'waiting' END, attempts = attempts - 1,
    due_at = CASE WHEN received_at < :now THEN received_at ELSE :now END, started_at = NULL`,
} as const;

/** Columns of an insertion: of the transition `accept`, of what was sent, and the content. */
export const ACCEPTED = `state, attempts, received_at, due_at, started_at, receiver, ${SENT_COLUMNS.join(', ')}, content`;

/** What is stored of an attempt during which its process ended. */
const INTERRUPTED = 'the process ended during the attempt';

/** Puts values or placeholders into a transition. */
export function transition(name: keyof typeof TRANSITIONS, values: Readonly<Record<string, string>>): string {
  return TRANSITIONS[name].replaceAll(/:(\w+)/g, (_placeholder, value: string) => values[value]!);
}

/** The transitions of many deliveries in both databases, by a statement each. */
export type Transitions = ReturnType<typeof transitionsFor>;

/** Makes the transitions for a database. */
export function transitionsFor(dialect: Dialect) {
  const { schema, now, lock, lockFree, least, isAbandoned, isAmong, noBytes } = dialect;
  const delivery = `${schema}delivery`;

  /** Selects deliveries for a change, which applies to none that has changed meanwhile. */
  const selected = (values: Values, where: string, { after, limit, filter }: Selection): string => `
    SELECT id, length(content) AS bytes, id AS position FROM ${delivery}
    ${conditions(values, filter, { id: after, order: 'oldest first' })} ${where}
    ORDER BY id LIMIT ${values.add(limit)} ${lock}`;

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
    ): readonly [forget: Statement, history: Statement, change: Statement] {
      const orphaned = (me: string): string =>
        `state = 'running' AND ${NOT_HANDLED} AND receiver <> ${me} AND ${isAbandoned}`;
      const earlier = `FROM ${schema}attempt AS earlier WHERE earlier.delivery = ${schema}attempt.delivery`;
      return [
        {
          text: `
            DELETE FROM ${schema}attempt WHERE delivery ${isAmong(`SELECT id FROM ${delivery} WHERE ${orphaned('$1')}`)}
            AND id > (SELECT min(id) ${earlier}) AND id <= (SELECT id ${earlier} ORDER BY id DESC LIMIT 1 OFFSET 8)`,
          values: [receiver],
        },
        {
          text: `
            INSERT INTO ${schema}attempt (delivery, number, started_at, receiver, error)
            SELECT id, attempts, started_at, receiver, '${INTERRUPTED}' FROM ${delivery}
            WHERE ${orphaned('$1')} ${lockFree}`,
          values: [receiver],
        },
        {
          text: `
            UPDATE ${delivery} SET
              state = CASE WHEN attempts >= CAST($1 AS bigint) THEN 'parked' ELSE 'retrying' END,
              due_at = CASE WHEN attempts >= $1 THEN NULL WHEN interruptions + 1 < ${SUSPECT} THEN ${now()}
                ELSE ${now()} + ${least}(CAST($2 AS bigint) * (1 << ${least}(interruptions, 20)), CAST($3 AS bigint)) END,
              interruptions = CASE WHEN attempts >= $1 THEN 0 ELSE interruptions + 1 END,
              ended_at = ${now()}, error = '${INTERRUPTED}', error_group = '${INTERRUPTED}'
            WHERE id ${isAmong(`SELECT id FROM ${delivery} WHERE ${orphaned('$4')} ${lockFree}`)}
            RETURNING id, state, attempts`,
          values: [maxAttempts, backoff, maxBackoff, receiver],
        },
      ];
    },

    /** Makes due what has had no attempt, and what a clock that was wrong has dated into the future. */
    makeDue: (): Statement => ({
      text: `
        UPDATE ${delivery} SET due_at = ${now()} WHERE id ${isAmong(`
          SELECT id FROM ${delivery} WHERE ${DUE} AND state = 'waiting' AND due_at > ${now()} ${lockFree}`)}
        RETURNING id`,
      values: [],
    }),

    /**
     * Releases what this receiver is running, except some attempts: what a lost reply has claimed, nobody would settle. It
     * may have claimed the next attempt of the same delivery.
     */
    releaseLost(receiver: string, except: Iterable<readonly [id: number, startedAt: number]>): Statement {
      const kept = Array.from(except, ([id, startedAt]) => `(${id}, ${startedAt})`);
      return {
        text: `
          UPDATE ${delivery} SET ${transition('release', { now: now() })}
          WHERE state = 'running' AND ${NOT_HANDLED} AND receiver = $1
          ${kept.length === 0 ? '' : `AND (id, started_at) NOT IN (VALUES ${kept.join(', ')})`}`,
        values: [receiver],
      };
    },

    replay(batch: Selection): Statement {
      const values = new Values();
      return {
        text: `
          WITH part AS MATERIALIZED (
            ${selected(values, "AND (state = 'handled' OR state = 'parked' OR state = 'retrying')", batch)})
          UPDATE ${delivery} SET state = 'waiting', due_at = ${now()}, replayed_at = ${now()}, attempts = 0,
            interruptions = 0, error = NULL, error_group = NULL
          FROM part WHERE ${delivery}.id = part.id
          RETURNING ${delivery}.id AS id`,
        values: values.all,
      };
    },

    discard(batch: Selection, { reason = '' }: Change): Statement {
      const values = new Values();
      const why = values.add(storableText(reason));
      return {
        text: `
          WITH part AS MATERIALIZED (${bounded(selected(values, `AND state = 'parked' AND ${NOT_HANDLED}`, batch))})
          UPDATE ${delivery} SET state = 'discarded', ended_at = ${now()}, reason = ${why}, fields = '[]',
            content = ${noBytes}
          FROM part WHERE id = part.chosen
          RETURNING id`,
        values: values.all,
      };
    },
  };
}
