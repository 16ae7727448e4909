import { randomUUID } from 'node:crypto';

import type { Logger } from 'pino';
import type { Delivery } from '@plant-store/handler';

import { CLOCK, type Clock } from '../clock.js';
import type { Counters } from '../counters.js';
import type { ReceiverError } from '../errors.js';
import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import {
  type AttemptResult,
  type Claimed,
  type IncomingDelivery,
  isEventId,
  type KeyedDelivery,
  type RetryPolicy,
  storableText,
} from './delivery.js';
import { errorGroupOf } from '../logging/error-group.js';
import { Acts } from './acts.js';
import type { Act, ActKind, Origin, Retention, StoredAct } from './inbox-operations.js';
import { Removal } from './retention.js';
import { SqlOperations } from './sql-operations.js';
import { type CycleOutcome, isOfOnePart, type Result, type Row, type Store } from './store.js';

/** So many arrivals begin a cycle. Fewer begin it at the end of the turn of the event loop. */
const POST_AT = 32;

/** Most content in one cycle, in bytes, if it is of more than one delivery. */
const MAX_BYTES = 8 * 1_048_576;

/** How long to wait after a cycle that failed, in milliseconds. */
const RETRY_INTERVAL = 250;

/** How often to look for what was running in receivers that have ended, and for what a clock has dated wrong, in milliseconds. */
const ADOPT_INTERVAL = 5_000;

/** How long to wait with a result that can't be stored, in milliseconds: who has its row locked delays everything by 20 s. */
const LOCKED_INTERVAL = 60_000;

/** How long a probe, or an arrival that is stored, shows that others can be, in milliseconds. */
const PROBE_INTERVAL = 5_000;

/** An arrival that nobody sees. */
const PROBE: Omit<KeyedDelivery, 'eventId'> = {
  key: randomUUID(),
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  fields: [],
  // So much that both databases need room for it.
  content: Buffer.alloc(4_096),
};

/** Longest timer, in milliseconds. */
const MAX_WAIT = 3_600_000;

/** Longest stack that is stored, in UTF-16 code units. */
const MAX_STACK = 8_000;

const NOBODY: Origin = { operator: null, source: null, reason: null };

/** What the log says of an act that is over. */
const DONE: Readonly<Record<ActKind, string>> = {
  replay: 'an operator replayed deliveries',
  discard: 'an operator discarded deliveries',
  pause: 'an operator paused the handler',
  resume: 'an operator resumed the handler',
};

/**
 * - `running`: a cycle begins when something arrives, has ended, or is due.
 * - `backing off`: a cycle failed, and nobody knows what it did. The next one begins when what it may have claimed is
 *   released.
 * - `draining`: nothing begins to run. Results and the last arrivals are stored, or fail.
 * - `closed`: the store is closed, and whatever is called rejects with `INBOX_CLOSED`.
 */
type Mode = 'running' | 'backing off' | 'draining' | 'closed';

/** Where deliveries go that run. */
export interface Consumer {
  /**
   * Called in a turn of the event loop of its own: a handler may block, so the responses to what was stored go out before.
   *
   * @param isStarved more was due than there was room for
   */
  take(deliveries: readonly Delivery[], isStarved: boolean): void;
  /** Called after a pause: settles as released whatever has not begun. */
  release(): void;
}

/** What is told of an inbox, and to whom. */
export interface InboxListeners {
  readonly counters: Pick<Counters, 'committed'>;
  readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>;
}

/** A delivery that waits for its commit. */
interface Arrival {
  readonly delivery: KeyedDelivery;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/** What goes into one cycle. */
interface Batch {
  readonly arrivals: readonly Arrival[];
  readonly results: readonly Result[];
}

/** Injection token of the {@link Inbox}. */
export const INBOX = Symbol('Inbox');

/**
 * Stores deliveries from their acknowledgement until they are handled, and after. Each is one row with its state.
 *
 * It runs cycles. What is in memory is only what the database can't know: the requests that wait for their commit, the
 * results that aren't stored, and what this process runs. The embedded and the shared inbox pass one suite,
 * test/inbox.suite.ts.
 */
export class Inbox extends SqlOperations {
  readonly acts: Acts;
  #mode: Mode = 'running';
  #arrivals: Arrival[] = [];
  #results: Result[] = [];
  /** Runs here: claimed, and its result isn't stored. When its attempt began, by its id. */
  readonly #running = new Map<number, number>();
  /** Cycles under way. */
  #cycles = 0;
  /** When to look for what is due, by the monotonic clock. */
  #lookAt = -Infinity;
  #isWaking = false;
  #timer: unknown;
  #adopting: unknown;
  #consumer: Consumer | undefined;
  #longestWait = MAX_WAIT;
  /** The write-ahead log may have what was deleted. */
  #logHasDeleted = false;
  #onIdle: (() => void)[] = [];
  #closing: Promise<void> | undefined;
  /** By the monotonic clock. */
  #checkedUntil = -Infinity;
  #acceptedUntil = -Infinity;
  readonly #removal: Removal;
  readonly #logFailure: WriteLine;

  constructor(
    store: Store,
    private readonly listeners: InboxListeners,
    private readonly clock: Clock = CLOCK,
  ) {
    super(store);
    this.#removal = new Removal(store, clock);
    this.#logFailure = throttledLog((fields) =>
      listeners.logger.error(fields, 'failed to claim deliveries or to store their results'),
    );
    const logFailure = throttledLog((fields) =>
      listeners.logger.error(fields, 'failed to carry out an act of an operator'),
    );
    this.acts = new Acts(store, clock, {
      count: (filter) => this.count(filter),
      changed: (kind) => {
        if (kind === 'discard') this.#logHasDeleted = true;
        this.#look();
      },
      over: (act) => this.#actIsOver(act),
      failed: (err) => logFailure({ err }),
    });
  }

  /** See `Store.open`. */
  open(): Promise<void> {
    return this.store.open();
  }

  /**
   * Resolves with the delivery's id once the delivery is durable, and not before. If the event has a delivery here
   * already, nothing is stored, whatever the content: it resolves with the id of the first one, once that is durable.
   *
   * @param key of a delivery that was accepted before, see {@link KeyedDelivery}; by default a new one
   * @throws ReceiverError `INBOX_WRITE_FAILED`; the delivery isn't stored, or the reply that says so was lost
   * @throws TypeError if the event's identifier can't be stored
   */
  accept(delivery: IncomingDelivery, key: string = randomUUID()): Promise<number> {
    if (delivery.eventId !== null && !isEventId(delivery.eventId))
      return Promise.reject(
        new TypeError("The event's identifier contains U+0000 or half of a surrogate pair."),
      );
    return new Promise((resolve, reject) => {
      this.#arrivals.push({ delivery: { key, ...delivery }, resolve, reject });
      if (this.#arrivals.length >= POST_AT) this.#post();
      else this.#wake();
    });
  }

  /**
   * Begins to hand deliveries to a consumer, as many as {@link grant} allows. What was running in receivers that have
   * ended comes again. Nobody else gets what is handed on until it is settled.
   */
  begin(consumer: Consumer, policy: RetryPolicy): void {
    this.#consumer = consumer;
    this.#longestWait = policy.maxBackoff;
    void this.#adoptOrphans(policy);
    this.#look();
  }

  /** Lets so many more deliveries run. With less than 0, so many fewer. */
  grant(places: number): void {
    if (this.#isEnding) return;
    this.store.room.add(places);
    if (this.#lookAt <= this.clock.now()) this.#wake();
  }

  /**
   * Stores what became of an attempt. It is kept until it is stored: a full disk must not cause a delivery to be handled
   * again. If the delivery was lost meanwhile, to another receiver or an operator, it changes nothing.
   */
  settle({ id, startedAt }: Claimed, result: AttemptResult): void {
    this.#results.push(resultOf(id, startedAt, result));
    this.#wake();
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

  async #actIsOver({ id, kind, operator, source, reason, filter, changed }: StoredAct): Promise<void> {
    if (kind === 'discard') await this.forgetDeleted();
    this.listeners.logger.info(
      { act: id, ...(filter !== null && { filter, changed }), operator, source, reason },
      DONE[kind],
    );
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

  /** While the handler is paused, no attempt starts, also after a restart. Deliveries are accepted. */
  async setPaused(isPaused: boolean, origin: Origin = NOBODY): Promise<Act> {
    const act = await this.acts.setPaused(isPaused, origin);
    if (isPaused) {
      // What was claimed before is handed on in a turn of its own.
      await new Promise<void>((resolve) => this.clock.setImmediate(resolve));
      this.#consumer?.release();
    }
    this.#look();
    return act;
  }

  /**
   * Resolves if a delivery could be accepted now, as one was that is stored and undone, and if all is there that this
   * version needs. For some seconds it believes what it saw, until an arrival is refused.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`, `INBOX_DAMAGED`, `INBOX_UNUSABLE`
   */
  async probe(): Promise<void> {
    const now = this.clock.now();
    if (now < this.#checkedUntil) return;
    await this.store.check();
    if (now >= this.#acceptedUntil)
      await this.store.probe({ ...PROBE, eventId: `probe of ${this.store.receiver}` });
    this.#checkedUntil = now + PROBE_INTERVAL;
  }

  /** Lets nothing more run. Resolves when what was given is stored, or can't be. May be called again. */
  async drain(): Promise<void> {
    if (!this.#isEnding) this.#enter('draining');
    this.store.room.close();
    this.clock.clearTimeout(this.#adopting);
    this.#lookIn();
    this.#post();
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await this.acts.stop();
  }

  /**
   * Stores what is under way, releases what still runs here, and closes the store. May be called again. Whatever else is
   * called from then on rejects with the ReceiverError `INBOX_CLOSED`.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.drain();
    this.#enter('closed');
    this.#checkedUntil = -Infinity;
    this.clock.clearTimeout(this.#timer);
    // Without it, it comes again as after a crash.
    await this.#releaseLost([]).catch(() => undefined);
    await this.store.close();
  }

  get #isEnding(): boolean {
    return this.#mode === 'draining' || this.#mode === 'closed';
  }

  /** Every change of the mode. Each mode may follow those that are named here, and no other. */
  #enter(next: Mode): void {
    const before: Record<Mode, readonly Mode[]> = {
      running: ['backing off'],
      'backing off': ['running'],
      draining: ['running', 'backing off'],
      closed: ['draining'],
    };
    if (!before[next].includes(this.#mode))
      throw new Error(`The inbox can't go from "${this.#mode}" to "${next}".`);
    this.#mode = next;
  }

  /** Looks for what is due in the next cycle. */
  #look(): void {
    this.#lookAt = -Infinity;
    this.#wake();
  }

  /** Begins a cycle at the end of this turn of the event loop. */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    this.clock.setImmediate(() => {
      this.#isWaking = false;
      this.#post();
    });
  }

  #post(): void {
    while (this.#mayPost()) void this.#cycle(this.#takeBatch());
  }

  #mayPost(): boolean {
    if (this.#mode === 'backing off' || this.#cycles >= this.store.maxCycles) return false;
    if (this.#arrivals.length + this.#results.length > 0) return true;
    if (this.#mode === 'closed') return false;
    return this.#lookAt === -Infinity || (this.#lookAt <= this.clock.now() && this.store.room.free > 0);
  }

  #takeBatch(): Batch {
    let bytes = 0;
    const end = this.#arrivals.findIndex(({ delivery }) => (bytes += delivery.content.length) > MAX_BYTES);
    const arrivals = end === -1 ? this.#arrivals.splice(0) : this.#arrivals.splice(0, Math.max(1, end));
    return { arrivals, results: this.#results.splice(0) };
  }

  async #cycle(batch: Batch): Promise<void> {
    const start = this.clock.now();
    this.#lookAt = Infinity;
    this.#cycles += 1;
    let outcome: CycleOutcome | undefined;
    let failure: unknown;
    try {
      outcome = await this.store.cycle({
        arrivals: batch.arrivals.map(({ delivery }) => delivery),
        results: batch.results,
        longestWait: this.#longestWait,
      });
    } catch (error) {
      failure = error;
    }
    this.#cycles -= 1;
    if (outcome !== undefined) this.#committed(batch, outcome, this.clock.now() - start);
    else if (isOfOnePart(failure) && batch.arrivals.length + batch.results.length > 1) this.#splitUp(batch);
    else this.#failed(batch, failure);
    this.#post();
    if (this.#isIdle()) this.#onIdle.splice(0).forEach((resolve) => resolve());
  }

  #committed({ arrivals, results }: Batch, outcome: CycleOutcome, duration: number): void {
    const { at, stored, claimed, nextDueIn, isStarved } = outcome;
    if (arrivals.length > 0) {
      this.listeners.counters.committed(arrivals.length, duration);
      this.#acceptedUntil = this.clock.now() + PROBE_INTERVAL;
    }
    for (const [, id, startedAt] of results)
      if (this.#running.get(id) === startedAt) this.#running.delete(id);
    const taken = [...claimed];
    for (const [index, { delivery, resolve }] of arrivals.entries()) {
      const { id, runs } = stored[index]!;
      // The spread is the last: behind it, each property would cost a microsecond.
      if (runs) taken.push({ id, receivedAt: at, attempts: 1, startedAt: at, ...delivery });
      resolve(id);
    }
    for (const { id, startedAt } of taken) this.#running.set(id, startedAt);
    if (taken.length > 0 || isStarved) this.clock.setImmediate(() => this.#consumer?.take(taken, isStarved));
    this.#lookIn(nextDueIn);
  }

  /** Sets the time of the next look. What is due waits until there is room. A lease is extended to the end. */
  #lookIn(milliseconds = Infinity): void {
    this.#lookAt = this.clock.now() + milliseconds;
    // Its timer is that of the recovery, which looks afterwards.
    if (this.#mode === 'backing off') return;
    this.clock.clearTimeout(this.#timer);
    const isAwaited = this.#mode === 'running' && (milliseconds > 0 || this.store.room.free > 0);
    const wait = Math.min(isAwaited ? milliseconds : Infinity, this.store.pollInterval ?? Infinity);
    if (wait === Infinity || this.#mode === 'closed') return;
    this.#timer = this.clock.setTimeout(() => this.#look(), Math.min(Math.max(1, wait), MAX_WAIT));
  }

  /** One part can't be stored, and nothing was: each goes alone. */
  #splitUp({ arrivals, results }: Batch): void {
    for (const arrival of arrivals) void this.#cycle({ arrivals: [arrival], results: [] });
    for (const result of results) void this.#cycle({ arrivals: [], results: [result] });
  }

  #failed({ arrivals, results }: Batch, error: unknown): void {
    this.#lookAt = -Infinity;
    if (arrivals.length > 0) this.#checkedUntil = this.#acceptedUntil = -Infinity;
    for (const { reject } of arrivals) reject(error);
    // Whoever sent an arrival is told.
    if (results.length > 0 || arrivals.length === 0)
      this.#logFailure({ err: error, results: results.length });
    // What it would have changed comes again after a restart.
    if (this.#isEnding) return this.#lookIn();
    if (!isOfOnePart(error)) {
      this.#storeAgain(results);
      if (this.#mode === 'running') this.#backOff();
    } else if (results.length > 0) {
      this.clock.setTimeout(() => this.#storeAgain(results), LOCKED_INTERVAL);
    }
  }

  #storeAgain(results: readonly Result[]): void {
    this.#results.unshift(...results);
    this.#wake();
  }

  #backOff(): void {
    this.#enter('backing off');
    this.#tryAgain();
  }

  #tryAgain(): void {
    this.clock.clearTimeout(this.#timer);
    this.#timer = this.clock.setTimeout(() => void this.#recover(), RETRY_INTERVAL);
  }

  /** Releases what a cycle that failed may have claimed. If that fails, so do those that wait meanwhile. */
  async #recover(): Promise<void> {
    if (this.#cycles > 0) return this.#tryAgain();
    try {
      await this.#releaseLost(this.#running);
    } catch (error) {
      for (const { reject } of this.#arrivals.splice(0)) reject(error);
      if (this.#mode === 'backing off') this.#tryAgain();
      return;
    }
    if (this.#mode !== 'backing off') return;
    this.#enter('running');
    this.#look();
  }

  async #releaseLost(except: Iterable<readonly [id: number, startedAt: number]>): Promise<void> {
    await this.store.run(this.transitions.releaseLost(this.store.receiver, except));
  }

  /**
   * Adopts what was running in receivers that have ended, and their acts, and heals what a clock has dated wrong: at once,
   * and again.
   */
  async #adoptOrphans(policy: RetryPolicy): Promise<void> {
    let wait = ADOPT_INTERVAL;
    try {
      const orphans = await this.store.run(...this.transitions.adopt(this.store.receiver, policy));
      if (orphans.length > 0) this.#tellOfOrphans(orphans);
      const late = await this.store.run(this.transitions.makeDue());
      if (late.length > 0) this.#look();
      this.acts.goOn();
    } catch (error) {
      if ((error as Partial<ReceiverError>).code === 'INBOX_CLOSED') return;
      wait = RETRY_INTERVAL;
    }
    if (this.#isEnding) return;
    this.#adopting = this.clock.setTimeout(() => void this.#adoptOrphans(policy), wait);
  }

  #tellOfOrphans(orphans: readonly Row[]): void {
    const parked = orphans.filter(({ state }) => state === 'parked').map(({ id }) => id as number);
    this.listeners.logger.warn(
      { orphaned: orphans.length, ...(parked.length > 0 && { parked: parked.slice(0, 20) }) },
      'a process ended during attempts; their deliveries come again, or are parked after the last one',
    );
    this.#look();
  }

  #isIdle(): boolean {
    return this.#cycles + this.#arrivals.length + this.#results.length === 0;
  }
}

/** What a result stores: its transition and the values of that. */
function resultOf(id: number, startedAt: number, result: AttemptResult): Result {
  if (!('error' in result)) return [result.kind === 'handled' ? 'complete' : 'release', id, startedAt];
  const error = storableText(result.error);
  const stack = result.stack === null ? null : storableText(result.stack, MAX_STACK);
  const failure = [error, errorGroupOf(error), stack, Math.round(result.duration)] as const;
  return result.kind === 'parked'
    ? ['park', id, startedAt, ...failure]
    : ['retry', id, startedAt, ...failure, Math.ceil(result.retryAfter)];
}
