import { ReceiverError } from '../errors.js';
import { GroupCommit } from './group-commit.js';
import type { Claim, Delivery, Inbox, InboxCounts, IncomingDelivery, Outcome } from './inbox.js';
import { isEventId } from './is-event-id.js';
import { type InboxDatabase, openDatabase } from './open-database.js';
import { Progress } from './progress.js';
import type { InboxStatements } from './sqlite-statements.js';
import { eventIdsOf, NO_LAG, planWrites, type Write, type WritePlan } from './write-plan.js';

/** Most content that goes into one transaction, in bytes; bounds the copy that is handed to SQLite. */
const MAX_BATCH_BYTES = 8 * 1_048_576;

/** Most content of new deliveries that is kept in memory for the handler, in bytes; the rest is read from the file. */
const MAX_FRESH_BYTES = 8 * 1_048_576;

/**
 * How long an outcome may wait for a delivery with which it is written, in milliseconds. A crash meanwhile hands the
 * delivery to the handler again, which it has to expect anyway.
 */
const OUTCOME_PATIENCE = 10;

/**
 * Opens the embedded inbox: SQLite in a folder, one process.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`
 */
export function openSqliteInbox(folder: string): Inbox {
  return new SqliteInbox(openDatabase(folder));
}

/** Everything that arrived while the last flush ran goes into one transaction and one flush. */
class SqliteInbox implements Inbox {
  readonly location: string;
  readonly #files: InboxDatabase;
  readonly #statements: InboxStatements;
  readonly #writes: GroupCommit<Write, number>;
  readonly #progress: Progress;
  /** Claimed from the backlog and not settled. */
  readonly #again = new Set<number>();
  #lastId: number;
  #endedThrough: number;
  #nextDueAt: number | undefined;
  #closed: Promise<void> | undefined;
  /** New deliveries that follow the last claimed one without a gap, so that they need not be read back. */
  #fresh: Delivery[] = [];
  #freshBytes = 0;

  constructor(files: InboxDatabase) {
    const { statements } = files;
    const { lastId, handledThrough } = statements.position();
    this.location = files.file;
    this.#files = files;
    this.#statements = statements;
    this.#lastId = lastId;
    this.#endedThrough = handledThrough;
    this.#progress = new Progress(handledThrough);
    this.#nextDueAt = statements.nextDueAt(-1);
    this.#writes = new GroupCommit({
      commit: (writes) => this.#commit(writes),
      sizeOf: (write) => (write.kind === 'accept' ? write.incoming.content.length : 0),
      maxSize: MAX_BATCH_BYTES,
      patience: OUTCOME_PATIENCE,
    });
  }

  accept(incoming: IncomingDelivery): Promise<number> {
    if (incoming.eventId !== null && !isEventId(incoming.eventId))
      return Promise.reject(
        new TypeError('The identifier of the event holds U+0000 or half of a surrogate pair.'),
      );
    return this.#writes.add({ kind: 'accept', incoming, receivedAt: Date.now() });
  }

  async claim(limit: number): Promise<Claim> {
    const now = Date.now();
    const deliveries = this.#claimDue(now, limit);
    for (const delivery of this.#next(limit - deliveries.length)) {
      this.#progress.claim(delivery.id);
      deliveries.push(delivery);
    }
    return {
      deliveries,
      nextDueIn: this.#nextDueAt === undefined ? undefined : Math.max(0, this.#nextDueAt - now),
    };
  }

  async settle(delivery: Delivery, outcome: Outcome): Promise<void> {
    await this.#writes.addPatiently({ kind: 'settle', delivery, outcome });
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

  /** Moves what is claimed to the backlog: otherwise what was handled after it would come again with it. */
  #leaveNothingClaimed(): void {
    try {
      this.#commit([], NO_LAG);
    } catch {
      // Then it does come again, as it would after a crash.
    }
  }

  #claimDue(now: number, limit: number): Delivery[] {
    if (this.#nextDueAt === undefined || this.#nextDueAt > now) return [];
    const due = this.#statements.readDue(now, this.#again, limit);
    for (const { id } of due) this.#again.add(id);
    if (due.length < limit) this.#nextDueAt = this.#statements.nextDueAt(now);
    return due;
  }

  #next(limit: number): Delivery[] {
    if (limit === 0 || this.#progress.claimedThrough === this.#lastId) return [];
    const deliveries = this.#fresh.splice(0, limit);
    for (const { content } of deliveries) this.#freshBytes -= content.length;
    const last = deliveries.at(-1)?.id ?? this.#progress.claimedThrough;
    if (deliveries.length === limit || last === this.#lastId) return deliveries;
    return deliveries.concat(this.#statements.readAfter(last, limit - deliveries.length));
  }

  #commit(writes: readonly Write[], maxLag?: number): number[] {
    const plan = this.#write(writes, maxLag);
    this.#remember(plan);
    return plan.ids;
  }

  #write(writes: readonly Write[], maxLag?: number): WritePlan {
    try {
      return this.#statements.transaction(() => {
        const kept = { lastId: this.#lastId, events: this.#findEvents(writes) };
        const plan = planWrites(writes, kept, this.#progress, Date.now(), maxLag);
        this.#carryOut(plan);
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

  #carryOut({ accepted, endedThrough, waiting, leavingBacklog, parked }: WritePlan): void {
    const statements = this.#statements;
    if (accepted.length > 0) statements.insertDeliveries(accepted);
    if (endedThrough !== this.#endedThrough) statements.setHandledThrough(endedThrough);
    if (waiting.length > 0) statements.insertBacklog(waiting);
    if (leavingBacklog.length > 0) statements.deleteBacklog(leavingBacklog);
    if (parked.length > 0) statements.insertParked(parked);
  }

  #remember({ accepted, ended, endedThrough, waiting, leavingBacklog }: WritePlan): void {
    for (const id of ended) this.#progress.end(id);
    for (const { id, failures, at } of waiting) {
      if (failures === 0) this.#again.add(id);
      else {
        this.#again.delete(id);
        this.#nextDueAt = Math.min(at, this.#nextDueAt ?? at);
      }
    }
    for (const id of leavingBacklog) this.#again.delete(id);
    this.#endedThrough = endedThrough;
    for (const delivery of accepted) this.#keepFresh(delivery);
  }

  #keepFresh(delivery: Delivery): void {
    const previous = this.#fresh.at(-1)?.id ?? this.#progress.claimedThrough;
    this.#lastId = delivery.id;
    if (previous !== delivery.id - 1 || this.#freshBytes + delivery.content.length > MAX_FRESH_BYTES) return;
    this.#fresh.push(delivery);
    this.#freshBytes += delivery.content.length;
  }
}
