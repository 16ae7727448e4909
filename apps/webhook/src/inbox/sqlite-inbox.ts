import { ReceiverError } from '../errors.js';
import { GroupCommit } from './group-commit.js';
import {
  type AttemptResult,
  type Claim,
  type Delivery,
  type Inbox,
  type InboxCounts,
  type IncomingDelivery,
  isEventId,
} from './inbox.js';
import { type InboxDatabase, openDatabase, unusable } from './open-database.js';
import type { InboxStatements } from './sqlite-statements.js';
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
  readonly #progress: Progress;
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
    const { statements } = files;
    const { lastId, handledThrough } = statements.position();
    this.location = files.file;
    this.#files = files;
    this.#statements = statements;
    this.#lastId = lastId;
    this.#handledThrough = handledThrough;
    this.#progress = new Progress(handledThrough);
    this.#nextDueAt = statements.nextDueAt(-1);
    this.#writes = new GroupCommit({
      commit: (writes) => this.#commit(writes),
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

  /** Reads everything before it claims anything: a failed read must not hide deliveries from the next claim. */
  async claim(limit: number): Promise<Claim> {
    const now = Date.now();
    const isDue = this.#nextDueAt !== undefined && this.#nextDueAt <= now;
    const due = isDue ? this.#statements.readDue(now, this.#again, limit) : [];
    const nextDueAt = isDue && due.length < limit ? this.#statements.nextDueAt(now) : this.#nextDueAt;
    const next = this.#readNext(limit - due.length);

    for (const { id } of due) this.#again.add(id);
    for (const { id } of next) this.#progress.claim(id);
    for (const { content } of this.#fresh.splice(0, next.length)) this.#freshBytes -= content.length;
    this.#nextDueAt = nextDueAt;
    return {
      deliveries: due.concat(next),
      nextDueIn: nextDueAt === undefined ? undefined : Math.max(0, nextDueAt - now),
    };
  }

  async settle(delivery: Delivery, result: AttemptResult): Promise<void> {
    await this.#writes.addDelayed({ kind: 'settle', delivery, result });
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
    this.#files.close();
  }

  /** Moves what is claimed to the backlog. Otherwise everything that was handled after it would come again with it. */
  #leaveNothingClaimed(): void {
    try {
      this.#commit([], NO_LAG);
    } catch {
      // Then it comes again, as after a crash.
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
    try {
      return this.#statements.transaction(() => {
        const stored = { lastId: this.#lastId, events: this.#findEvents(writes) };
        const plan = planWrites(writes, stored, this.#progress, Date.now(), maxLag);
        this.#execute(plan);
        return plan;
      });
    } catch (cause) {
      throw new ReceiverError(
        'INBOX_WRITE_FAILED',
        `The inbox in ${this.location} could not write: ${(cause as Error).message}.`,
        { cause },
      );
    }
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
