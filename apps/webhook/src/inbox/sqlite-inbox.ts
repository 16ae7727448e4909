import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { ReceiverError } from '../errors.js';
import { NO_OBSERVER, type Observer } from '../observer.js';
import { type DamageLog, FoundDamage } from './found-damage.js';
import { findPart, type Handling, listDeliveries, summariesOf, withSent } from './find-deliveries.js';
import type { Retry } from './commit-batch.js';
import { GroupCommit } from './group-commit.js';
import {
  type AttemptResult,
  type Claim,
  type Delivery,
  type Inbox,
  type InboxCounts,
  type IncomingDelivery,
  type Interrupted,
  isEventId,
  storableText,
} from './inbox.js';
import type {
  Batch,
  BatchResult,
  DeliveryFilter,
  DeliverySummary,
  InboxStats,
  Page,
  Retention,
  StoredDelivery,
} from './inbox-operations.js';
import { type InboxDatabase, openDatabase, openingError } from './open-database.js';
import type { OperationStatements } from './operation-statements.js';
import { readAfter, readDue, type ReadDeliveries } from './read-deliveries.js';
import { refuseWhenClosed } from './refuse-when-closed.js';
import { findExpired } from './remove-deliveries.js';
import type { InboxStatements } from './sqlite-statements.js';
import type { UnderWay } from './under-way.js';
import {
  type Change,
  eventIdsOf,
  NO_LAG,
  planWrites,
  Progress,
  type Write,
  type WritePlan,
} from './write-plan.js';

/** Most content and fields in one transaction, in bytes. It limits the copy that is passed to SQLite. */
const MAX_BATCH_BYTES = 8 * 1_048_576;

/** Most content and fields of new deliveries in memory for the handler, in bytes. The rest is read from the file. */
const MAX_FRESH_BYTES = 8 * 1_048_576;

/**
 * How long a result may wait for a delivery to be written with, in milliseconds. If the process crashes meanwhile, the
 * handler gets the delivery again, which it has to expect anyway.
 */
const MAX_RESULT_DELAY = 10;

/**
 * How many results of a damaged backlog may be lost until nothing more of it is claimed. These deliveries come again once
 * the inbox was saved.
 */
const MAX_UNSTORED = 256;

/** When to look again into a backlog whose damage hides what is due, in milliseconds. */
const DAMAGED_RETRY = 60_000;

/**
 * Opens the embedded inbox: SQLite in a folder, one process.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`, `INBOX_DAMAGED`; nothing is then left open
 */
export function openSqliteInbox(
  folder: string,
  observer: Pick<Observer, 'committed'> = NO_OBSERVER,
  log?: DamageLog,
): Inbox {
  const files = openDatabase(folder);
  try {
    return refuseWhenClosed(new SqliteInbox(files, observer, log));
  } catch (cause) {
    files.close();
    throw openingError(folder, cause);
  }
}

/** Everything that arrived during the last flush goes into one transaction and one flush. */
class SqliteInbox implements Inbox {
  readonly location: string;
  readonly #files: InboxDatabase;
  readonly #statements: InboxStatements;
  readonly #operations: OperationStatements;
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
  #isPaused: boolean;
  /** Up to this id, the retention has nothing to delete. */
  #removedThrough = 0;
  #closed: Promise<void> | undefined;
  #flushError: Error | undefined;
  /** A file of this inbox that was removed, replaced or emptied. What is written from then on is lost at the end. */
  #lostFile: string | undefined;
  readonly #damage: FoundDamage;
  /** How many results of what is in the backlog could not be stored, because it is damaged. */
  #unstored = 0;
  /** New deliveries that follow the last claimed one without a gap, so that they needn't be read from the file. */
  #fresh: Delivery[] = [];
  #freshBytes = 0;

  constructor(
    files: InboxDatabase,
    private readonly observer: Pick<Observer, 'committed'>,
    log: DamageLog | undefined,
  ) {
    const { statements, operations, underWay } = files;
    this.#damage = new FoundDamage(files.file, log);
    const { lastId, handledThrough } = files.position;
    this.location = files.file;
    this.#files = files;
    this.#statements = statements;
    this.#operations = operations;
    this.#underWay = underWay;
    this.#lastId = lastId;
    this.#handledThrough = handledThrough;
    this.#progress = new Progress(handledThrough);
    this.#nextDueAt = statements.nextDueAt(-1);
    this.#isPaused = operations.count(lastId).isPaused;
    this.#writes = new GroupCommit({
      commit: (writes) => this.#commit(writes),
      retry: retryAfter,
      sizeOf: (write) => (write.kind === 'accept' ? sizeOf(write.incoming) : 0),
      maxSize: MAX_BATCH_BYTES,
      maxDelay: MAX_RESULT_DELAY,
    });
  }

  async accept(incoming: IncomingDelivery): Promise<number> {
    if (incoming.eventId !== null && !isEventId(incoming.eventId))
      throw new TypeError("The event's identifier contains U+0000 or half of a surrogate pair.");
    this.#requireFiles();
    const id = await this.#writes.add({ kind: 'accept', incoming, receivedAt: Date.now() });
    this.#requireFiles();
    return id;
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
    if (this.#isPaused || this.#suspect !== undefined) return { deliveries: [], nextDueIn: undefined };
    const now = this.#now();
    const { due, nextDueAt } = this.#readBacklog(now, limit);
    const suspectAt = due.deliveries.findIndex(({ suspect }) => suspect);
    if (suspectAt !== -1) return this.#claimSuspect(due, suspectAt);
    const next = this.#readNext(limit - countOf(due));
    const deliveries = due.deliveries.concat(next.deliveries);
    if (deliveries.length > 0) this.#underWay.begin(deliveries);

    for (const id of idsOf(due)) this.#again.add(id);
    for (const id of idsOf(next)) this.#progress.claim(id);
    for (const delivery of this.#fresh.splice(0, next.deliveries.length))
      this.#freshBytes -= sizeOf(delivery);
    this.#nextDueAt = nextDueAt;
    return {
      deliveries,
      nextDueIn: nextDueAt === undefined ? undefined : Math.max(0, nextDueAt - now),
      ...unreadableOf(due, next),
    };
  }

  /** What is due in the backlog, and when to look there again. What is damaged is left where it is. */
  #readBacklog(
    now: number,
    limit: number,
  ): { readonly due: ReadDeliveries; readonly nextDueAt: number | undefined } {
    const nextDueAt = this.#nextDueAt;
    if (nextDueAt === undefined || nextDueAt > now || this.#unstored >= MAX_UNSTORED)
      return { due: NOTHING, nextDueAt };
    let due = NOTHING;
    try {
      due = readDue(this.#statements, now, this.#again, limit);
      const { lostRows = [] } = due;
      this.#damage.reportRows(lostRows);
      for (const id of lostRows) this.#again.add(id);
      const isAll = countOf(due) + lostRows.length < limit;
      return { due, nextDueAt: isAll ? this.#statements.nextDueAt(now) : nextDueAt };
    } catch (error) {
      if (!this.#damage.report(error, 'the backlog cannot be read')) throw error;
      return { due, nextDueAt: countOf(due) > 0 ? nextDueAt : now + DAMAGED_RETRY };
    }
  }

  /** Claims what is due before the first suspect, or that one alone. */
  #claimSuspect(due: ReadDeliveries, suspectAt: number): Claim {
    const isNext = suspectAt === 0 && this.#underWay.size === 0;
    const deliveries = due.deliveries.slice(0, isNext ? 1 : suspectAt);
    this.#underWay.begin(deliveries);
    for (const id of idsOf({ ...due, deliveries })) this.#again.add(id);
    if (isNext) this.#suspect = deliveries[0]?.id;
    return { deliveries, nextDueIn: undefined, ...unreadableOf(due) };
  }

  async settle({ id, failures }: Interrupted, result: AttemptResult): Promise<void> {
    // The attempt is over. Of one that was interrupted, the file says so until that is stored.
    const wasInterrupted = this.#underWay.wasInterrupted(id);
    if (!wasInterrupted) this.#underWay.end(id);
    if (this.#suspect === id) this.#suspect = undefined;
    const delivery = { id, failures };
    try {
      await this.#writes.addDelayed({ kind: 'settle', delivery, result });
    } catch (error) {
      if (!this.#damage.report(error, `the result of delivery ${id} cannot be stored`)) throw error;
      await this.#settleBesideBacklog(delivery, result);
    }
    if (wasInterrupted) this.#underWay.end(id);
  }

  /** What was never in the backlog and can't get there is parked. What is there stays claimed. */
  async #settleBesideBacklog(delivery: Interrupted, result: AttemptResult): Promise<void> {
    if (result.kind === 'failed' && this.#progress.has(delivery.id))
      await this.#writes.addDelayed({ kind: 'settle', delivery, result: { ...result, kind: 'parked' } });
    else this.#unstored += 1;
  }

  async counts(): Promise<InboxCounts> {
    const { waiting, parked } = this.#count();
    return { waiting, parked };
  }

  async stats(): Promise<InboxStats> {
    const counts = this.#count();
    const bytes = this.#files.size();
    const damage = this.#damage.first;
    // Finding the oldest one in a damaged backlog would take long.
    if (damage !== undefined) return { ...counts, oldestWaitingAt: null, bytes, damage };
    const oldest = await this.list({ state: 'waiting' }, { order: 'oldest first', limit: 1 });
    return { ...counts, oldestWaitingAt: oldest[0]?.receivedAt ?? null, bytes };
  }

  #count(): Omit<InboxStats, 'oldestWaitingAt' | 'bytes'> {
    const { lastId, claimedThrough, open } = this.#handling();
    const { removed, isPaused, backlog, parked, discarded, after } = this.#countRows(claimedThrough);
    const waiting = lastId - claimedThrough - after + open.size + backlog;
    const handled = lastId - removed - waiting - parked - discarded;
    return { waiting, handled, parked, discarded, isPaused };
  }

  #countRows(claimedThrough: number): ReturnType<OperationStatements['count']> {
    try {
      return this.#operations.count(claimedThrough);
    } catch (error) {
      if (!this.#damage.report(error, 'the backlog cannot be counted')) throw error;
      return this.#operations.countBesideBacklog(claimedThrough);
    }
  }

  list(filter: DeliveryFilter, page: Page): Promise<readonly DeliverySummary[]> {
    return listDeliveries(this.#operations, () => this.#handling(), filter, page);
  }

  async find(id: number): Promise<StoredDelivery | undefined> {
    if (!Number.isInteger(id) || id > this.#lastId) return undefined;
    const [summary] = summariesOf(this.#operations, this.#handling(), [id]);
    return summary && withSent(this.#operations, summary);
  }

  async read(
    batch: Batch,
  ): Promise<{ readonly deliveries: readonly StoredDelivery[]; readonly next: number | undefined }> {
    const { deliveries, next } = findPart(this.#operations, this.#handling(), batch, true);
    return { deliveries: deliveries.map((delivery) => withSent(this.#operations, delivery)), next };
  }

  async replay(batch: Batch): Promise<BatchResult> {
    let ids: number[] = [];
    let next: number | undefined;
    const now = this.#now();
    await this.#change({
      plan: () => {
        const part = findPart(this.#operations, this.#handling(), batch, false);
        ids = part.deliveries.filter((delivery) => this.#canReplay(delivery)).map(({ id }) => id);
        next = part.next;
      },
      write: () => {
        if (ids.length === 0) return;
        this.#underWay.sync();
        this.#operations.replay(ids, now);
      },
      committed: () => {
        if (ids.length > 0) this.#nextDueAt = Math.min(now, this.#nextDueAt ?? now);
      },
    });
    return { changed: ids.length, next };
  }

  #canReplay({ id, state, failures }: DeliverySummary): boolean {
    if (this.#again.has(id) || this.#progress.has(id)) return false;
    return state === 'parked' || state === 'handled' || (state === 'waiting' && failures > 0);
  }

  async discard(batch: Batch, reason: string): Promise<BatchResult> {
    let parked: readonly DeliverySummary[] = [];
    let next: number | undefined;
    const text = storableText(reason);
    await this.#change({
      plan: () => {
        const part = findPart(this.#operations, this.#handling(), batch, true);
        parked = part.deliveries.filter(({ state }) => state === 'parked');
        next = part.next;
      },
      write: () => {
        if (parked.length > 0) this.#operations.discard(parked, this.#now(), text);
      },
      committed: () => this.#mayRemove(parked.map(({ id }) => id)),
    });
    return { changed: parked.length, next };
  }

  setPaused(isPaused: boolean): Promise<void> {
    return this.#change({
      write: () => void this.#operations.setPaused(isPaused),
      committed: () => (this.#isPaused = isPaused),
    });
  }

  async check(): Promise<void> {
    this.#requireFiles();
    await this.#change({ write: () => this.#operations.writeNothing() });
    this.#requireFiles();
  }

  async #change(change: Change): Promise<void> {
    await this.#writes.addDelayed({ kind: 'change', change });
  }

  /** What operators do is judged by what is stored and by what is known here, which agree between two transactions. */
  #handling(): Handling {
    const { claimedThrough, open } = this.#progress;
    return { lastId: this.#lastId, claimedThrough, open };
  }

  async removeExpired(retention: Retention): Promise<number> {
    const { maxAge, maxBytes = Infinity, maxEventAge } = retention;
    let after: number | undefined = this.#removedThrough;
    while (after !== undefined) {
      const excess = this.#files.used() - maxBytes;
      const expired = findExpired(
        this.#operations,
        this.#handling(),
        { maxAge },
        after,
        this.#handledThrough,
        excess,
      );
      if (expired.deliveries.length > 0) {
        this.#transaction(() => this.#operations.remove(expired.deliveries, Date.now() - maxEventAge));
        return expired.deliveries.length;
      }
      if (expired.keepsAll && after === this.#removedThrough && expired.next !== undefined)
        this.#removedThrough = expired.next;
      after = expired.next;
      await turnOfTheLoop();
    }
    return this.#transaction(() => this.#operations.removeEvents(Date.now() - maxEventAge));
  }

  /** What the retention can delete now, or could have before. */
  #mayRemove(ids: readonly number[]): void {
    for (const id of ids) this.#removedThrough = Math.min(this.#removedThrough, id - 1);
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
      this.#write([], NO_LAG);
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
  #readNext(limit: number): ReadDeliveries {
    if (limit === 0 || this.#progress.claimedThrough === this.#lastId) return NOTHING;
    const fresh = this.#fresh.slice(0, limit);
    const last = fresh.at(-1)?.id ?? this.#progress.claimedThrough;
    if (fresh.length === limit || last === this.#lastId) return { deliveries: fresh, unreadable: [] };
    const read = readAfter(this.#statements, last, this.#lastId, limit - fresh.length);
    return { deliveries: fresh.concat(read.deliveries), unreadable: read.unreadable };
  }

  async #commit(writes: readonly Write[]): Promise<number[]> {
    this.#lostFile ??= this.#files.lost();
    const start = performance.now();
    const plan = this.#writeBesideDamage(writes);
    const writtenAt = performance.now();
    await this.#flush();
    const accepted = plan.accepted.length;
    if (accepted > 0) {
      const end = performance.now();
      this.observer.committed(accepted, end - start, end - writtenAt);
      for (const delivery of plan.accepted) this.#addFresh(delivery);
      this.#files.lastAccepted.write(this.#lastId);
    }
    this.#lostFile ??= this.#files.lost();
    return plan.ids;
  }

  /** Nobody knows what is on the disk after a flush has failed, and a further one may succeed without it. */
  async #flush(): Promise<void> {
    try {
      await this.#files.flush();
    } catch (cause) {
      this.#flushError ??= cause as Error;
      throw this.#unflushed();
    }
  }

  /**
   * Throws if the files of this inbox are no longer where the next start looks for them. It is final: who has put files
   * back may have put back others. Results are still stored, so that what was accepted is handled.
   */
  #requireFiles(): void {
    if (this.#flushError !== undefined) throw this.#unflushed();
    if (this.#lostFile === undefined) return;
    throw new ReceiverError(
      'INBOX_LOST',
      `${this.#lostFile} was removed or replaced, or has been cut, while the receiver runs. Nothing is accepted until it is restarted. Before that, save what is in the files that it has open, as docs/receiver.md says under "When the inbox is damaged".`,
    );
  }

  #unflushed(): ReceiverError {
    return new ReceiverError(
      'INBOX_LOST',
      `The disk of ${this.location} failed to flush: ${this.#flushError!.message}. Nothing is accepted until the receiver is restarted. Check the disk before that.`,
      { cause: this.#flushError },
    );
  }

  /** What lags behind can't move to a backlog that is damaged. It stays claimed, and refuses nothing. */
  #writeBesideDamage(writes: readonly Write[]): WritePlan {
    if (this.#damage.first !== undefined) return this.#write(writes, Infinity);
    try {
      return this.#write(writes);
    } catch (error) {
      if (!this.#damage.report(error, 'the backlog cannot be written')) throw error;
      return this.#write(writes, Infinity);
    }
  }

  /** Writes in one transaction. It is durable after the next flush. */
  #write(writes: readonly Write[], maxLag?: number): WritePlan {
    const changes: Change[] = [];
    for (const write of writes) if (write.kind === 'change') changes.push(write.change);
    const planChanges = (): void => changes.forEach((change) => change.plan?.());
    const plan = this.#transaction(() => {
      for (const change of changes) change.write();
      const stored = { lastId: this.#lastId, events: this.#findEvents(writes) };
      const planned = planWrites(writes, stored, this.#progress, this.#now(), maxLag);
      this.#execute(planned);
      return planned;
    }, planChanges);
    this.#remember(plan);
    for (const change of changes) change.committed?.();
    return plan;
  }

  /** @param before reads what the transaction depends on */
  #transaction<Result>(write: () => Result, before?: () => void): Result {
    try {
      before?.();
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
    for (const delivery of accepted) statements.insertDelivery(delivery);
    if (handledThrough !== this.#handledThrough) statements.setHandledThrough(handledThrough);
    if (waiting.length > 0) statements.insertBacklog(waiting);
    if (leavingBacklog.length > 0) statements.deleteBacklog(leavingBacklog);
    if (parked.length > 0) statements.insertParked(parked);
  }

  /** Everything but the new deliveries, which nobody sees before they are durable. */
  #remember({ ended, handledThrough, waiting, leavingBacklog }: WritePlan): void {
    for (const id of ended) this.#progress.end(id);
    for (const { id, failures, at } of waiting) {
      if (failures === 0) this.#again.add(id);
      else {
        this.#again.delete(id);
        this.#nextDueAt = Math.min(at, this.#nextDueAt ?? at);
      }
    }
    for (const id of leavingBacklog) this.#again.delete(id);
    this.#mayRemove(leavingBacklog);
    this.#handledThrough = handledThrough;
  }

  #addFresh(delivery: Delivery): void {
    const previous = this.#fresh.at(-1)?.id ?? this.#progress.claimedThrough;
    this.#lastId = delivery.id;
    const size = sizeOf(delivery);
    if (previous !== delivery.id - 1 || this.#freshBytes + size > MAX_FRESH_BYTES) return;
    this.#fresh.push(delivery);
    this.#freshBytes += size;
  }
}

/** Of content and fields. */
function sizeOf({ content, fields }: IncomingDelivery): number {
  let size = content.length;
  for (const field of fields) size += field[0].length + field[1].length;
  return size;
}

const NOTHING: ReadDeliveries = { deliveries: [], unreadable: [] };

const countOf = ({ deliveries, unreadable }: ReadDeliveries): number => deliveries.length + unreadable.length;

/** All ids, in order if there are unreadable ones among them. */
function idsOf({ deliveries, unreadable }: ReadDeliveries): number[] {
  const ids = deliveries.map(({ id }) => id);
  if (unreadable.length === 0) return ids;
  return [...ids, ...unreadable.map(({ id }) => id)].sort((one, other) => one - other);
}

function unreadableOf(...read: readonly ReadDeliveries[]): Pick<Claim, 'unreadable'> {
  const unreadable = read.flatMap((part) => part.unreadable);
  return unreadable.length === 0 ? {} : { unreadable };
}

/**
 * What may succeed after a transaction has failed. While another program has the lock, nothing, and each try waits for
 * it. On a disk that is full or broken each part of many would fail; any other fault may be of one row. After a failed
 * flush, nothing.
 */
function retryAfter(error: unknown): Retry {
  if ((error as ReceiverError).code === 'INBOX_LOST') return 'nothing';
  const { code = '' } = (error as ReceiverError).cause as { code?: string };
  if (code.startsWith('SQLITE_BUSY')) return 'nothing';
  return /^SQLITE_(FULL|IOERR|READONLY)/.test(code) ? 'either kind' : 'any part';
}
