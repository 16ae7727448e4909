import { ReceiverError } from '../../errors.js';
import type { Observer } from '../../observer.js';
import type { Retry } from '../group-commit.js';
import type { Claims } from './claims.js';
import { reasonOf } from './connect.js';
import { currentPart, type Session } from './session.js';
import type { SessionKeeper } from './session-keeper.js';
import type { Plan } from './work.js';
import { findEvent, writeStatement } from './write-statement.js';

interface WrittenRow {
  readonly ids: (number | null)[] | null;
  readonly first_ids?: (number | null)[] | null;
}

/** The part of a row was emptied or dropped (check_violation). */
const NO_PART = '23514';

/** SQLSTATE of a server that has become a standby or read-only, or stops. */
const IS_ENDING = /^(25006|57P0[1-5])$/;

/** Writes the plans of one receiver. */
export class Writer {
  #commits = 0;

  constructor(
    private readonly sessions: SessionKeeper,
    private readonly location: string,
    private readonly observer: Pick<Observer, 'committed'>,
  ) {}

  /**
   * Resolves once a plan is durable and remembered.
   *
   * @returns the ids of the arrivals
   * @throws ReceiverError `INBOX_WRITE_FAILED`
   */
  async write(session: Session, claims: Claims, plan: Plan): Promise<number[]> {
    const { receiver, part, writer } = session;
    const { arrivals, marks } = plan.changes;
    const number = (this.#commits += 1);
    const markNumber = marks === undefined ? 0 : claims.nextMark();
    try {
      const statement = writeStatement({ receiver, number, markNumber, part, ...plan.changes });
      const start = performance.now();
      const { rows } = await writer.query<WrittenRow>(statement);
      // The warning arrives together with the success.
      if (this.sessions.session !== session) throw new Error('the commit ended with a warning');
      if (arrivals.length > 0) this.observer.committed(arrivals.length, performance.now() - start, undefined);
      const { ids, first_ids: firstIds } = { first_ids: null, ...rows[0] };
      claims.work.remember(plan, ids ?? [], markNumber === claims.lastMark);
      return await Promise.all(
        arrivals.map(
          async ({ incoming: { eventId } }, index) =>
            ids?.[index] ?? firstIds?.[index] ?? (await findEvent(writer, eventId!)),
        ),
      );
    } catch (cause) {
      const code = (cause as { code?: string }).code ?? '';
      if (code === NO_PART && (await this.#newestPart(session)) !== part)
        return this.write(session, claims, plan);
      if (IS_ENDING.test(code)) this.sessions.giveUp(session);
      throw new ReceiverError(
        'INBOX_WRITE_FAILED',
        `The inbox at ${this.location} could not write: ${reasonOf(cause)}.`,
        { cause },
      );
    }
  }

  /** Looks for the newest part. If this receiver didn't know it, nothing was stored. */
  async #newestPart(session: Session): Promise<number> {
    session.part = await currentPart(session.writer).catch(() => session.part);
    return session.part;
  }
}

/**
 * What may succeed after a commit has failed. Without a connection, nothing. On a disk that is full each part of many
 * would fail; any other fault may be of one row.
 */
export function retryAfter(error: unknown): Retry {
  const { code } = ((error as ReceiverError).cause ?? {}) as { code?: string };
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || IS_ENDING.test(code)) return 'nothing';
  return /^(53|58)/.test(code) ? 'either kind' : 'any part';
}
