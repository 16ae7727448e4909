import type { Clock } from '../clock.js';
import type { ReceiverError } from '../errors.js';
import { bounded, conditions } from './conditions.js';
import { storableText } from './delivery.js';
import type {
  Act,
  ActKind,
  ChangeKind,
  DeliveryFilter,
  DeliveryState,
  Origin,
  Page,
  StateCounts,
  StoredAct,
} from './inbox-operations.js';
import { raw, type Sql, sql } from './sql.js';
import type { Row, Store } from './store.js';

/** The states of deliveries to which a change applies. */
export const CHANGEABLE = {
  replay: ['parked', 'retrying', 'handled'],
  discard: ['parked'],
} as const satisfies Record<ChangeKind, readonly DeliveryState[]>;

/** Those that it takes unasked: handled deliveries have had their effect. Whoever wants it again says so. */
export const CHANGED_UNASKED = {
  replay: ['retrying', 'parked'],
  discard: ['parked'],
} as const satisfies Record<ChangeKind, readonly DeliveryState[]>;

/** The inbox whose deliveries are changed. */
export interface ActOwner {
  count(filter: DeliveryFilter): Promise<StateCounts>;
  /** A part of an act is stored. */
  changed(kind: ChangeKind): void;
  /** An act is over. */
  over(act: StoredAct): Promise<void>;
  /** A part could not be stored. It comes again. */
  failed(error: unknown): void;
}

/** Most deliveries that one part of an act changes, so that it takes milliseconds. */
const MAX_CHANGED = 500;

/** Shortest pause after a part, and how long to wait after one that failed, in milliseconds. */
const MIN_PAUSE = 5;
const RETRY_INTERVAL = 250;

const STORED = raw(
  `id, kind, at, operator, source, reason, filter, selected, changed, ended_at AS "endedAt"`,
);

/**
 * Counts in the acts to which the deliveries of `part` belong what became of them, as they leave those: see
 * `Dialect.withPart`. What they become from now on is no longer counted there.
 */
export const leaveActs = (schema: Sql): Sql => sql`
  UPDATE ${schema}act SET handled = act.handled + gone.handled, failed = act.failed + gone.failed
  FROM (
    SELECT act AS id, count(CASE WHEN state = 'handled' THEN 1 END) AS handled,
      count(CASE WHEN state = 'parked' OR state = 'retrying' THEN 1 END) AS failed
    FROM part WHERE act IS NOT NULL AND state <> 'discarded' GROUP BY act) AS gone
  WHERE act.id = gone.id`;

/**
 * The acts of an inbox. An act is one row, which has its whole state. A change of many deliveries is carried out in parts,
 * in the order of their ids, each in one transaction: it changes the deliveries, counts them in the row, and notes there
 * where the next one begins. So deliveries are accepted between two parts, and whoever goes on after a restart needs
 * nothing but the row. It names the receiver that carries the act out; another one goes on when that has ended.
 */
export class Acts {
  /** Carries out what is begun, until nothing is left. */
  #working: Promise<void> | undefined;
  #isAsked = false;
  #isStopped = false;
  #endPause: () => void = () => undefined;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly owner: ActOwner,
  ) {}

  /**
   * Begins to change the deliveries that a filter selects now, and makes the first part.
   *
   * @param filter without states, {@link CHANGED_UNASKED} holds
   */
  async begin(kind: ChangeKind, filter: DeliveryFilter, origin: Origin): Promise<Act> {
    const [row] = await this.store.read(sql`SELECT max(id) AS id FROM ${this.#schema}delivery`);
    // What arrives from now on isn't meant.
    const newest = Math.min(filter.lastId ?? Infinity, (row!['id'] as number | null) ?? 0);
    const chosen = {
      ...filter,
      state: filter.state ?? CHANGED_UNASKED[kind],
      ...(filter.ids === undefined && { lastId: newest }),
    };
    const counts = await this.owner.count(chosen);
    const selected = statesOf(chosen).reduce((sum, state) => sum + counts[state], 0);
    const own = sql`(SELECT max(id) FROM ${this.#schema}act WHERE receiver = ${this.store.receiver})`;
    const { id } = await this.#change(kind, chosen, origin.reason, own, [
      this.#insert(kind, origin, chosen, selected, sql`${this.store.receiver}, NULL`),
    ]);
    return (await this.find(id))!;
  }

  async setPaused(isPaused: boolean, origin: Origin): Promise<Act> {
    const [row] = await this.store.run(
      // SQLite has no boolean values.
      sql`UPDATE ${this.#schema}inbox_state SET is_paused = (${Number(isPaused)} = 1)`,
      this.#insert(isPaused ? 'pause' : 'resume', origin, null, 0, sql`NULL, ${this.store.dialect.now()}`),
    );
    const act = storedAct(row!);
    await this.owner.over(act);
    return { ...act, handled: 0, failed: 0, retrying: 0, waiting: 0 };
  }

  async find(id: number): Promise<Act | undefined> {
    return (await this.#select(sql`WHERE id = ${id}`))[0];
  }

  /** The last act that paused the handler; undefined if none is kept. */
  async lastPause(): Promise<Act | undefined> {
    return (await this.#select(sql`WHERE kind = 'pause' ORDER BY id DESC LIMIT 1`))[0];
  }

  /** The newest first. */
  list({ after, limit }: Omit<Page, 'order'>): Promise<readonly Act[]> {
    const last = after === undefined ? Number.MAX_SAFE_INTEGER : after - 1;
    return this.#select(sql`WHERE id <= ${last} ORDER BY id DESC LIMIT ${limit}`);
  }

  /** Goes on with what is begun here, or in receivers that have ended. */
  goOn(): void {
    this.#isAsked = true;
    this.#working ??= this.#work();
  }

  /** Resolves when nothing is left to go on with, or it was stopped. */
  async untilIdle(): Promise<void> {
    await this.#working;
  }

  /** Ends after the part that is under way. The rest of an act is left to the next receiver. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      try {
        for (let act = await this.#next(); act !== undefined; act = await this.#next()) {
          const start = this.clock.now();
          await this.#change(act.kind as ChangeKind, act.filter!, act.reason, sql`${act.id}`);
          await this.#pause(Math.max(MIN_PAUSE, this.clock.now() - start));
        }
      } catch (error) {
        if ((error as Partial<ReceiverError>).code === 'INBOX_CLOSED') break;
        this.owner.failed(error);
        this.#isAsked = true;
        await this.#pause(RETRY_INTERVAL);
      }
    }
    this.#working = undefined;
  }

  /** The one that has changed least: a short one doesn't wait for a long one. */
  async #next(): Promise<StoredAct | undefined> {
    if (this.#isStopped) return undefined;
    const { receiver, dialect } = this.store;
    const [row] = await this.store.read(sql`
      SELECT ${STORED} FROM ${this.#schema}act
      WHERE ended_at IS NULL AND (receiver = ${receiver} OR ${dialect.isAbandoned}) ORDER BY changed, id LIMIT 1`);
    return row && storedAct(row);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        this.clock.clearTimeout(timer);
        resolve();
      };
      if (this.#isStopped) this.#endPause();
    });
  }

  /** Makes the next part of an act. */
  async #change(
    kind: ChangeKind,
    filter: DeliveryFilter,
    reason: string | null,
    id: Sql,
    before: readonly Sql[] = [],
  ): Promise<StoredAct> {
    const [row] = await this.store.run(
      ...before,
      ...this.#part(kind, filter, reason, id),
      sql`SELECT ${STORED} FROM ${this.#schema}act WHERE id = ${id}`,
    );
    const act = storedAct(row!);
    this.owner.changed(kind);
    if (act.endedAt === null) this.goOn();
    else await this.owner.over(act);
    return act;
  }

  /** The statements of a part. They do nothing if the act is over, or another receiver has it or is at work. */
  #part(kind: ChangeKind, filter: DeliveryFilter, reason: string | null, id: Sql): readonly Sql[] {
    const { receiver, dialect } = this.store;
    const { schema, now, lock, isAbandoned, isAmong, takeTurn, hasTurn, withPart } = dialect;
    const isOpen = sql`id = ${id} AND ended_at IS NULL AND ${hasTurn}`;
    const isOwn = sql`${isOpen} AND receiver = ${receiver}`;
    const begin = sql`(SELECT next FROM ${schema}act WHERE ${isOwn})`;
    const end = sql`(SELECT max(id) FROM part)`;
    // A selection for each state, which has an index: one for all would read and sort whatever is left each time.
    const behind = (state: DeliveryState, place: Sql): Sql =>
      conditions({ ...filter, state }, sql`id > ${place}`);
    const found = statesOf(filter).map(
      (state) => sql`
        SELECT * FROM (
          SELECT id, act, state, length(content) AS bytes, id AS position FROM ${schema}delivery
          ${behind(state, begin)} ORDER BY id LIMIT ${MAX_CHANGED} ${lock}) AS ${raw(state)}`,
    );
    const rest = statesOf(filter).map(
      (state) => sql`EXISTS (SELECT 1 FROM ${schema}delivery ${behind(state, end)})`,
    );
    const changes = {
      replay: sql`state = 'waiting', due_at = ${now()}, replayed_at = ${now()}, attempts = 0, interruptions = 0,
        error = NULL, error_group = NULL`,
      discard: sql`state = 'discarded', ended_at = ${now()}, reason = ${storableText(reason ?? '')},
        discarded_bytes = length(content), fields = '[]', content = ${Buffer.alloc(0)}`,
    };
    return [
      takeTurn,
      sql`UPDATE ${schema}act SET receiver = ${receiver}
        WHERE ${isOpen} AND receiver <> ${receiver} AND ${isAbandoned}`,
      ...withPart(
        sql`SELECT id, act, state FROM (${bounded(sql`
          SELECT * FROM (${joined(found, ' UNION ALL ')}) AS found ORDER BY id LIMIT ${MAX_CHANGED}`)}) AS chosen`,
        leaveActs(schema),
        sql`UPDATE ${schema}delivery SET ${changes[kind]}, act = ${id}
          WHERE id ${isAmong(sql`SELECT id FROM part`)}`,
        sql`UPDATE ${schema}act SET changed = changed + (SELECT count(*) FROM part), next = coalesce(${end}, next),
          ended_at = CASE WHEN ${joined(rest, ' OR ')} THEN NULL ELSE ${now()} END WHERE ${isOwn}`,
      ),
    ];
  }

  get #schema(): Sql {
    return this.store.dialect.schema;
  }

  /** @param more who carries it out, and when it was over */
  #insert(
    kind: ActKind,
    { operator, source, reason }: Origin,
    filter: DeliveryFilter | null,
    selected: number,
    more: Sql,
  ): Sql {
    const text = (given: string | null): string | null => (given === null ? null : storableText(given));
    return sql`
      INSERT INTO ${this.#schema}act (kind, at, operator, source, reason, filter, selected, receiver, ended_at)
      VALUES (${kind}, ${this.store.dialect.now()}, ${text(operator)}, ${source}, ${text(reason)},
        ${storableText(JSON.stringify(filter), Infinity)}, ${selected}, ${more})
      RETURNING ${STORED}`;
  }

  async #select(selection: Sql): Promise<readonly Act[]> {
    const now = (condition: string): Sql =>
      sql`(SELECT count(*) FROM ${this.#schema}delivery WHERE act = own.id AND ${raw(condition)})`;
    const rows = await this.store.read(sql`
      SELECT ${STORED}, handled + ${now(`state = 'handled'`)} AS handled,
        failed + ${now(`(state = 'parked' OR state = 'retrying' OR state = 'running' AND attempts > 1)`)} AS failed,
        ${now(`(state = 'retrying' OR state = 'running' AND attempts > 1)`)} AS retrying
      FROM ${this.#schema}act AS own ${selection}`);
    return rows.map((row) => {
      const act = storedAct(row) as Omit<Act, 'waiting'>;
      return { ...act, waiting: act.kind === 'replay' ? act.changed - act.handled - act.failed : 0 };
    });
  }
}

const storedAct = (row: Row): StoredAct =>
  ({ ...row, filter: JSON.parse(row['filter'] as string) as DeliveryFilter | null }) as unknown as StoredAct;

const statesOf = ({ state = [] }: DeliveryFilter): readonly DeliveryState[] => [state].flat();

const joined = (parts: readonly Sql[], between: ' UNION ALL ' | ' OR '): Sql =>
  parts.reduce((all, part) => sql`${all}${raw(between)}${part}`);
