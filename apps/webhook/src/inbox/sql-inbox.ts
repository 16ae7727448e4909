import { ReceiverError } from '../errors.js';
import { NO_OBSERVER, type Observer } from '../observer.js';
import { errorGroupOf } from './error-group.js';
import { GroupCommit } from './group-commit.js';
import {
  type AttemptResult,
  type Claim,
  type Claimed,
  type Delivery,
  type Inbox,
  type IncomingDelivery,
  isEventId,
  storableText,
} from './inbox.js';
import {
  type Batch,
  type BatchResult,
  type Change,
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliverySummary,
  type ErrorGroup,
  type FailedAttempt,
  type InboxStats,
  type Page,
  type Retention,
  type Search,
  type StateCounts,
  type StoredDelivery,
} from './inbox-operations.js';
import { MAX_GROUPED, type Statements, statementsFor } from './statements.js';
import type { Arrival, ResultRow, Row, Statement, Store, Stored, WriteOutcome } from './store.js';

/** Most content of deliveries that run and that the dispatcher hasn't fetched, in bytes. */
const MAX_FRESH_BYTES = 32 * 1_048_576;

/** Longest stack that is stored, in UTF-16 code units. */
const MAX_STACK = 8_000;

/** What a commit writes: a delivery that arrived, or a result. */
type Write = IncomingDelivery | ResultRow;

/** An inbox in a database. What it keeps in memory is what this process has claimed. */
export class SqlInbox implements Inbox {
  readonly location: string;
  readonly #statements: Statements;
  readonly #commits = new GroupCommit<Write, Stored | undefined>((writes) => this.#commit(writes));
  /** What is running here, by its id: when it was claimed. */
  readonly #claimed = new Map<number, number>();
  /** Claimed as they arrived, and not fetched by a claim. */
  #fresh: Delivery[] = [];
  #freshBytes = 0;
  /** How many of the next deliveries the handler can have at once. */
  #wanted = 0;
  /** Running, but interrupted, and not claimed here. */
  #interrupted: Pick<Delivery, 'id' | 'attempts'>[] = [];
  /** The delivery that runs alone. */
  #alone: number | undefined;
  /** Nothing waits that is due before. */
  #dueAt = -Infinity;
  #isPaused = false;
  #lookedAt = -Infinity;
  /** Whether a reply was lost, so that deliveries may be running here that nobody knows of. */
  #isUncertain = false;
  /** The last write. */
  #writing: Promise<WriteOutcome> | undefined;
  #closed: Promise<void> | undefined;
  /** A clock that is set back must not make a wait longer. */
  readonly #clockOffset = Date.now() - performance.now();

  constructor(
    private readonly store: Store,
    private readonly observer: Pick<Observer, 'committed'> = NO_OBSERVER,
  ) {
    this.location = store.location;
    this.#statements = statementsFor(store.dialect);
  }

  async accept(incoming: IncomingDelivery): Promise<number> {
    this.#requireOpen('accept');
    if (incoming.eventId !== null && !isEventId(incoming.eventId))
      throw new TypeError("The event's identifier contains U+0000 or half of a surrogate pair.");
    const stored = await this.#commits.add(incoming, sizeOf(incoming), false);
    return stored!.id;
  }

  async claim(limit: number): Promise<Claim> {
    this.#requireOpen('claim');
    // What arrives while the claim is under way may run: if it waited, it would have to be claimed, and so on.
    this.#wanted = limit;
    if (this.#isUncertain) await this.#releaseUnknown();
    const { lookInterval } = this.store;
    if (performance.now() - this.#lookedAt >= (lookInterval ?? Infinity)) await this.#look();

    // What is claimed already is handed on without a further claim, which may fail.
    if (this.#fresh.length > 0) return this.#claimOf(this.#takeFresh(limit), limit);
    if (this.#alone !== undefined || this.#interrupted.length > 0) {
      const isNext = this.#claimed.size === 0 && !this.#isPaused;
      const interrupted = isNext ? await this.#claimInterrupted() : undefined;
      return { deliveries: [], nextIn: lookInterval, ...(interrupted && { interrupted }) };
    }
    const isDue = limit > 0 && !this.#isPaused && this.#dueAt <= this.#now();
    return this.#claimOf(isDue ? await this.#claimDue(limit) : [], limit);
  }

  async settle(
    { id, attempts, claimedAt }: Claimed,
    result: AttemptResult,
    startedAt: number,
  ): Promise<void> {
    this.#requireOpen('settle');
    const row = this.#resultRow({ id, attempts, claimedAt }, result, startedAt);
    // Everybody waits for a delivery that runs alone.
    await this.#commits.add(row, 0, this.#alone === undefined);
    if (row.next.state === 'running') return;
    if (this.#claimed.get(id) === claimedAt) this.#claimed.delete(id);
    if (this.#alone === id) this.#alone = undefined;
    if (row.next.state === 'waiting') this.#isDueAt(row.next.dueAt ?? -Infinity);
  }

  async list(filter: DeliveryFilter, page: Page): Promise<readonly DeliverySummary[]> {
    this.#requireOpen('list');
    return (await this.store.read(this.#statements.list(filter, page))) as unknown as DeliverySummary[];
  }

  async count(filter: DeliveryFilter): Promise<StateCounts> {
    this.#requireOpen('count');
    const rows = await this.store.read(this.#statements.count(filter));
    const counts = new Map(rows.map(({ state, count }) => [state, count as number]));
    return Object.fromEntries(DELIVERY_STATES.map((state) => [state, counts.get(state) ?? 0])) as StateCounts;
  }

  async search({ text, filter, after, limit, maxDuration }: Search): ReturnType<Inbox['search']> {
    this.#requireOpen('search');
    const end = performance.now() + maxDuration;
    const sought = storableText(text);
    let found: number[] = [];
    let next: number | undefined = after ?? Number.MAX_SAFE_INTEGER;
    while (next !== undefined && found.length < limit && performance.now() < end) {
      const rows: readonly Row[] = await this.store.read(this.#statements.search(sought, filter, next));
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

  async errorGroups(): ReturnType<Inbox['errorGroups']> {
    this.#requireOpen('errorGroups');
    const rows = (await this.store.read(this.#statements.errorGroups())) as unknown as ErrorGroup[];
    const groups = rows.map(({ message, ...row }) => ({
      ...row,
      message: (message as string | null) ?? row.group,
    }));
    const total = (kind: 'parked' | 'retrying'): number =>
      groups.reduce((sum, group) => sum + group[kind], 0);
    return { groups, isComplete: total('parked') < MAX_GROUPED && total('retrying') < MAX_GROUPED };
  }

  async find(id: number): Promise<StoredDelivery | undefined> {
    this.#requireOpen('find');
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.store.read(this.#statements.find(id));
    if (row === undefined) return undefined;
    const history = (await this.store.read(this.#statements.history(id))) as unknown as FailedAttempt[];
    return { ...withSent<Omit<StoredDelivery, 'history'>>(row), history };
  }

  async read(batch: Batch): ReturnType<Inbox['read']> {
    this.#requireOpen('read');
    const rows = await this.store.read(this.#statements.read(batch));
    const deliveries = rows.map((row) => withSent<Omit<StoredDelivery, 'history'>>(row));
    return { deliveries, next: deliveries.at(-1)?.id };
  }

  async change(batch: Batch, change: Change): Promise<BatchResult> {
    this.#requireOpen('change');
    const now = this.#now();
    const rows = await this.store.run(
      change.kind === 'replay'
        ? this.#statements.replay(batch, now)
        : this.#statements.discard(batch, storableText(change.reason)),
    );
    const ids = rows.map(({ id }) => id as number);
    if (change.kind === 'replay' && ids.length > 0) this.#isDueAt(now);
    return { changed: ids.length, next: ids.length === 0 ? undefined : Math.max(...ids) };
  }

  async setPaused(isPaused: boolean): Promise<void> {
    this.#requireOpen('setPaused');
    // No claim that begins from now on starts an attempt, nor does an arrival.
    if (isPaused) this.#isPaused = true;
    await this.store.run(this.#statements.setPaused(isPaused));
    this.#isPaused = isPaused;
  }

  async stats(): Promise<InboxStats> {
    this.#requireOpen('stats');
    const [counts, [retrying], [oldest], [handler], { onDisk }] = await Promise.all([
      this.count({}),
      this.store.read(this.#statements.retrying()),
      this.store.read(this.#statements.oldestWaiting()),
      this.store.read(this.#statements.isPaused()),
      this.store.size(),
    ]);
    const oldestWaitingAt = (oldest?.['receivedAt'] as number | undefined) ?? null;
    return {
      ...counts,
      oldestWaitingAt,
      retrying: retrying!['count'] as number,
      nextRetryAt: retrying!['nextAt'] as number | null,
      bytes: onDisk,
      isPaused: Boolean(handler?.['paused']),
    };
  }

  async removeExpired({ maxAge, maxBytes, maxEventAge }: Retention): Promise<number> {
    this.#requireOpen('removeExpired');
    const remove = async (statement: Statement): Promise<number> => (await this.store.run(statement)).length;
    const expired = await remove(this.#statements.removeExpired(Date.now() - maxAge));
    if (expired > 0) return expired;
    if (maxBytes !== undefined && (await this.store.size()).inUse > maxBytes) {
      const oldest = await remove(this.#statements.removeOldest());
      if (oldest > 0) return oldest;
    }
    return remove(this.#statements.removeEvents(Date.now() - maxEventAge));
  }

  async check(): Promise<void> {
    this.#requireOpen('check');
    await this.store.run(this.#statements.check(this.#now()));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    try {
      await this.#commits.idle();
      // What was interrupted, and has had no further attempt, is still so.
      await this.#releaseExcept(this.#interrupted.map(({ id }) => id));
    } catch {
      // Then it comes again, as after a crash.
    } finally {
      await this.store.close();
    }
  }

  /** Looks at what others have changed: takes over what was running when they ended. */
  async #look(): Promise<void> {
    const interrupted = await this.#takeOver();
    this.#interrupted.push(...(interrupted as unknown as Pick<Delivery, 'id' | 'attempts'>[]));
    // One that ends the process again must not keep the others from the handler.
    this.#interrupted.sort((one, other) => one.attempts - other.attempts || one.id - other.id);
    if (this.#lookedAt === -Infinity) await this.store.run(this.#statements.makeDue(this.#now()));
    const [handler] = await this.store.run(this.#statements.isPaused());
    this.#isPaused = Boolean(handler?.['paused']);
    this.#dueAt = -Infinity;
    this.#lookedAt = performance.now();
  }

  async #takeOver(): Promise<readonly Row[]> {
    try {
      return await this.store.run(this.#statements.takeOver(this.store.receiver));
    } catch (error) {
      this.#isUncertain = true;
      throw error;
    }
  }

  /** What a claim returns. If nothing else is due, the next arrivals fill it up. */
  #claimOf(deliveries: readonly Delivery[], limit: number): Claim {
    this.#wanted = limit - deliveries.length - this.#fresh.length;
    const now = this.#now();
    const dueIn = this.#isPaused ? Infinity : Math.max(0, this.#dueAt - now);
    const nextIn = Math.min(dueIn, this.store.lookInterval ?? Infinity);
    return { deliveries, nextIn: nextIn === Infinity ? undefined : nextIn };
  }

  #takeFresh(limit: number): Delivery[] {
    const taken = this.#fresh.splice(0, limit);
    for (const delivery of taken) this.#freshBytes -= sizeOf(delivery);
    return taken;
  }

  async #claimInterrupted(): Promise<Delivery | undefined> {
    const next = this.#interrupted[0];
    if (next === undefined) return undefined;
    const [row] = await this.store.run(this.#statements.running(this.store.receiver, next.id));
    this.#interrupted.shift();
    if (row === undefined) return undefined;
    const delivery = withSent<Delivery>(row);
    this.#alone = delivery.id;
    this.#claimed.set(delivery.id, delivery.claimedAt);
    return delivery;
  }

  async #claimDue(limit: number): Promise<readonly Delivery[]> {
    const now = this.#now();
    // Whatever waits from now on sets it again.
    this.#dueAt = Infinity;
    let rows;
    try {
      rows = await this.store.run(this.#statements.claim(this.store.receiver, now, limit));
    } catch (error) {
      this.#dueAt = -Infinity;
      this.#isUncertain = true;
      throw error;
    }
    const claimed = rows.map(({ dueAt, ...row }) => ({
      dueAt: dueAt as number,
      delivery: withSent<Delivery>(row),
    }));
    claimed.sort((one, other) => one.dueAt - other.dueAt || one.delivery.id - other.delivery.id);
    const deliveries = claimed.map(({ delivery }) => delivery);
    for (const { id, claimedAt } of deliveries) this.#claimed.set(id, claimedAt);
    this.#isDueAt(rows.length === limit ? now : await this.#nextDueAt());
    return deliveries;
  }

  /** When to claim again. If that can't be read, at once: what was claimed must be handed on. */
  async #nextDueAt(): Promise<number> {
    try {
      const [next] = await this.store.run(this.#statements.nextDue());
      return (next?.['dueAt'] as number | null | undefined) ?? Infinity;
    } catch {
      return -Infinity;
    }
  }

  /** Nothing is due before: a delivery waits. */
  #isDueAt(time: number): void {
    this.#dueAt = Math.min(this.#dueAt, time);
  }

  /** What a lost reply has claimed, nobody would settle. */
  async #releaseUnknown(): Promise<void> {
    // What a commit that is under way inserts as running is known once it has ended.
    await this.#writing?.catch(() => undefined);
    await this.#releaseExcept([...this.#claimed.keys(), ...this.#interrupted.map(({ id }) => id)]);
    this.#isUncertain = false;
    this.#dueAt = -Infinity;
  }

  async #releaseExcept(ids: readonly number[]): Promise<void> {
    await this.store.run(this.#statements.release(this.store.receiver, ids));
  }

  async #commit(writes: readonly Write[]): Promise<readonly (Stored | undefined | Error)[]> {
    const start = performance.now();
    const now = this.#now();
    const results = writes.filter(isResult);
    const arrivals = this.#arrivalsIn(writes, now);
    let outcome;
    try {
      this.#writing = this.store.write({ arrivals, results });
      outcome = await this.#writing;
    } catch (error) {
      this.#isUncertain = true;
      throw error;
    }
    const stored = outcome.arrivals.filter((one) => !(one instanceof Error)).length;
    if (stored > 0) this.observer.committed(stored, performance.now() - start);
    for (const [index, incoming] of writes.filter(isIncoming).entries())
      this.#remember(incoming, arrivals[index]!, outcome.arrivals[index]!);
    const ofArrivals = outcome.arrivals.values();
    const ofResults = outcome.results.values();
    return writes.map((write) => (isResult(write) ? ofResults : ofArrivals).next().value);
  }

  /** What arrived. As many as the handler can have at once are running, unless others come first. */
  #arrivalsIn(writes: readonly Write[], now: number): Arrival[] {
    const isNext =
      !(this.#isPaused || this.#isUncertain) &&
      this.#alone === undefined &&
      this.#interrupted.length === 0 &&
      this.#dueAt > now;
    const arrivals: Arrival[] = [];
    for (const write of writes.filter(isIncoming)) {
      const runs = isNext && this.#wanted > 0 && this.#freshBytes < MAX_FRESH_BYTES;
      if (runs) {
        this.#wanted -= 1;
        this.#freshBytes += sizeOf(write);
      }
      arrivals.push({ ...write, fields: JSON.stringify(write.fields), receivedAt: now, runs });
    }
    return arrivals;
  }

  #remember(
    incoming: IncomingDelivery,
    { receivedAt, runs }: Pick<Arrival, 'receivedAt' | 'runs'>,
    stored: Stored | Error,
  ): void {
    if (!(stored instanceof Error) && stored.runs) {
      this.#claimed.set(stored.id, receivedAt);
      this.#fresh.push({ ...incoming, id: stored.id, receivedAt, attempts: 1, claimedAt: receivedAt });
      return;
    }
    if (runs) this.#freshBytes -= sizeOf(incoming);
    this.#isDueAt(receivedAt);
  }

  #resultRow(claimed: Claimed, result: AttemptResult, startedAt: number): ResultRow {
    const { id, attempts, claimedAt } = claimed;
    const now = this.#now();
    const row = (next: Partial<ResultRow['next']> & Pick<ResultRow['next'], 'state'>): ResultRow => ({
      ...{ id, attempts, claimedAt, failed: undefined },
      next: {
        attempts,
        dueAt: null,
        startedAt,
        endedAt: Math.max(now, startedAt),
        error: null,
        errorGroup: null,
        ...next,
      },
    });
    switch (result.kind) {
      case 'handled':
        return row({ state: 'handled' });
      case 'released':
        return row({ state: 'waiting', attempts: attempts - 1, startedAt: null, endedAt: null });
      default: {
        const error = storableText(result.error);
        const failure = { error, errorGroup: errorGroupOf(error) };
        const failed: FailedAttempt = {
          number: attempts,
          startedAt,
          duration: result.kind === 'interrupted' ? null : Math.max(0, now - startedAt),
          receiver: this.store.receiver,
          error,
          stack: result.stack === null ? null : storableText(result.stack, MAX_STACK),
        };
        if (result.kind === 'parked') return { ...row({ state: 'parked', ...failure }), failed };
        if (result.kind === 'failed')
          return {
            ...row({ state: 'waiting', dueAt: now + Math.ceil(result.retryAfter), ...failure }),
            failed,
          };
        const next = {
          state: 'running',
          attempts: attempts + 1,
          startedAt: claimedAt,
          endedAt: null,
        } as const;
        return { ...row({ ...next, ...failure }), failed };
      }
    }
  }

  /** By the clock as it was when the inbox was opened. It never goes back. */
  #now(): number {
    return Math.round(this.#clockOffset + performance.now());
  }

  #requireOpen(operation: string): void {
    if (this.#closed !== undefined)
      throw new ReceiverError(
        'INBOX_CLOSED',
        `The inbox at ${this.location} is closed, so "${operation}" cannot be done. Call it before close, or open the inbox again.`,
      );
  }
}

const isResult = (write: Write): write is ResultRow => 'next' in write;

const isIncoming = (write: Write): write is IncomingDelivery => !isResult(write);

/** What a delivery takes in memory and in a batch, in bytes. */
function sizeOf({ content, fields }: Pick<IncomingDelivery, 'content' | 'fields'>): number {
  let size = content.length;
  for (const [name, value] of fields) size += name.length + value.length;
  return size;
}

/** A row with what was sent. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- The columns are known by the statement.
function withSent<Parsed extends Pick<IncomingDelivery, 'fields' | 'content'>>(row: Row): Parsed {
  const fields = JSON.parse(row['fields'] as string) as Parsed['fields'];
  const content: Parsed['content'] = Buffer.from(row['content'] as ArrayBuffer);
  return { ...row, fields, content } as Parsed;
}
