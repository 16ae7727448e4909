import { withSent } from './columns.js';
import { storableText } from './delivery.js';
import {
  type Batch,
  type BatchResult,
  type Change,
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliverySummary,
  type ErrorGroup,
  type FailedAttempt,
  type InboxOperations,
  type InboxStats,
  type Page,
  type Search,
  type StateCounts,
  type StoredDelivery,
} from './inbox-operations.js';
import { MAX_GROUPED, type Statements, statementsFor } from './statements.js';
import type { Row, Store } from './store.js';
import { type Transitions, transitionsFor } from './transitions.js';

/** What operators do with an inbox, in the database that a store has open. */
export class SqlOperations implements InboxOperations {
  protected readonly statements: Statements;
  protected readonly transitions: Transitions;

  constructor(protected readonly store: Store) {
    this.statements = statementsFor(store.dialect);
    this.transitions = transitionsFor(store.dialect);
  }

  /** Where it is, for people. It has no credentials. */
  get location(): string {
    return this.store.location;
  }

  /** Names this process among those that share the inbox. */
  get receiver(): string {
    return this.store.receiver;
  }

  async list(filter: DeliveryFilter, page: Page): Promise<readonly DeliverySummary[]> {
    return (await this.store.read(this.statements.list(filter, page))) as unknown as DeliverySummary[];
  }

  async count(filter: DeliveryFilter): Promise<StateCounts> {
    const rows = await this.store.read(this.statements.count(filter));
    const counts = new Map(rows.map(({ state, count }) => [state, count as number]));
    const of = (state: string): number => counts.get(state) ?? 0;
    const found = Object.fromEntries(DELIVERY_STATES.map((state) => [state, of(state)]));
    const notHandled = DELIVERY_STATES.reduce((sum, state) => sum + of(state), 0);
    return { ...found, handled: of('all') - notHandled } as unknown as StateCounts;
  }

  async search({ text, filter, after, limit, maxDuration }: Search): ReturnType<InboxOperations['search']> {
    const end = performance.now() + maxDuration;
    const sought = storableText(text);
    let found: number[] = [];
    let next: number | undefined = after ?? Number.MAX_SAFE_INTEGER;
    while (next !== undefined && found.length < limit && performance.now() < end) {
      const rows: readonly Row[] = await this.store.read(this.statements.search(sought, filter, next));
      found.push(...rows.filter(({ isFound }) => isFound === 1).map(({ id }) => id as number));
      next = rows.at(-1)?.['id'] as number | undefined;
    }
    if (found.length > limit) {
      found = found.slice(0, limit);
      next = found.at(-1);
    }
    const deliveries =
      found.length === 0 ? [] : await this.list({ ids: found }, { order: 'newest first', limit });
    return { deliveries, next };
  }

  async errorGroups(): ReturnType<InboxOperations['errorGroups']> {
    const rows = (await this.store.read(this.statements.errorGroups())) as unknown as ErrorGroup[];
    const groups = rows.map(({ message, ...row }) => ({
      ...row,
      message: (message as string | null) ?? row.group,
    }));
    const total = (kind: 'parked' | 'retrying'): number =>
      groups.reduce((sum, group) => sum + group[kind], 0);
    return { groups, isComplete: total('parked') < MAX_GROUPED && total('retrying') < MAX_GROUPED };
  }

  async find(id: number): Promise<StoredDelivery | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.store.read(this.statements.find(id));
    if (row === undefined) return undefined;
    const history = (await this.store.read(this.statements.history(id))) as unknown as FailedAttempt[];
    return { ...withSent<Omit<StoredDelivery, 'history'>>(row), history };
  }

  async read(batch: Batch): ReturnType<InboxOperations['read']> {
    const rows = await this.store.read(this.statements.read(batch));
    const deliveries = rows.map((row) => withSent<Omit<StoredDelivery, 'history'>>(row));
    return { deliveries, next: deliveries.at(-1)?.id };
  }

  async change(batch: Batch, change: Change): Promise<BatchResult> {
    const rows = await this.store.run(this.transitions[change.kind](batch, change));
    const ids = rows.map(({ id }) => id as number);
    return { changed: ids.length, next: ids.length === 0 ? undefined : Math.max(...ids) };
  }

  async setPaused(isPaused: boolean): Promise<void> {
    await this.store.run(this.statements.setPaused(isPaused));
  }

  /** Those of the stats that cost little, however much is stored. */
  async oldestWaiting(): Promise<Pick<InboxStats, 'oldestWaitingAt' | 'now'>> {
    const [[oldest], [clock]] = await Promise.all([
      this.store.read(this.statements.oldestWaiting()),
      this.store.read(this.statements.now()),
    ]);
    return { oldestWaitingAt: oldest!['receivedAt'] as number | null, now: clock!['now'] as number };
  }

  async stats(): Promise<InboxStats> {
    const [counts, [next], oldest, [state], { onDisk }] = await Promise.all([
      this.count({}),
      this.store.read(this.statements.nextRetry()),
      this.oldestWaiting(),
      this.store.read(this.statements.isPaused()),
      this.store.size(),
    ]);
    return {
      ...counts,
      ...oldest,
      nextRetryAt: next!['nextAt'] as number | null,
      bytes: onDisk,
      isPaused: Boolean(state?.['isPaused']),
    };
  }
}
