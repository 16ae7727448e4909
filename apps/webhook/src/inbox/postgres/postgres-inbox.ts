import { setTimeout as delay } from 'node:timers/promises';

import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { NO_OBSERVER, type Observer } from '../../observer.js';
import { sizeOf } from '../fresh-deliveries.js';
import { GroupCommit } from '../group-commit.js';
import {
  type AttemptResult,
  type Claim,
  type Inbox,
  type IncomingDelivery,
  type Interrupted,
  isEventId,
} from '../inbox.js';
import type { Batch, BatchResult, Retention } from '../inbox-operations.js';
import { NO_LAG } from '../progress.js';
import { withReceiverErrors } from '../with-receiver-errors.js';
import { deadReceivers, endSession, takeOver } from './claim-statements.js';
import { Claims } from './claims.js';
import { openingError } from './connect.js';
import { type Own, PostgresOperations } from './operations.js';
import { removeExpired } from './retention.js';
import { currentPart, type Session } from './session.js';
import { type InboxLog, SessionKeeper } from './session-keeper.js';
import { deleteOutdated, readPaused } from './upkeep-statements.js';
import type { Write } from './work.js';
import { retryAfter, Writer } from './writer.js';

/** Most content in one commit, in bytes. */
const MAX_BATCH_BYTES = 8 * 1_048_576;

/** How long a result may wait for a delivery to be written with, in milliseconds. */
const MAX_RESULT_DELAY = 10;

/** Longest time that a commit waits for further deliveries, in milliseconds: no longer than the last one took, either. */
const MAX_WAIT = 10;

/** How often the inbox looks for what other receivers left, in milliseconds. */
const POLL = 1_000;

/** Polls between two that delete what is out of date, and that read the backlog's index from its start. */
const POLLS_TO_CLEAN_UP = 30;

/** How long a receiver that lost its connection has to come back before others take up its work, in milliseconds. */
const COMES_BACK = 900;

/** How long others have to come back after this receiver lost its connection, in milliseconds: they lost theirs, too. */
const GRACE = 5_000;

/**
 * Opens the shared inbox: PostgreSQL, for any number of receivers.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`; nothing is then left open
 */
export async function openPostgresInbox(
  servers: PostgresServers,
  log: InboxLog,
  observer: Pick<Observer, 'committed'> = NO_OBSERVER,
): Promise<Inbox> {
  const inbox = new PostgresInbox(servers, log, observer);
  try {
    await inbox.open();
  } catch (error) {
    await inbox.close();
    throw openingError(servers.location, error);
  }
  return withReceiverErrors(inbox);
}

class PostgresInbox extends PostgresOperations implements Inbox {
  readonly location: string;
  readonly #sessions: SessionKeeper;
  readonly #writer: Writer;
  readonly #writes: GroupCommit<Write, number>;
  /** Of the session, or of the one before while it is lost. */
  #claims: Claims | undefined;
  /** Receivers of earlier sessions of this process that nobody has taken over yet, and the `pid` of each session. */
  readonly #earlier = new Map<number, number>();
  /** Other receivers without a session, and since when this one knows it, by `performance.now()`. */
  #gone = new Map<number, number>();
  /** How often somebody has paused or resumed the handler here. */
  #pauseChanges = 0;
  /** Whether this inbox has a handler, which gets what other receivers leave. A command has none. */
  #hasHandler = false;
  #polls = 0;
  #polling: Promise<void> = Promise.resolve();
  #graceUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #wake = (): void => undefined;
  /** While a session begins, the work of the one before is taken up, so that results are written where it is. */
  #beginning: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  /** How long the last commit took, in milliseconds. */
  #commitDuration = 0;

  constructor(servers: PostgresServers, log: InboxLog, observer: Pick<Observer, 'committed'>) {
    super();
    this.location = servers.location;
    this.#sessions = new SessionKeeper(servers, log, (session, before) => this.#begin(session, before));
    this.#writer = new Writer(this.#sessions, this.location, observer);
    this.#writes = new GroupCommit({
      commit: (writes) => this.#commit(writes),
      retry: retryAfter,
      sizeOf: (write) => (write.kind === 'accept' ? sizeOf(write.incoming) : 0),
      maxSize: MAX_BATCH_BYTES,
      maxDelay: MAX_RESULT_DELAY,
      maxWait: () => Math.min(this.#commitDuration, MAX_WAIT),
      maySleep: () => true,
    });
  }

  async open(): Promise<void> {
    await this.#sessions.open();
    const session = this.#sessions.require();
    this.#claims = new Claims(session);
    this.isPaused = await readPaused(session.reader);
    await this.#findGone(session);
    this.#pollIn(POLL);
  }

  watch(wake: () => void): void {
    this.#hasHandler = true;
    this.#wake = wake;
  }

  async accept(incoming: IncomingDelivery): Promise<number> {
    if (incoming.eventId !== null && !isEventId(incoming.eventId))
      throw new TypeError("The event's identifier contains U+0000 or half of a surrogate pair.");
    this.#sessions.require();
    return this.#writes.add({ kind: 'accept', incoming, receivedAt: Date.now() });
  }

  /** Waits first until it is certain that receivers which are gone don't come back: up to {@link COMES_BACK}. */
  async recover(maxWait: number): Promise<readonly Interrupted[]> {
    this.#hasHandler = true;
    const certainAt = Math.max(...this.#gone.values()) + COMES_BACK;
    while (performance.now() < certainAt) await delay(certainAt - performance.now());
    await this.#takeOverGone(this.#sessions.require(), this.#current());
    return this.#current().recover(maxWait);
  }

  async claim(limit: number): Promise<Claim> {
    return this.#current().next(limit, () => this.isPaused);
  }

  async settle({ id, failures }: Interrupted, result: AttemptResult): Promise<void> {
    this.#claims?.work.end({ id, failures });
    this.#sessions.require();
    await this.#writes.addDelayed({ kind: 'settle', delivery: { id, failures }, result });
  }

  async check(): Promise<void> {
    this.#sessions.require();
    await this.#writes.add({ kind: 'check' });
  }

  override async replay(batch: Batch): Promise<BatchResult> {
    const result = await super.replay(batch);
    if (result.changed > 0) this.#claims?.look(0);
    return result;
  }

  /** Waits for a claim that is under way: once the handler is paused, none of its attempts starts. */
  override async setPaused(isPaused: boolean): Promise<void> {
    await super.setPaused(isPaused);
    this.#pauseChanges += 1;
    await this.#claims?.idle();
  }

  async removeExpired(retention: Retention): Promise<number> {
    const session = this.#sessions.require();
    // Of its own: it waits for others, and nothing else may get into its transactions.
    const client = await session.connect();
    const removed = await removeExpired(client, retention).finally(() => client.end());
    session.part = await currentPart(session.reader);
    return removed;
  }

  protected operator(): Promise<pg.Client> {
    return this.#sessions.require().operator();
  }

  protected own(): Own {
    return { receiver: this.#sessions.require().receiver, ...this.#current().work.own };
  }

  abandon(): void {
    this.#sessions.abandon();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writes.idle();
    await this.#claims?.idle();
    await this.#polling;
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
    await takeOver(writer, receiver, null, []);
  }

  /** The session before was lost. What was under way on it is in the backlog once its work is taken up. */
  #begin(session: Session, before: Session): void {
    this.#earlier.set(before.receiver, before.pid);
    this.#claims = new Claims(session, this.#claims);
    this.#graceUntil = performance.now() + GRACE;
    this.#beginning = this.#poll();
    void this.#beginning.then(() => this.#wake());
  }

  /** @throws ReceiverError `INBOX_WRITE_FAILED` while the connection is lost */
  #current(): Claims {
    this.#sessions.require();
    return this.#claims!;
  }

  /** @returns the ids of what is accepted; 0 for other writes */
  async #commit(writes: readonly Write[], maxLag?: number): Promise<number[]> {
    await this.#beginning;
    const session = this.#sessions.require();
    const claims = this.#current();
    const { work } = claims;
    const plan = work.plan(writes, this.isPaused ? 0 : claims.markedAhead, maxLag);
    const start = performance.now();
    const ids = await this.#writer.write(session, claims, plan);
    this.#commitDuration = performance.now() - start;
    for (const { dueIn, isClaimed } of [...plan.changes.entering, ...plan.changes.returning])
      if (!isClaimed) claims.look(dueIn);
    if (work.hasOverflow) claims.look(0);
    return plan.arrivalOf.map((arrival) => (arrival === undefined ? 0 : ids[arrival]!));
  }

  #pollIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#closed !== undefined) return;
    this.#timer = setTimeout(() => {
      void this.#poll().finally(() => this.#pollIn(POLL));
    }, milliseconds);
  }

  /** A failure ends the session, which is logged, or the next poll comes. */
  #poll(): Promise<void> {
    const polled = this.#look().catch(() => undefined);
    this.#polling = Promise.all([this.#polling, polled]).then(() => undefined);
    return polled;
  }

  /** Looks for what other receivers, and earlier sessions of this one, left. */
  async #look(): Promise<void> {
    const { session } = this.#sessions;
    const claims = this.#claims;
    if (session === undefined || claims === undefined) return;
    const { reader, receiver } = session;
    this.#polls += 1;
    await this.#takeOverGone(session, claims);
    if (this.#polls % POLLS_TO_CLEAN_UP === 0) {
      claims.lookFromTheStart();
      await deleteOutdated(reader, receiver);
    }
    session.part = await currentPart(reader);
    const wasPaused = this.isPaused;
    const changes = this.#pauseChanges;
    const isPaused = await readPaused(reader);
    // What was read may be older than what was set meanwhile.
    if (changes === this.#pauseChanges) this.isPaused = isPaused;
    const hasFound = await claims.poll();
    if (hasFound || (wasPaused && !this.isPaused)) this.#wake();
  }

  /** @returns the other receivers that are gone for so long that they don't come back */
  async #findGone({ reader, receiver }: Session): Promise<number[]> {
    const now = performance.now();
    const gone = await deadReceivers(reader, receiver);
    this.#gone = new Map(gone.map((id) => [id, this.#gone.get(id) ?? now]));
    return gone.filter((id) => this.#gone.get(id)! + COMES_BACK <= now);
  }

  async #takeOverGone(session: Session, claims: Claims): Promise<void> {
    const { reader, writer, receiver } = session;
    for (const [id, pid] of this.#earlier) await endSession(reader, id, pid);
    const gone = await this.#findGone(session);
    const hasGrace = performance.now() < this.#graceUntil;
    const due = [...this.#gone.keys()].filter(
      (id) => this.#earlier.has(id) || (this.#hasHandler && !hasGrace && gone.includes(id)),
    );
    for (const id of due) {
      const running = this.#earlier.has(id) ? claims.work.claimedIds : undefined;
      claims.addCutOff(await takeOver(writer, id, receiver, running));
      this.#earlier.delete(id);
      this.#gone.delete(id);
    }
  }
}
