import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { NO_OBSERVER, type Observer } from '../../observer.js';
import { CommitQueue } from '../commit-queue.js';
import type { Retry } from '../commit-batch.js';
import {
  type AttemptResult,
  type Claim,
  type Inbox,
  type InboxCounts,
  type IncomingDelivery,
  type Interrupted,
  isEventId,
} from '../inbox.js';
import type {
  Batch,
  BatchResult,
  DeliveryFilter,
  DeliverySummary,
  InboxStats,
  Page,
  Retention,
  StoredDelivery,
} from '../inbox-operations.js';
import { refuseWhenClosed } from '../refuse-when-closed.js';
import { NO_LAG } from '../write-plan.js';
import {
  claimBacklog,
  claimCutOff,
  type Cursor,
  type CutOff,
  deadReceivers,
  FROM_THE_START,
  markUnderWay,
  nextDueIn,
  takeOver,
} from './claim-statements.js';
import { countWaiting } from './count-statements.js';
import { reasonOf } from './connect.js';
import { Operations } from './operations.js';
import { removeExpired } from './retention.js';
import { deleteOutdated, readPaused, writePaused } from './upkeep-statements.js';
import { currentPart, type Session } from './session.js';
import { type InboxLog, SessionKeeper } from './session-keeper.js';
import { type Plan, Work, type Write } from './work.js';
import { findEvent, writeStatement } from './write-statement.js';

/** Most content in one commit, in bytes. */
const MAX_BATCH_BYTES = 8 * 1_048_576;

/** How long a result may wait for a delivery to be written with, in milliseconds. */
const MAX_RESULT_DELAY = 10;

/** Most deliveries that are claimed from the backlog at once. It starts with as many as the handler takes. */
const MAX_BLOCK = 512;

/** A handler takes deliveries quickly if so many marks come within so many milliseconds of one another. */
const MIN_QUICK_MARKS = 8;
const QUICK = 10;

/** How many deliveries are marked ahead then. */
const MARKED_AHEAD = 64;

/** How often the inbox looks for what other receivers left, in milliseconds. */
const POLL = 1_000;

/** Polls between two that delete what is out of date, and that read the backlog's index from its start. */
const POLLS_TO_CLEAN_UP = 30;

/** How long others have to come back after this receiver lost its connection, in milliseconds: they lost theirs, too. */
const GRACE = 5_000;

/**
 * Opens the shared inbox: PostgreSQL, for any number of receivers.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`
 */
export async function openPostgresInbox(
  servers: PostgresServers,
  log: InboxLog,
  observer: Pick<Observer, 'committed'> = NO_OBSERVER,
): Promise<Inbox> {
  const inbox = new PostgresInbox(servers, log, observer);
  await inbox.open();
  return refuseWhenClosed(inbox);
}

class PostgresInbox implements Inbox {
  readonly location: string;
  readonly #sessions: SessionKeeper;
  readonly #writes: CommitQueue<Write, number>;
  readonly #operations: Operations;
  #work = new Work();
  /** Receivers of earlier sessions of this process, whose work nobody has taken up yet. */
  readonly #earlier = new Set<number>();
  /** What other receivers left in the middle of an attempt. The dispatcher gets it with the next claim. */
  #cutOff: CutOff[] = [];
  /** Dead receivers of the last poll. */
  #dead: readonly number[] = [];
  #commits = 0;
  #marks = 0;
  #markedAt = -Infinity;
  #quickMarks = 0;
  #polls = 0;
  #cursor: Cursor = FROM_THE_START;
  /** When something in the backlog may be due, by `performance.now()`. */
  #lookAt = 0;
  #block = 1;
  #claiming: Promise<unknown> = Promise.resolve();
  #graceUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #wake = (): void => undefined;
  #isPaused = false;
  /** While a session begins, the work of the one before is taken up, so that results are written where it is. */
  #beginning: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(
    servers: PostgresServers,
    log: InboxLog,
    private readonly observer: Pick<Observer, 'committed'>,
  ) {
    this.location = servers.location;
    this.#sessions = new SessionKeeper(servers, log, (_session, before) => this.#begin(before));
    this.#operations = new Operations(
      () => this.#sessions.require().operator(),
      () => ({ receiver: this.#sessions.require().receiver, ...this.#work.own }),
    );
    this.#writes = new CommitQueue({
      commit: (writes) => this.#commit(writes),
      retry: retryAfter,
      sizeOf: (write) => (write.kind === 'accept' ? write.incoming.content.length : 0),
      maxSize: MAX_BATCH_BYTES,
      maxDelay: MAX_RESULT_DELAY,
    });
  }

  async open(): Promise<void> {
    await this.#sessions.open();
    const { reader, writer, receiver } = this.#sessions.require();
    this.#isPaused = await readPaused(reader);
    for (const other of await deadReceivers(reader, receiver)) await takeOver(writer, other, receiver, []);
    this.#pollIn(POLL);
  }

  watch(wake: () => void): void {
    this.#wake = wake;
  }

  async accept(incoming: IncomingDelivery): Promise<number> {
    if (incoming.eventId !== null && !isEventId(incoming.eventId))
      throw new TypeError("The event's identifier contains U+0000 or half of a surrogate pair.");
    this.#sessions.require();
    return this.#writes.add({ kind: 'accept', incoming, receivedAt: Date.now() });
  }

  async recover(maxWait: number): Promise<readonly Interrupted[]> {
    const { writer, receiver } = this.#sessions.require();
    const cutOff = await claimCutOff(writer, receiver, maxWait);
    this.#work.claimCutOff(cutOff);
    this.#cursor = FROM_THE_START;
    this.#look(0);
    return cutOff.map(({ id, failures }) => ({ id, failures }));
  }

  claim(limit: number): Promise<Claim> {
    const claimed = this.#claiming.then(() => this.#claim(limit));
    this.#claiming = claimed.catch(() => undefined);
    return claimed;
  }

  async settle({ id, failures }: Interrupted, result: AttemptResult): Promise<void> {
    this.#work.end(id);
    this.#sessions.require();
    await this.#writes.addDelayed({ kind: 'settle', delivery: { id, failures }, result });
  }

  async counts(): Promise<InboxCounts> {
    const { reader, receiver } = this.#sessions.require();
    const { waiting, parked } = await countWaiting(reader, receiver);
    return { waiting: waiting + this.#work.own.waiting.length, parked };
  }

  async check(): Promise<void> {
    this.#sessions.require();
    await this.#writes.add({ kind: 'check' });
  }

  list(filter: DeliveryFilter, page: Page): Promise<readonly DeliverySummary[]> {
    return this.#operations.list(filter, page);
  }

  find(id: number): Promise<StoredDelivery | undefined> {
    return this.#operations.find(id);
  }

  read(batch: Batch): ReturnType<Inbox['read']> {
    return this.#operations.read(batch);
  }

  async replay(batch: Batch): Promise<BatchResult> {
    const result = await this.#operations.replay(batch);
    if (result.changed > 0) this.#look(0);
    return result;
  }

  discard(batch: Batch, reason: string): Promise<BatchResult> {
    return this.#operations.discard(batch, reason);
  }

  async setPaused(isPaused: boolean): Promise<void> {
    await writePaused(this.#sessions.require().reader, isPaused);
    this.#isPaused = isPaused;
  }

  stats(): Promise<InboxStats> {
    return this.#operations.stats(this.#isPaused);
  }

  async removeExpired(retention: Retention): Promise<number> {
    const session = this.#sessions.require();
    const removed = await removeExpired(await session.operator(), retention);
    session.part = await currentPart(session.reader);
    return removed;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writes.idle();
    await this.#claiming;
    const { session } = this.#sessions;
    try {
      if (session !== undefined) await this.#leaveNothingClaimed(session);
    } catch {
      // Then it comes again, as after a crash.
    }
    await this.#sessions.close();
  }

  /** Moves what is in memory to the backlog, for any receiver. Otherwise others would wait for the lock. */
  async #leaveNothingClaimed({ writer, receiver }: Session): Promise<void> {
    await this.#commit([], NO_LAG);
    await writer.query('DELETE FROM plant_store.under_way WHERE receiver = $1', [receiver]);
    await takeOver(writer, receiver, null, []);
  }

  /** The session before was lost. What was under way on it is in the backlog once its work is taken up. */
  #begin({ receiver }: Session): void {
    this.#earlier.add(receiver);
    this.#work = new Work(this.#work);
    this.#cursor = FROM_THE_START;
    this.#graceUntil = performance.now() + GRACE;
    this.#look(0);
    this.#beginning = this.#poll().catch(() => undefined);
    void this.#beginning.then(() => this.#wake());
  }

  async #claim(limit: number): Promise<Claim> {
    const session = this.#sessions.require();
    const interrupted = this.#cutOff.splice(0).map(({ id, failures }) => ({ id, failures }));
    if (this.#isPaused)
      return { deliveries: [], nextDueIn: undefined, ...(interrupted.length > 0 && { interrupted }) };
    const work = this.#work;
    while (!work.hasSuspect && work.taken < limit && this.#lookAt <= performance.now())
      await this.#claimBacklog(session, work, limit - work.taken);
    const next = work.next(limit);
    if (!work.isMarked(next)) await this.#mark(session, work, limit);
    if (next.length > 0) work.begin(next);
    const waitsForSuspect = work.hasSuspect || (next.length < limit && work.ready > 0);
    const hasNoTime = waitsForSuspect || this.#lookAt === Infinity;
    return {
      deliveries: next,
      nextDueIn: hasNoTime ? undefined : Math.max(0, this.#lookAt - performance.now()),
      ...(interrupted.length > 0 && { interrupted }),
    };
  }

  /**
   * Stores what the handler is about to have, before it has it. While it takes deliveries quickly, some more are stored
   * ahead: if the receiver then ends, they count as cut off, too.
   */
  async #mark({ reader, receiver }: Session, work: Work, limit: number): Promise<void> {
    const now = performance.now();
    this.#quickMarks = now - this.#markedAt < QUICK ? this.#quickMarks + 1 : 0;
    this.#markedAt = now;
    const ahead = this.#quickMarks < MIN_QUICK_MARKS ? 0 : MARKED_AHEAD;
    const next = work.next(limit + ahead);
    await markUnderWay(reader, receiver, (this.#marks += 1), work.runningWith(next));
    work.setMarked(next);
  }

  async #claimBacklog({ writer, receiver }: Session, work: Work, limit: number): Promise<void> {
    const count = Math.max(limit, this.#block);
    this.#lookAt = Infinity;
    try {
      const { deliveries, cursor } = await claimBacklog(writer, receiver, this.#cursor, count);
      work.take(deliveries);
      this.#cursor = cursor;
      this.#block = deliveries.length === 0 ? 1 : Math.min(2 * count, MAX_BLOCK);
      if (deliveries.length === count) return this.#look(0);
      const dueIn = await nextDueIn(writer, cursor);
      if (dueIn !== 0) work.hasOverflow = false;
      if (dueIn !== undefined) this.#look(dueIn);
    } catch (error) {
      this.#look(0);
      throw error;
    }
  }

  /** The backlog may have something that is due in so many milliseconds. */
  #look(dueIn: number): void {
    this.#lookAt = Math.min(this.#lookAt, performance.now() + dueIn);
  }

  /** @returns the ids of what is accepted; 0 for other writes */
  async #commit(writes: readonly Write[], maxLag?: number): Promise<number[]> {
    await this.#beginning;
    const session = this.#sessions.require();
    const work = this.#work;
    const plan = work.plan(writes, maxLag);
    const ids = await this.#write(session, work, plan);
    for (const { dueIn, isClaimed } of [...plan.changes.entering, ...plan.changes.returning])
      if (!isClaimed) this.#look(dueIn);
    if (work.hasOverflow) this.#look(0);
    return plan.arrivalOf.map((arrival) => (arrival === undefined ? 0 : ids[arrival]!));
  }

  /** @returns the ids of the arrivals */
  async #write(session: Session, work: Work, { changes, ...plan }: Plan): Promise<number[]> {
    const { receiver, part, writer } = session;
    const number = (this.#commits += 1);
    try {
      const statement = writeStatement({ receiver, number, part, ...changes });
      const start = performance.now();
      const { rows } = await writer.query<WrittenRow>(statement);
      // The warning arrives together with the success.
      if (this.#sessions.session !== session) throw new Error('the commit ended with a warning');
      if (changes.arrivals.length > 0)
        this.observer.committed(changes.arrivals.length, performance.now() - start, undefined);
      const { ids, first_ids: firstIds } = { first_ids: null, ...rows[0] };
      work.remember({ changes, ...plan }, ids ?? []);
      return await Promise.all(
        changes.arrivals.map(
          async ({ incoming: { eventId } }, index) =>
            ids?.[index] ?? firstIds?.[index] ?? (await findEvent(writer, eventId!)),
        ),
      );
    } catch (cause) {
      const code = (cause as { code?: string }).code ?? '';
      if (code === NO_PART) session.part = await currentPart(writer);
      if (IS_ENDING.test(code)) this.#sessions.giveUp(session);
      throw new ReceiverError(
        'INBOX_WRITE_FAILED',
        `The inbox at ${this.location} could not write: ${reasonOf(cause)}.`,
        { cause },
      );
    }
  }

  #pollIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#closed !== undefined) return;
    this.#timer = setTimeout(() => {
      // A failure ends the session, which is logged, or the next poll comes.
      void this.#poll()
        .catch(() => undefined)
        .finally(() => this.#pollIn(POLL));
    }, milliseconds);
  }

  /** Looks for what other receivers, and earlier sessions of this one, left. */
  async #poll(): Promise<void> {
    const { session } = this.#sessions;
    if (session === undefined) return;
    const { reader, receiver } = session;
    this.#polls += 1;
    await this.#takeOverDead(session);
    if (this.#polls % POLLS_TO_CLEAN_UP === 0) {
      this.#cursor = FROM_THE_START;
      await deleteOutdated(reader, receiver);
    }
    session.part = await currentPart(reader);
    const isPaused = await readPaused(reader);
    const wasPaused = this.#isPaused;
    this.#isPaused = isPaused;
    const dueIn = await nextDueIn(reader, this.#cursor);
    if (dueIn !== undefined) this.#look(dueIn);
    if (dueIn === 0 || this.#cutOff.length > 0 || (wasPaused && !isPaused)) this.#wake();
  }

  async #takeOverDead({ reader, writer, receiver }: Session): Promise<void> {
    const dead = await deadReceivers(reader, receiver);
    const hasGrace = performance.now() < this.#graceUntil;
    // One that only lost its connection comes back before the next poll.
    const due = dead.filter((id) => this.#earlier.has(id) || (!hasGrace && this.#dead.includes(id)));
    this.#dead = dead;
    for (const other of due) {
      const running = this.#earlier.has(other) ? this.#work.claimedIds : [];
      const cutOff = await takeOver(writer, other, receiver, running);
      this.#earlier.delete(other);
      this.#work.claimCutOff(cutOff);
      this.#cutOff.push(...cutOff);
    }
  }
}

interface WrittenRow {
  readonly ids: (number | null)[] | null;
  readonly first_ids?: (number | null)[] | null;
}

/** The partition of a row was dropped (check_violation). */
const NO_PART = '23514';

/** SQLSTATE of a server that has become a standby or read-only, or stops. */
const IS_ENDING = /^(25006|57P0[1-5])$/;

/**
 * What may succeed after a commit has failed. Without a connection, nothing. On a disk that is full each part of many
 * would fail; any other fault may be of one row.
 */
function retryAfter(error: unknown): Retry {
  const { code } = ((error as ReceiverError).cause ?? {}) as { code?: string };
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || IS_ENDING.test(code)) return 'nothing';
  return /^(53|58)/.test(code) ? 'either kind' : 'any part';
}
