import type { Logger } from 'pino';

import type { Clock } from '../clock.js';
import { ReceiverError } from '../errors.js';
import { throttledLog } from '../logging/throttled-log.js';
import { Acts } from './acts.js';
import { SUMMARY, WHOLE, withSent } from './columns.js';
import { bounded, conditions, DUE, NOT_HANDLED, SUSPECTED } from './conditions.js';
import { storableText } from './delivery.js';
import {
  type Act,
  type ActKind,
  type Batch,
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryState,
  type DeliverySummary,
  type ErrorGroup,
  type ExportedDelivery,
  type FailedAttempt,
  type InboxStats,
  type ListedDelivery,
  type Origin,
  type Page,
  type Retention,
  type Search,
  type StateCounts,
  type StoredAct,
  type StoredDelivery,
} from './inbox-operations.js';
import { ForwardJumps, Removal } from './retention.js';
import { previewOf, shownText, storedUtf8 } from './shown-text.js';
import { type Sql, sql } from './sql.js';
import type { Row, Store } from './store.js';

/** Most deliveries that one part of a search reads, so that it takes milliseconds. */
const MAX_SEARCHED = 1_000;

/** Most deliveries of each kind whose errors are grouped. */
const MAX_GROUPED = 10_000;

const NOBODY: Origin = { operator: null, source: null, reason: null };

/** What the log says of an act that is over. */
const DONE: Readonly<Record<ActKind, string>> = {
  replay: 'an operator replayed deliveries',
  discard: 'an operator discarded deliveries',
  pause: 'an operator paused the handler',
  resume: 'an operator resumed the handler',
};

/** The inbox that has the same store. */
export interface OperatedInbox {
  /** Claims what an operator has made due. */
  poll(): void;
  /** Called after a pause: lets nothing begin that was claimed before. Resolves when that holds. */
  hold(): Promise<void>;
}

/** What operators do with an inbox, in the database that its store has open. Times are in milliseconds since 1970. */
export class Operations {
  /** What operators do with deliveries, and what became of it. */
  readonly acts: Acts;
  readonly #schema: Sql;
  readonly #removal: Removal;
  /** The write-ahead log may have what was deleted. */
  #logHasDeleted = false;

  constructor(
    private readonly store: Store,
    private readonly inbox: OperatedInbox,
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
    clock: Clock,
  ) {
    this.#schema = store.dialect.schema;
    const jumps = new ForwardJumps(clock, (milliseconds) =>
      logger.warn({ milliseconds }, 'the clock was set forward; nothing expires for an hour'),
    );
    this.#removal = new Removal(store, jumps);
    const logFailure = throttledLog((fields) =>
      logger.error(fields, 'failed to carry out an act of an operator'),
    );
    this.acts = new Acts(store, clock, {
      count: (filter) => this.count(filter),
      changed: (kind) => {
        if (kind === 'discard') this.#logHasDeleted = true;
        inbox.poll();
      },
      over: (act) => this.#actIsOver(act),
      failed: (err) => logFailure({ err }),
    });
  }

  async #actIsOver({ id, kind, operator, source, reason, filter, changed }: StoredAct): Promise<void> {
    if (kind === 'discard') await this.forgetDeleted();
    this.logger.info(
      { act: id, ...(filter !== null && { filter, changed }), operator, source, reason },
      DONE[kind],
    );
  }

  /** While the handler is paused, no attempt starts, also after a restart. Deliveries are accepted. */
  async setPaused(isPaused: boolean, origin: Origin = NOBODY): Promise<Act> {
    const act = await this.acts.setPaused(isPaused, origin);
    if (isPaused) await this.inbox.hold();
    this.inbox.poll();
    return act;
  }

  /**
   * Deletes some of what the retention doesn't keep, the oldest first. Call it again until it returns 0.
   *
   * @returns how many deliveries, acts, and identifiers of events, it has deleted
   * @throws ReceiverError `INBOX_WRITE_FAILED`
   */
  async removeExpired(retention: Retention): Promise<number> {
    const removed = await this.#removal.removeExpired(retention);
    if (removed > 0) this.#logHasDeleted = true;
    return removed;
  }

  /**
   * Removes what was discarded or has expired from the write-ahead log, too. If somebody reads the file, or it can't be
   * written, the next call does it.
   */
  async forgetDeleted(): Promise<void> {
    if (!this.#logHasDeleted) return;
    this.#logHasDeleted = false;
    const isEmpty = await this.store.emptyLog().catch(() => false);
    if (!isEmpty) this.#logHasDeleted = true;
  }

  async list(filter: DeliveryFilter, { order, after, limit }: Page): Promise<readonly ListedDelivery[]> {
    const isUp = order === 'oldest first';
    const rest = after === undefined ? [] : [isUp ? sql`id > ${after}` : sql`id < ${after}`];
    const rows = await this.store.read(sql`
      SELECT ${SUMMARY} FROM ${this.#schema}delivery ${conditions(filter, ...rest)}
      ORDER BY id ${isUp ? sql`ASC` : sql`DESC`} LIMIT ${limit}`);
    return rows.map((row) => ({
      ...shown(row as unknown as DeliverySummary),
      preview: previewOf(row['preview'] as ArrayBuffer | null),
    }));
  }

  /**
   * Counts by state what isn't handled, and all: most are handled. Alone in its selection, SQLite counts all of them by the
   * pages of an index, and not one by one.
   */
  async count(filter: DeliveryFilter): Promise<StateCounts> {
    const rows = await this.store.read(sql`
      SELECT state, count(*) AS count FROM ${this.#schema}delivery ${conditions(filter, NOT_HANDLED)} GROUP BY state
      UNION ALL SELECT 'all', (SELECT count(*) FROM ${this.#schema}delivery ${conditions(filter)})`);
    const counts = new Map(rows.map(({ state, count }) => [state, count as number]));
    const of = (state: string): number => counts.get(state) ?? 0;
    const found = Object.fromEntries(DELIVERY_STATES.map((state) => [state, of(state)]));
    const notHandled = DELIVERY_STATES.reduce((sum, state) => sum + of(state), 0);
    return { ...found, handled: of('all') - notHandled } as unknown as StateCounts;
  }

  /**
   * The deliveries that contain a text, the newest first, and the id below which the search would go on; undefined if
   * everything was searched.
   */
  async search({ text, filter, after, limit, maxDuration }: Search): Promise<{
    readonly deliveries: readonly ListedDelivery[];
    readonly next: number | undefined;
  }> {
    const end = performance.now() + maxDuration;
    const sought = storableText(text);
    let found: number[] = [];
    let next: number | undefined = after ?? Number.MAX_SAFE_INTEGER;
    while (next !== undefined && found.length < limit && performance.now() < end) {
      const rows: readonly Row[] = await this.#searchPart(sought, filter, next);
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

  /** The ids of a part of a search, the newest first, and whether each contains the text. */
  #searchPart(text: string, filter: DeliveryFilter, before: number): Promise<readonly Row[]> {
    const { position } = this.store.dialect;
    // Header fields are stored in JSON.
    const inJson = (sought: string): Sql => position(sql`fields`, JSON.stringify(sought).slice(1, -1));
    const part = bounded(sql`
      SELECT id, length(content) AS bytes, -id AS position FROM ${this.#schema}delivery
      ${conditions(filter, sql`id < ${before}`)} ORDER BY id DESC LIMIT ${MAX_SEARCHED}`);
    return this.store.read(sql`
      SELECT id, CASE WHEN ${position(sql`error`, text)} > 0 OR ${position(sql`event_id`, text)} > 0
        OR ${position(sql`key`, text)} > 0 OR ${inJson(text)} > 0 OR ${inJson(storedUtf8(text))} > 0 OR ${position(sql`content`, Buffer.from(text))} > 0
        THEN 1 ELSE 0 END AS "isFound"
      FROM ${this.#schema}delivery WHERE id IN (SELECT id FROM (${part}) AS chosen) ORDER BY id DESC`);
  }

  /**
   * The errors of the deliveries that are parked or come again, the most frequent first: of the newest 10,000 that are
   * parked and the newest 10,000 that come again. The time of the first is that of the first attempt that ended with the
   * last error.
   *
   * @returns `isComplete`: there were no more
   */
  async errorGroups(): Promise<{ readonly groups: readonly ErrorGroup[]; readonly isComplete: boolean }> {
    const newest = (state: 'parked' | 'retrying'): Sql => sql`
      SELECT * FROM (
        SELECT id, state, error, error_group, ended_at ${this.#ofState(state)} DESC LIMIT ${MAX_GROUPED}) AS newest`;
    const rows = await this.#rows<Omit<ErrorGroup, 'message'> & { readonly message: string | null }>(sql`
      SELECT error_group AS "group", CASE WHEN min(error) = max(error) THEN min(error) END AS message,
        count(CASE WHEN state = 'parked' THEN 1 END) AS parked,
        count(CASE WHEN state = 'retrying' THEN 1 END) AS retrying,
        min(coalesce(
          (SELECT min(started_at) FROM ${this.#schema}attempt a WHERE a.delivery = failing.id AND a.error = failing.error),
          ended_at)) AS "firstAt",
        max(ended_at) AS "lastAt"
      FROM (${newest('parked')} UNION ALL ${newest('retrying')}) AS failing
      WHERE error_group IS NOT NULL
      GROUP BY error_group ORDER BY count(*) DESC, max(ended_at) DESC`);
    const groups = rows.map((row) => ({ ...row, message: row.message ?? row.group }));
    const total = (kind: 'parked' | 'retrying'): number =>
      groups.reduce((sum, group) => sum + group[kind], 0);
    return { groups, isComplete: total('parked') < MAX_GROUPED && total('retrying') < MAX_GROUPED };
  }

  /** Undefined if there is none with this id, or if it was deleted by the retention. */
  async find(id: number): Promise<StoredDelivery | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.store.read(
      sql`SELECT ${WHOLE}, act FROM ${this.#schema}delivery WHERE id = ${id}`,
    );
    if (row === undefined) return undefined;
    const history = await this.#rows<FailedAttempt>(sql`
      SELECT number, started_at AS "startedAt", duration, receiver, error, stack
      FROM ${this.#schema}attempt WHERE delivery = ${id} ORDER BY id`);
    const actId = row['act'] as number | null;
    const act = actId === null ? null : ((await this.acts.find(actId)) ?? null);
    const delivery = shown(withSent<ExportedDelivery>(row));
    const fields = delivery.fields.map(([name, value]) => [name, shownText(value)] as const);
    return { ...delivery, fields, history, act };
  }

  /** The deliveries of a part, with what was sent and without history, in the order of their ids. */
  async read({ filter, after, limit }: Batch): Promise<{
    readonly deliveries: readonly ExportedDelivery[];
    readonly next: number | undefined;
  }> {
    const part = bounded(sql`
      SELECT id, length(content) AS bytes, id AS position FROM ${this.#schema}delivery
      ${conditions(filter, sql`id > ${after}`)} ORDER BY id LIMIT ${limit}`);
    const rows = await this.store.read(sql`
      SELECT ${WHOLE} FROM ${this.#schema}delivery WHERE id IN (SELECT id FROM (${part}) AS chosen) ORDER BY id`);
    const deliveries = rows.map((row) => withSent<ExportedDelivery>(row));
    return { deliveries, next: deliveries.at(-1)?.id };
  }

  /** See `Store.size`. */
  size(): ReturnType<Store['size']> {
    return this.store.size();
  }

  /** Those of the stats that cost little, however much is stored. */
  async oldestWaiting(): Promise<Pick<InboxStats, 'oldestWaitingAt' | 'now'>> {
    const oldest = (state: 'waiting' | 'retrying'): Sql =>
      sql`SELECT * FROM (SELECT received_at ${this.#ofState(state)} LIMIT 1) AS first`;
    const [row] = await this.#rows<Pick<InboxStats, 'oldestWaitingAt' | 'now'>>(sql`
      SELECT min(received_at) AS "oldestWaitingAt", ${this.store.dialect.now()} AS now
      FROM (${oldest('waiting')} UNION ALL ${oldest('retrying')}) AS oldest`);
    return row!;
  }

  async stats(): Promise<InboxStats> {
    const next = (index: Sql): Sql => sql`
      SELECT * FROM (
        SELECT due_at FROM ${this.#schema}delivery WHERE ${index} AND state = 'retrying' ORDER BY due_at LIMIT 1) AS first`;
    const [counts, oldest, [state], { onDisk }] = await Promise.all([
      this.count({}),
      this.oldestWaiting(),
      this.store.read(sql`
        SELECT is_paused AS "isPaused",
          (SELECT min(due_at) FROM (${next(DUE)} UNION ALL ${next(SUSPECTED)}) AS next) AS "nextRetryAt"
        FROM ${this.#schema}inbox_state`),
      this.store.size(),
    ]);
    if (state === undefined)
      throw new ReceiverError(
        'INBOX_DAMAGED',
        `The inbox at ${this.store.location} is damaged: it lacks the one row of inbox_state. Restore a backup.`,
      );
    return {
      ...counts,
      ...oldest,
      nextRetryAt: state['nextRetryAt'] as number | null,
      bytes: onDisk,
      isPaused: Boolean(state['isPaused']),
    };
  }

  /** Of one state, by its index and in its order. */
  #ofState(state: DeliveryState): Sql {
    return sql`FROM ${this.#schema}delivery WHERE state = ${state} AND ${NOT_HANDLED} ORDER BY id`;
  }

  async #rows<Selected>(statement: Sql): Promise<readonly Selected[]> {
    return (await this.store.read(statement)) as unknown as readonly Selected[];
  }
}

/** A delivery as people see it. The handler, a backup and an export have it as it came. */
function shown<Kept extends Pick<DeliverySummary, 'mediaType' | 'contentEncoding'>>(delivery: Kept): Kept {
  const { mediaType, contentEncoding } = delivery;
  return { ...delivery, mediaType: shownText(mediaType), contentEncoding: shownText(contentEncoding) };
}
