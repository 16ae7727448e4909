import { findPart, type Handling, listDeliveries, summariesOf, withSent } from './find-deliveries.js';
import { storableText } from './inbox.js';
import type {
  Batch,
  BatchResult,
  DeliveryFilter,
  DeliverySummary,
  InboxOperations,
  InboxStats,
  Page,
  StoredDelivery,
} from './inbox-operations.js';
import type { InboxDatabase } from './open-database.js';
import type { OperationStatements } from './operation-statements.js';
import type { Change } from './write-plan.js';

/**
 * What operators do with the deliveries of an embedded inbox. It is judged by what is stored and by what the inbox knows,
 * which agree between two transactions.
 */
export abstract class SqliteOperations implements InboxOperations {
  /** Whether the handler is paused. */
  protected isPaused: boolean;
  readonly #statements: OperationStatements;

  constructor(protected readonly files: InboxDatabase) {
    this.#statements = files.operations;
    this.isPaused = this.#statements.count(files.position.lastId).isPaused;
  }

  protected abstract handling(): Handling;

  /** In milliseconds since 1970. */
  protected abstract now(): number;

  /** Whether the handler has the delivery. */
  protected abstract isClaimed(id: number): boolean;

  /** Makes a change with the next transaction. Resolves when it is durable. */
  protected abstract change(change: Change): Promise<void>;

  /** Something in the backlog is due at this time. */
  protected abstract hasDue(at: number): void;

  /** The retention can delete these. */
  protected abstract mayRemove(ids: readonly number[]): void;

  list(filter: DeliveryFilter, page: Page): Promise<readonly DeliverySummary[]> {
    return listDeliveries(this.#statements, () => this.handling(), filter, page);
  }

  async find(id: number): Promise<StoredDelivery | undefined> {
    const handling = this.handling();
    if (!Number.isInteger(id) || id > handling.lastId) return undefined;
    const [summary] = summariesOf(this.#statements, handling, [id]);
    return summary && withSent(this.#statements, summary);
  }

  async read(
    batch: Batch,
  ): Promise<{ readonly deliveries: readonly StoredDelivery[]; readonly next: number | undefined }> {
    const { deliveries, next } = findPart(this.#statements, this.handling(), batch, true);
    return { deliveries: deliveries.map((delivery) => withSent(this.#statements, delivery)), next };
  }

  async replay(batch: Batch): Promise<BatchResult> {
    let ids: number[] = [];
    let next: number | undefined;
    const now = this.now();
    await this.change({
      write: () => {
        const part = findPart(this.#statements, this.handling(), batch, false);
        ids = part.deliveries.filter((delivery) => this.#canReplay(delivery)).map(({ id }) => id);
        next = part.next;
        if (ids.length === 0) return;
        this.files.underWay.sync();
        this.#statements.replay(ids, now);
      },
      committed: () => {
        if (ids.length > 0) this.hasDue(now);
      },
    });
    return { changed: ids.length, next };
  }

  #canReplay({ id, state, failures }: DeliverySummary): boolean {
    if (this.isClaimed(id)) return false;
    return state === 'parked' || state === 'handled' || (state === 'waiting' && failures > 0);
  }

  async discard(batch: Batch, reason: string): Promise<BatchResult> {
    let ids: number[] = [];
    let next: number | undefined;
    const text = storableText(reason);
    await this.change({
      write: () => {
        const part = findPart(this.#statements, this.handling(), batch, true);
        ids = part.deliveries.filter(({ state }) => state === 'parked').map(({ id }) => id);
        next = part.next;
        if (ids.length > 0) this.#statements.discard(ids, this.now(), text);
      },
      committed: () => this.mayRemove(ids),
    });
    return { changed: ids.length, next };
  }

  setPaused(isPaused: boolean): Promise<void> {
    return this.change({
      write: () => void this.#statements.setPaused(isPaused),
      committed: () => (this.isPaused = isPaused),
    });
  }

  async stats(): Promise<InboxStats> {
    const counts = this.#count();
    const oldest = await this.list({ state: 'waiting' }, { order: 'oldest first', limit: 1 });
    return { ...counts, oldestWaitingAt: oldest[0]?.receivedAt ?? null, bytes: this.files.size() };
  }

  /** The part of {@link stats} that takes no time. */
  #count(): Omit<InboxStats, 'oldestWaitingAt' | 'bytes'> {
    const { lastId, claimedThrough, open } = this.handling();
    const { removed, isPaused, backlog, parked, discarded, after } = this.#statements.count(claimedThrough);
    const waiting = lastId - claimedThrough - after + open.size + backlog;
    const handled = lastId - removed - waiting - parked - discarded;
    return { waiting, handled, parked, discarded, isPaused };
  }
}
