import { ReceiverError } from '../errors.js';
import { GroupCommit, type Retry } from './group-commit.js';
import {
  type AttemptResult,
  type Claim,
  type Delivery,
  type Inbox,
  type InboxCounts,
  type IncomingDelivery,
  type Interrupted,
  isEventId,
} from './inbox.js';
import { type InboxDatabase, openDatabase, unusable } from './open-database.js';
import type { InboxStatements } from './sqlite-statements.js';
import type { UnderWay } from './under-way.js';
import { eventIdsOf, NO_LAG, planWrites, Progress, type Write, type WritePlan } from './write-plan.js';

/** Most content in one transaction, in bytes. It limits the copy that is passed to SQLite. */
const MAX_BATCH_BYTES = 8 * 1_048_576;

/** Most content of new deliveries in memory for the handler, in bytes. The rest is read from the file. */
const MAX_FRESH_BYTES = 8 * 1_048_576;

/**
 * How long a result may wait for a delivery to be written with, in milliseconds. If the process crashes meanwhile, the
 * handler gets the delivery again, which it has to expect anyway.
 */
const MAX_RESULT_DELAY = 10;

/**
 * Opens the embedded inbox: SQLite in a folder, one process.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`; nothing is then left open
 */
export function openSqliteInbox(folder: string): Inbox {
  const files = openDatabase(folder);
  try {
    files.statements.requireWritable();
    files.statements.counts();
    return new SqliteInbox(files);
  } catch (cause) {
    files.close();
    throw unusable(folder, cause);
  }
}

/** Everything that arrived during the last flush goes into one transaction and one flush. */
class SqliteInbox implements Inbox {
  readonly location: string;
  readonly #files: InboxDatabase;
  readonly #statements: InboxStatements;
  readonly #writes: GroupCommit<Write, number>;
  readonly #underWay: UnderWay;
  /** What to add to the time since the process started. A clock that is set back must not make a wait longer. */
  readonly #clockOffset = Date.now() - performance.now();
  #progress: Progress;
  /** A suspect that is claimed and not settled. */
  #suspect: number | undefined;
  /** Claimed from the backlog and not settled. */
  readonly #again = new Set<number>();
  #lastId: number;
  #handledThrough: number;
  #nextDueAt: number | undefined;
  #closed: Promise<void> | undefined;
  /** New deliveries that follow the last claimed one without a gap, so that they needn't be read from the file. */
  #fresh: Delivery[] = [];
  #freshBytes = 0;

  constructor(files: InboxDatabase) {
    const { statements, underWay } = files;
    const { lastId, handledThrough } = statements.position();
    this.location = files.file;
    this.#files = files;
    this.#statements = statements;
    this.#underWay = underWay;
    this.#lastId = lastId;
    this.#handledThrough = handledThrough;
    this.#progress = new Progress(handledThrough);
    this.#nextDueAt = statements.nextDueAt(-1);
    this.#writes = new GroupCommit({
      commit: (writes) => this.#commit(writes),
      retry: retryAfter,
      sizeOf: (write) => (write.kind === 'accept' ? write.incoming.content.length : 0),
      maxSize: MAX_BATCH_BYTES,
      maxDelay: MAX_RESULT_DELAY,
    });
  }

  accept(incoming: IncomingDelivery): Promise<number> {
    if (incoming.eventId !== null && !isEventId(incoming.eventId))
      return Promise.reject(
        new TypeError("The event's identifier contains U+0000 or half of a surrogate pair."),
      );
    return this.#writes.add({ kind: 'accept', incoming, receivedAt: Date.now() });
  }

  async recover(maxWait: number): Promise<readonly Interrupted[]> {
    const statements = this.#statements;
    const found = this.#underWay.interrupted();
    const interrupted = found.length === 0 ? [] : statements.findWaiting(found);
    const through = Math.max(statements.lastInTables(), ...interrupted.map(({ id }) => id));
    const latest = this.#now() + Math.ceil(maxWait);
    if (through > this.#handledThrough || statements.nextDueAt(latest) !== undefined)
      this.#transaction(() => {
        statements.moveToBacklog(through);
        statements.setHandledThrough(through);
        statements.limitDue(latest);
      });
    if (through > this.#handledThrough) this.#progress = new Progress(through);
    this.#handledThrough = through;
    this.#nextDueAt = statements.nextDueAt(-1);
    const waiting = new Set(interrupted.map(({ id }) => id));
    for (const { id } of found) {
      if (waiting.has(id)) this.#again.add(id);
      else this.#underWay.end(id);
    }
    return interrupted;
  }

  /**
   * Reads everything before it claims anything: a failed read must not hide deliveries from the next claim. The same
   * goes for the file that names what is under way.
   */
  async claim(limit: number): Promise<Claim> {
    if (this.#suspect !== undefined) return { deliveries: [], nextDueIn: undefined };
    const now = this.#now();
    const isDue = this.#nextDueAt !== undefined && this.#nextDueAt <= now;
    const due = isDue ? this.#statements.readDue(now, this.#again, limit) : [];
    const suspectAt = due.findIndex(({ suspect }) => suspect);
    if (suspectAt !== -1) return this.#claimSuspect(due, suspectAt);
    const nextDueAt = isDue && due.length < limit ? this.#statements.nextDueAt(now) : this.#nextDueAt;
    const next = this.#readNext(limit - due.length);
    const deliveries = due.concat(next);
    if (deliveries.length > 0) this.#underWay.begin(deliveries);

    for (const { id } of due) this.#again.add(id);
    for (const { id } of next) this.#progress.claim(id);
    for (const { content } of this.#fresh.splice(0, next.length)) this.#freshBytes -= content.length;
    this.#nextDueAt = nextDueAt;
    return {
      deliveries,
      nextDueIn: nextDueAt === undefined ? undefined : Math.max(0, nextDueAt - now),
    };
  }

  /** Claims what is due before the first suspect, or that one alone. */
  #claimSuspect(due: readonly Delivery[], suspectAt: number): Claim {
    const isNext = suspectAt === 0 && this.#underWay.size === 0;
    const deliveries = due.slice(0, isNext ? 1 : suspectAt);
    this.#underWay.begin(deliveries);
    for (const { id } of deliveries) this.#again.add(id);
    if (isNext) this.#suspect = deliveries[0]?.id;
    return { deliveries, nextDueIn: undefined };
  }

  async settle({ id, failures }: Interrupted, result: AttemptResult): Promise<void> {
    // The attempt is over. Of one that was interrupted, the file says so until that is stored.
    const wasInterrupted = this.#underWay.wasInterrupted(id);
    if (!wasInterrupted) this.#underWay.end(id);
    if (this.#suspect === id) this.#suspect = undefined;
    await this.#writes.addDelayed({ kind: 'settle', delivery: { id, failures }, result });
    if (wasInterrupted) this.#underWay.end(id);
  }

  async counts(): Promise<InboxCounts> {
    return this.#statements.counts();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#writes.idle();
    this.#leaveNothingClaimed();
    this.#leaveOneFile();
    this.#files.close();
  }

  /** Moves what is claimed to the backlog. Otherwise everything that was handled after it would come again with it. */
  #leaveNothingClaimed(): void {
    try {
      this.#commit([], NO_LAG);
      this.#underWay.clear();
    } catch {
      // Then it comes again, as after a crash.
    }
  }

  /** A copy of the database's file alone is then whole. libsql doesn't do that when it closes. */
  #leaveOneFile(): void {
    try {
      this.#files.checkpoint();
    } catch {
      // Then the write-ahead log stays beside the file, and SQLite reads both.
    }
  }

  /** The deliveries after the last claimed one: those in memory, then those in the file. */
  #readNext(limit: number): Delivery[] {
    if (limit === 0 || this.#progress.claimedThrough === this.#lastId) return [];
    const fresh = this.#fresh.slice(0, limit);
    const last = fresh.at(-1)?.id ?? this.#progress.claimedThrough;
    if (fresh.length === limit || last === this.#lastId) return fresh;
    return fresh.concat(this.#statements.readAfter(last, limit - fresh.length));
  }

  #commit(writes: readonly Write[], maxLag?: number): number[] {
    const plan = this.#write(writes, maxLag);
    this.#remember(plan);
    return plan.ids;
  }

  #write(writes: readonly Write[], maxLag?: number): WritePlan {
    return this.#transaction(() => {
      const stored = { lastId: this.#lastId, events: this.#findEvents(writes) };
      const plan = planWrites(writes, stored, this.#progress, this.#now(), maxLag);
      this.#execute(plan);
      return plan;
    });
  }

  #transaction<Result>(write: () => Result): Result {
    try {
      return this.#statements.transaction(write);
    } catch (cause) {
      throw new ReceiverError(
        'INBOX_WRITE_FAILED',
        `The inbox in ${this.location} could not write: ${(cause as Error).message}.`,
        { cause },
      );
    }
  }

  /** In milliseconds since 1970, by the clock as it was when the inbox was opened. It never goes back. */
  #now(): number {
    return Math.round(this.#clockOffset + performance.now());
  }

  #findEvents(writes: readonly Write[]): ReadonlyMap<string, number> {
    const eventIds = eventIdsOf(writes);
    return eventIds.length === 0 ? new Map() : this.#statements.findEvents(eventIds);
  }

  #execute({ accepted, handledThrough, waiting, leavingBacklog, parked }: WritePlan): void {
    const statements = this.#statements;
    if (accepted.length > 0) statements.insertDeliveries(accepted);
    if (handledThrough !== this.#handledThrough) statements.setHandledThrough(handledThrough);
    if (waiting.length > 0) statements.insertBacklog(waiting);
    if (leavingBacklog.length > 0) statements.deleteBacklog(leavingBacklog);
    if (parked.length > 0) statements.insertParked(parked);
  }

  #remember({ accepted, ended, handledThrough, waiting, leavingBacklog }: WritePlan): void {
    for (const id of ended) this.#progress.end(id);
    for (const { id, failures, at } of waiting) {
      if (failures === 0) this.#again.add(id);
      else {
        this.#again.delete(id);
        this.#nextDueAt = Math.min(at, this.#nextDueAt ?? at);
      }
    }
    for (const id of leavingBacklog) this.#again.delete(id);
    this.#handledThrough = handledThrough;
    for (const delivery of accepted) this.#addFresh(delivery);
  }

  #addFresh(delivery: Delivery): void {
    const previous = this.#fresh.at(-1)?.id ?? this.#progress.claimedThrough;
    this.#lastId = delivery.id;
    if (previous !== delivery.id - 1 || this.#freshBytes + delivery.content.length > MAX_FRESH_BYTES) return;
    this.#fresh.push(delivery);
    this.#freshBytes += delivery.content.length;
  }
}

/**
 * What may succeed after a transaction has failed. While another program has the lock, nothing, and each try waits for
 * it. On a disk that is full or broken each part of many would fail; any other fault may be of one row.
 */
function retryAfter(error: unknown): Retry {
  const { code = '' } = (error as ReceiverError).cause as { code?: string };
  if (code.startsWith('SQLITE_BUSY')) return 'nothing';
  return /^SQLITE_(FULL|IOERR|READONLY)/.test(code) ? 'either kind' : 'any part';
}
