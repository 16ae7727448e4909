import { ReceiverError } from '../errors.js';
import { NO_OBSERVER, type Observer } from '../observer.js';
import { damaged, isDamage } from './damage.js';
import type { Handling } from './find-deliveries.js';
import { FreshDeliveries, sizeOf } from './fresh-deliveries.js';
import { GroupCommit, type Retry } from './group-commit.js';
import {
  type AttemptResult,
  type Claim,
  type Delivery,
  type Inbox,
  type IncomingDelivery,
  type Interrupted,
  isEventId,
} from './inbox.js';
import type { Retention } from './inbox-operations.js';
import { KeptFiles } from './kept-files.js';
import { type InboxDatabase, openDatabase, openingError } from './open-database.js';
import { NO_LAG, Progress } from './progress.js';
import { Remover } from './remove-deliveries.js';
import { SqliteOperations } from './sqlite-operations.js';
import type { InboxStatements } from './sqlite-statements.js';
import type { UnderWay } from './under-way.js';
import { withReceiverErrors } from './with-receiver-errors.js';
import { type Change, eventIdsOf, planWrites, type Write, type WritePlan } from './write-plan.js';

/** Most content and fields in one transaction, in bytes. It limits the copy that is passed to SQLite. */
const MAX_BATCH_BYTES = 8 * 1_048_576;

/**
 * A commit waits for further deliveries as long as the last flush took. If a flush blocks the event loop, which reads
 * nothing meanwhile, it waits so many times as long.
 */
const WAIT_IF_BLOCKING = 8;

/** Longest time that a commit waits for further deliveries, in milliseconds. */
const MAX_WAIT = 10;

/**
 * How long a result may wait for a delivery to be written with, in milliseconds. If the process crashes meanwhile, the
 * handler gets the delivery again, which it has to expect anyway.
 */
const MAX_RESULT_DELAY = 10;

/**
 * Opens the embedded inbox: SQLite in a folder, one process.
 *
 * @param onDamage called with the error when a call finds the files damaged, before the call rejects
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`, `INBOX_DAMAGED`; nothing is then left open
 */
export function openSqliteInbox(
  folder: string,
  observer: Pick<Observer, 'committed'> = NO_OBSERVER,
  onDamage?: (error: ReceiverError) => void,
): Inbox {
  const files = openDatabase(folder);
  try {
    return withReceiverErrors(new SqliteInbox(files, observer), (error) => {
      const cause = (error as Error).cause ?? error;
      if (!isDamage(cause)) return error;
      const damage = damaged(folder, `${files.file}: ${(cause as Error).message}`, cause);
      onDamage?.(damage);
      return damage;
    });
  } catch (cause) {
    files.close();
    throw openingError(folder, cause);
  }
}

/** Everything that arrived during the last flush goes into one transaction and one flush. */
class SqliteInbox extends SqliteOperations implements Inbox {
  readonly location: string;
  readonly #statements: InboxStatements;
  readonly #remover: Remover;
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
  readonly #kept: KeptFiles;
  readonly #fresh = new FreshDeliveries();
  /** How long the last flush took, in milliseconds. */
  #flushDuration = 0;

  constructor(
    files: InboxDatabase,
    private readonly observer: Pick<Observer, 'committed'>,
  ) {
    super(files);
    const { statements, underWay } = files;
    const { lastId, handledThrough } = files.position;
    this.location = files.file;
    this.#kept = new KeptFiles(files);
    this.#statements = statements;
    this.#remover = new Remover(files, {
      handling: () => this.handling(),
      handledThrough: () => this.#handledThrough,
      transaction: (write) => this.#transaction(write),
    });
    this.#underWay = underWay;
    // Before an operator can replay anything: it would look like an attempt that was cut off.
    this.#findInterrupted();
    this.#lastId = lastId;
    this.#handledThrough = handledThrough;
    this.#progress = new Progress(handledThrough);
    this.#nextDueAt = statements.nextDueAt(-1);
    this.#writes = new GroupCommit({
      commit: (writes) => this.#commit(writes),
      retry: retryAfter,
      sizeOf: (write) => (write.kind === 'accept' ? sizeOf(write.incoming) : 0),
      maxSize: MAX_BATCH_BYTES,
      maxDelay: MAX_RESULT_DELAY,
      maxWait: () => Math.min((files.isSlow() ? 1 : WAIT_IF_BLOCKING) * this.#flushDuration, MAX_WAIT),
      maySleep: () => files.isSlow(),
    });
  }

  async accept(incoming: IncomingDelivery): Promise<number> {
    if (incoming.eventId !== null && !isEventId(incoming.eventId))
      throw new TypeError("The event's identifier contains U+0000 or half of a surrogate pair.");
    this.#kept.require();
    const id = await this.#writes.add({ kind: 'accept', incoming, receivedAt: Date.now() });
    this.#kept.require();
    return id;
  }

  recover(maxWait: number): Promise<readonly Interrupted[]> {
    return this.files.checkpoints.between(() => this.#recover(maxWait));
  }

  #recover(maxWait: number): readonly Interrupted[] {
    const statements = this.#statements;
    const interrupted = this.#findInterrupted();
    const through = Math.max(statements.lastInTables(), ...interrupted.map(({ id }) => id));
    const latest = this.now() + Math.ceil(maxWait);
    if (through > this.#handledThrough || statements.nextDueAt(latest) !== undefined)
      this.#transaction(() => {
        statements.moveToBacklog(through);
        statements.setHandledThrough(through);
        statements.limitDue(latest);
      });
    if (through > this.#handledThrough) this.#progress = new Progress(through);
    this.#handledThrough = through;
    this.#nextDueAt = statements.nextDueAt(-1);
    for (const { id } of interrupted) this.#again.add(id);
    return interrupted;
  }

  /** The attempts that were cut off. Whatever else the file names has ended. */
  #findInterrupted(): readonly Interrupted[] {
    const found = this.#underWay.interrupted();
    const interrupted = found.length === 0 ? [] : this.#statements.findWaiting(found);
    const waiting = new Set(interrupted.map(({ id }) => id));
    for (const { id } of found) if (!waiting.has(id)) this.#underWay.end(id);
    return interrupted;
  }

  /**
   * Reads everything before it claims anything: a failed read must not hide deliveries from the next claim. The same
   * goes for the file that names what is under way.
   */
  async claim(limit: number): Promise<Claim> {
    if (this.isPaused || this.#suspect !== undefined) return { deliveries: [], nextDueIn: undefined };
    const now = this.now();
    const { due, nextDueAt } = this.#readBacklog(now, limit);
    const suspectAt = due.findIndex(({ suspect }) => suspect);
    if (suspectAt !== -1) return this.#claimSuspect(due, suspectAt);
    const next = this.#readNext(limit - due.length);
    const deliveries = due.concat(next);
    if (deliveries.length > 0) this.#underWay.begin(deliveries);

    for (const { id } of due) this.#again.add(id);
    for (const { id } of next) this.#progress.claim(id);
    this.#fresh.drop(next.length);
    this.#nextDueAt = nextDueAt;
    return { deliveries, nextDueIn: nextDueAt === undefined ? undefined : Math.max(0, nextDueAt - now) };
  }

  /** What is due in the backlog, and when to look there again. */
  #readBacklog(
    now: number,
    limit: number,
  ): { readonly due: readonly Delivery[]; readonly nextDueAt: number | undefined } {
    const nextDueAt = this.#nextDueAt;
    if (nextDueAt === undefined || nextDueAt > now) return { due: [], nextDueAt };
    const due = this.#statements.readDue(now, this.#again, limit);
    return { due, nextDueAt: due.length < limit ? this.#statements.nextDueAt(now) : nextDueAt };
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

  removeExpired(retention: Retention, signal?: AbortSignal): Promise<number> {
    return this.#remover.removeExpired(retention, signal);
  }

  async check(): Promise<void> {
    this.#kept.require();
    await this.change({ write: () => this.files.operations.writeNothing() });
    this.#kept.require();
  }

  protected async change(change: Change): Promise<void> {
    await this.#writes.addDelayed({ kind: 'change', change });
  }

  protected handling(): Handling {
    const { claimedThrough, open } = this.#progress;
    return { lastId: this.#lastId, claimedThrough, open };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#writes.idle();
    await this.files.checkpoints.between(() => {
      this.#leaveNothingClaimed();
      this.#leaveOneFile();
      this.files.close();
    });
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
    // The log may have a gap, which would overwrite what the database has.
    if (this.#kept.areLost) return;
    try {
      this.files.checkpoint();
    } catch {
      // Then the write-ahead log stays beside the file, and SQLite reads both.
    }
  }

  /** The deliveries after the last claimed one: those in memory, then those in the file. */
  #readNext(limit: number): readonly Delivery[] {
    if (limit === 0 || this.#progress.claimedThrough === this.#lastId) return [];
    const fresh = this.#fresh.first(limit);
    const last = fresh.at(-1)?.id ?? this.#progress.claimedThrough;
    if (fresh.length === limit || last === this.#lastId) return fresh;
    const count = Math.min(limit - fresh.length, this.#lastId - last);
    return fresh.concat(this.#statements.readAfter(last, count));
  }

  async #commit(writes: readonly Write[]): Promise<number[]> {
    const start = performance.now();
    const { checkpoints } = this.files;
    const plan = await checkpoints.between(() => this.#write(writes));
    const writtenAt = performance.now();
    await this.#kept.flush();
    const end = performance.now();
    this.#flushDuration = end - writtenAt;
    const accepted = plan.accepted.length;
    if (accepted > 0) {
      this.observer.committed(accepted, end - start, this.#flushDuration);
      for (const delivery of plan.accepted) this.#fresh.add(delivery, this.#progress.claimedThrough);
      this.#lastId = plan.accepted.at(-1)!.id;
      this.files.lastAccepted.write(this.#lastId);
    }
    this.#kept.look();
    if (!this.#kept.areLost) checkpoints.begin();
    return plan.ids;
  }

  /** Writes in one transaction. It is durable after the next flush. */
  #write(writes: readonly Write[], maxLag?: number): WritePlan {
    const changes: Change[] = [];
    for (const write of writes) if (write.kind === 'change') changes.push(write.change);
    const plan = this.#transaction(() => {
      for (const change of changes) change.write();
      const stored = { lastId: this.#lastId, events: this.#findEvents(writes) };
      const planned = planWrites(writes, stored, this.#progress, this.now(), maxLag);
      this.#execute(planned);
      return planned;
    });
    this.#remember(plan);
    for (const change of changes) change.committed?.();
    return plan;
  }

  #transaction<Result>(write: () => Result): Result {
    // Before the write: it may fill the gap of a file that was cut.
    this.#kept.look();
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

  /** By the clock as it was when the inbox was opened. It never goes back. */
  protected now(): number {
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
        this.hasDue(at);
      }
    }
    for (const id of leavingBacklog) this.#again.delete(id);
    this.mayRemove(leavingBacklog);
    this.#handledThrough = handledThrough;
  }

  protected hasDue(at: number): void {
    this.#nextDueAt = Math.min(at, this.#nextDueAt ?? at);
  }

  protected isClaimed(id: number): boolean {
    return this.#again.has(id) || this.#progress.has(id);
  }

  protected mayRemove(ids: readonly number[]): void {
    this.#remover.mayRemove(ids);
  }
}

/**
 * What may succeed after a transaction has failed. While another program has the lock, nothing, and each try waits for
 * it. After a failed flush, or if a page is damaged, nothing. On a disk that is full or broken each part of many would
 * fail; any other fault may be of one row.
 */
function retryAfter(error: unknown): Retry {
  if ((error as ReceiverError).code === 'INBOX_LOST') return 'nothing';
  const { cause } = error as ReceiverError;
  const { code = '' } = cause as { code?: string };
  if (code.startsWith('SQLITE_BUSY') || isDamage(cause)) return 'nothing';
  return /^SQLITE_(FULL|IOERR|READONLY)/.test(code) ? 'either kind' : 'any part';
}
