import { ReceiverError } from '../errors.js';
import { GroupCommit } from './group-commit.js';
import type { Claim, ClaimedDelivery, Inbox, InboxCounts, IncomingDelivery, Outcome } from './inbox.js';
import { type InboxDatabase, openDatabase } from './open-database.js';
import {
  type BacklogKey,
  type FailedAttempt,
  type InboxStatements,
  type NewDelivery,
  prepareStatements,
} from './sqlite-statements.js';

/** Most content that goes into one transaction, in bytes; bounds the copy that is handed to SQLite. */
const MAX_BATCH_BYTES = 8 * 1_048_576;

type Write =
  | { readonly kind: 'accept'; readonly incoming: IncomingDelivery; readonly receivedAt: number }
  | { readonly kind: 'settle'; readonly claimed: ClaimedDelivery; readonly outcome: Outcome };

/**
 * Opens the embedded inbox: SQLite in a folder, one process.
 *
 * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`
 */
export function openSqliteInbox(folder: string): Inbox {
  const files = openDatabase(folder);
  return new SqliteInbox(files, prepareStatements(files.database));
}

/**
 * Everything that arrives while the last flush runs goes into one transaction and one flush. Ids only go up,
 * and what is written to the backlog is never due before what was claimed last, so that a cursor over the
 * backlog passes nothing by. After a restart the cursor starts anew, and with it whatever was not settled.
 */
class SqliteInbox implements Inbox {
  readonly location: string;
  readonly #files: InboxDatabase;
  readonly #statements: InboxStatements;
  readonly #writes: GroupCommit<Write, number>;
  readonly #clockOffset: number;
  #lastId: number;
  #cursor: BacklogKey = { dueAt: -1, id: -1 };

  constructor(files: InboxDatabase, statements: InboxStatements) {
    this.location = files.file;
    this.#files = files;
    this.#statements = statements;
    this.#lastId = statements.lastId();
    // A clock that was set back must not keep what is already there waiting.
    this.#clockOffset = Math.max(Date.now(), statements.latestDueAt()) - performance.now();
    this.#writes = new GroupCommit({
      commit: (writes) => this.#commit(writes),
      sizeOf: (write) => (write.kind === 'accept' ? write.incoming.content.length : 0),
      maxSize: MAX_BATCH_BYTES,
    });
  }

  accept(incoming: IncomingDelivery): Promise<number> {
    return this.#writes.add({ kind: 'accept', incoming, receivedAt: Date.now() });
  }

  async claim(limit: number): Promise<Claim> {
    const now = this.#now();
    const deliveries = this.#statements.claim(this.#cursor, now, limit);
    const last = deliveries.at(-1);
    if (last !== undefined) this.#cursor = { dueAt: last.dueAt, id: last.delivery.id };
    const nextDueAt = deliveries.length < limit ? this.#statements.nextDueAt(now) : undefined;
    return { deliveries, nextDueIn: nextDueAt === undefined ? undefined : nextDueAt - now };
  }

  async settle(claimed: ClaimedDelivery, outcome: Outcome): Promise<void> {
    await this.#writes.add({ kind: 'settle', claimed, outcome });
  }

  async counts(): Promise<InboxCounts> {
    return this.#statements.counts();
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    this.#files.close();
  }

  /** Milliseconds since 1970, of a clock that never goes back. */
  #now(): number {
    return Math.floor(this.#clockOffset + performance.now());
  }

  #commit(writes: readonly Write[]): number[] {
    const now = this.#now();
    const plan = planWrites(writes, this.#lastId, now);
    try {
      this.#statements.transaction(() => this.#write(plan));
    } catch (cause) {
      throw new ReceiverError(
        'INBOX_WRITE_FAILED',
        `The inbox in ${this.location} could not write: ${(cause as Error).message}.`,
        { cause },
      );
    }
    this.#lastId += plan.accepted.length;
    return plan.ids;
  }

  #write({ accepted, settled, failed, parked }: WritePlan): void {
    if (accepted.length > 0) this.#statements.insertDeliveries(accepted);
    if (settled.length > 0) this.#statements.leaveBacklog(settled);
    if (failed.length > 0) this.#statements.comeAgain(failed);
    if (parked.length > 0) this.#statements.park(parked);
  }
}

/** One transaction's rows, by statement, and the id of each write's delivery. */
interface WritePlan {
  readonly ids: number[];
  readonly accepted: NewDelivery[];
  readonly settled: BacklogKey[];
  readonly failed: FailedAttempt[];
  readonly parked: FailedAttempt[];
}

function planWrites(writes: readonly Write[], lastId: number, now: number): WritePlan {
  const plan: WritePlan = { ids: [], accepted: [], settled: [], failed: [], parked: [] };
  for (const write of writes) {
    if (write.kind === 'accept') {
      const id = lastId + plan.accepted.length + 1;
      plan.accepted.push({ id, dueAt: now, receivedAt: write.receivedAt, incoming: write.incoming });
      plan.ids.push(id);
    } else {
      planSettlement(plan, write.claimed, write.outcome, now);
      plan.ids.push(write.claimed.delivery.id);
    }
  }
  return plan;
}

function planSettlement(
  plan: WritePlan,
  { delivery, dueAt }: ClaimedDelivery,
  outcome: Outcome,
  now: number,
): void {
  const { id } = delivery;
  plan.settled.push({ dueAt, id });
  if (outcome.kind === 'handled') return;
  const attempt = { id, failures: delivery.failures + 1, error: outcome.error };
  if (outcome.kind === 'parked') plan.parked.push({ ...attempt, dueAt: now });
  else plan.failed.push({ ...attempt, dueAt: now + Math.max(1, Math.ceil(outcome.retryAfter)) });
}
