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
  type KeyedDelivery,
  requireStorable,
  type RetryPolicy,
  storableText,
} from './delivery.js';
import { errorGroupOf } from '../logging/error-group.js';
import { type OperatedInbox, Operations } from './operations.js';
import type { CycleOutcome, HeldLease, Result, Row, Store } from './store.js';
import { type Transitions, transitionsFor } from './transitions.js';

/** So many arrivals begin a cycle. Fewer begin it at the end of the turn of the event loop. */
const POST_AT = 32;

/** Most content in one cycle, in bytes, if it is of more than one delivery. */
const MAX_BYTES = 8 * 1_048_576;

/** How long to wait after a cycle that failed, in milliseconds. */
const RETRY_INTERVAL = 250;

/** How often to adopt what was running in receivers that have ended, and to heal what a clock has dated wrong, in milliseconds. */
const HEAL_INTERVAL = 5_000;

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

/** A delivery that runs here: when its attempt began, and the lease by which it was claimed. */
interface Running {
  readonly startedAt: number;
  readonly lease: HeldLease;
}

/** What is due next, as a cycle has left it. Times are by the monotonic clock. */
interface NextDue {
  readonly endedAt: number;
  readonly pollAt: number;
}

/** A delivery that waits for its commit. */
interface Arrival {
  readonly delivery: KeyedDelivery;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
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
export class Inbox implements OperatedInbox {
  /** What operators do with it. */
  readonly operations: Operations;
  readonly #transitions: Transitions;
  #mode: Mode = 'running';
  #arrivals: Arrival[] = [];
  #results: Result[] = [];
  /** Results whose rows somebody has locked. */
  #locked: Result[] = [];
  /** Runs here: claimed, and its result isn't stored. By its id. */
  readonly #running = new Map<number, Running>();
  readonly #underWay = new Set<Promise<void>>();
  /** When to claim what is due, by the monotonic clock. */
  #pollAt = -Infinity;
  #nextDue: readonly NextDue[] = [];
  #isWaking = false;
  #timer: unknown;
  #healing: unknown;
  #consumer: Consumer | undefined;
  #onIdle: (() => void)[] = [];
  #closing: Promise<void> | undefined;
  /** By the monotonic clock. */
  #checkedUntil = -Infinity;
  #acceptedUntil = -Infinity;
  readonly #logFailure: WriteLine;

  constructor(
    private readonly store: Store,
    private readonly listeners: InboxListeners,
    private readonly clock: Clock = CLOCK,
  ) {
    this.#transitions = transitionsFor(store.dialect);
    this.operations = new Operations(store, this, listeners.logger, clock);
    this.#logFailure = throttledLog((fields) =>
      listeners.logger.error(fields, 'failed to claim deliveries or to store their results'),
    );
  }

  /** Where it is, for people. It has no credentials. */
  get location(): string {
    return this.store.location;
  }

  /** Names this process among those that share the inbox. */
  get receiver(): string {
    return this.store.receiver;
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
   * @throws TypeError if a text can't be stored
   */
  accept(incoming: IncomingDelivery, key: string = randomUUID()): Promise<number> {
    return new Promise((resolve, reject) => {
      const delivery = { key, ...incoming };
      requireStorable(delivery);
      this.#arrivals.push({ delivery, resolve, reject });
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
    void this.#heal(policy, true);
    this.poll();
  }

  /** Lets so many more deliveries run. With less than 0, so many fewer. */
  grant(places: number): void {
    if (this.#isEnding) return;
    this.store.room.add(places);
    if (this.#pollAt <= this.clock.now()) this.#wake();
  }

  /** Whether an attempt may begin. A receiver that stood still may have lost what it has claimed to another one. */
  mayBegin({ id, startedAt }: Claimed): boolean {
    const running = this.#running.get(id);
    return running?.startedAt === startedAt && running.lease.isHeld();
  }

  /**
   * Stores what became of an attempt. It is kept until it is stored: a full disk must not cause a delivery to be handled
   * again. If the delivery was lost meanwhile, to another receiver or an operator, it changes nothing.
   */
  settle({ id, startedAt }: Claimed, result: AttemptResult): void {
    this.#results.push(resultOf(id, startedAt, result));
    this.#wake();
  }

  poll(): void {
    this.#pollAt = -Infinity;
    this.#wake();
  }

  /** Resolves when the cycles that are under way have ended. */
  async untilCommitted(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async hold(): Promise<void> {
    await this.untilCommitted();
    // What was claimed before is handed on in a turn of its own.
    await new Promise<void>((resolve) => this.clock.setImmediate(resolve));
    this.#consumer?.release();
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
      await this.store.probeWrite({ ...PROBE, eventId: `probe of ${this.store.receiver}` });
    this.#checkedUntil = now + PROBE_INTERVAL;
  }

  /** Lets nothing more run. Resolves when what was given is stored, or can't be. May be called again. */
  async drain(): Promise<void> {
    if (!this.#isEnding) this.#enter('draining');
    this.store.room.close();
    this.clock.clearTimeout(this.#healing);
    this.#pollIn();
    this.#post();
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await this.operations.acts.stop();
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
    while (this.#mayPost()) {
      const cycle = this.#cycle(this.#takeArrivals(), this.#results.splice(0)).finally(() => {
        this.#underWay.delete(cycle);
        this.#post();
        if (this.#isIdle()) this.#onIdle.splice(0).forEach((resolve) => resolve());
      });
      this.#underWay.add(cycle);
    }
  }

  #mayPost(): boolean {
    if (this.#mode === 'backing off' || this.#underWay.size >= this.store.maxCycles) return false;
    if (this.#arrivals.length + this.#results.length > 0) return true;
    if (this.#mode === 'closed') return false;
    return this.#pollAt === -Infinity || (this.#isDue && this.store.room.free > 0);
  }

  get #isDue(): boolean {
    return this.#pollAt <= this.clock.now();
  }

  #takeArrivals(): Arrival[] {
    let bytes = 0;
    const end = this.#arrivals.findIndex(({ delivery }) => (bytes += delivery.content.length) > MAX_BYTES);
    return this.#arrivals.splice(0, end === -1 ? Infinity : Math.max(1, end));
  }

  async #cycle(arrivals: readonly Arrival[], results: readonly Result[]): Promise<void> {
    const begunAt = this.clock.now();
    const polls = this.#isDue;
    this.#pollAt = Infinity;
    try {
      const deliveries = arrivals.map(({ delivery }) => delivery);
      const outcome = await this.store.cycle({ arrivals: deliveries, results, polls });
      this.#committed(arrivals, results, outcome, this.clock.now() - begunAt);
      this.#pollAsDue(begunAt, outcome.nextDueIn);
    } catch (error) {
      this.#failed(arrivals, results, error);
    }
  }

  #committed(
    arrivals: readonly Arrival[],
    results: readonly Result[],
    outcome: CycleOutcome,
    duration: number,
  ): void {
    const { at, locked, stored, claimed, isStarved, lease } = outcome;
    if (arrivals.length > 0) {
      this.listeners.counters.committed(arrivals.length, duration);
      this.#acceptedUntil = this.clock.now() + PROBE_INTERVAL;
    }
    const applied = locked.length === 0 ? results : results.filter((result) => !locked.includes(result));
    for (const [, id, startedAt] of applied)
      if (this.#running.get(id)?.startedAt === startedAt) this.#running.delete(id);
    if (locked.length > 0) this.#storeLater(locked);
    const taken = [...claimed];
    for (const [index, { delivery, resolve }] of arrivals.entries()) {
      const { id, runs } = stored[index]!;
      // The spread is the last: behind it, each property would cost a microsecond.
      if (runs) taken.push({ id, receivedAt: at, attempts: 1, startedAt: at, ...delivery });
      resolve(id);
    }
    for (const { id, startedAt } of taken) this.#running.set(id, { startedAt, lease });
    if (taken.length > 0 || isStarved) this.clock.setImmediate(() => this.#consumer?.take(taken, isStarved));
  }

  /** Results whose rows were locked go into a cycle again, but make none at once: the lock may last. */
  #storeLater(locked: readonly Result[]): void {
    if (this.#locked.length === 0)
      this.clock.setTimeout(() => {
        this.#results.unshift(...this.#locked.splice(0));
        this.#wake();
      }, RETRY_INTERVAL);
    this.#locked.push(...locked);
  }

  /** A cycle that began before another one had ended doesn't see what that has left. */
  #pollAsDue(begunAt: number, nextDueIn = Infinity): void {
    const endedAt = this.clock.now();
    const others = this.store.pollInterval === undefined ? [] : this.#nextDue;
    this.#nextDue = [
      ...others.filter((other) => other.endedAt > begunAt),
      { endedAt, pollAt: endedAt + nextDueIn },
    ];
    // Somebody may have asked meanwhile for what the cycle didn't see.
    if (this.#pollAt !== -Infinity)
      this.#pollIn(Math.min(...this.#nextDue.map(({ pollAt }) => pollAt)) - endedAt);
  }

  /** Sets when to poll next. What is due waits until there is room. A shared inbox is polled to the end. */
  #pollIn(milliseconds = Infinity): void {
    this.#pollAt = this.clock.now() + milliseconds;
    // Its timer is that of the recovery, which polls afterwards.
    if (this.#mode === 'backing off') return;
    this.clock.clearTimeout(this.#timer);
    const isAwaited = this.#mode === 'running' && (milliseconds > 0 || this.store.room.free > 0);
    const wait = Math.min(isAwaited ? milliseconds : Infinity, this.store.pollInterval ?? Infinity);
    if (wait === Infinity || this.#mode === 'closed') return;
    this.#timer = this.clock.setTimeout(() => this.poll(), Math.min(Math.max(1, wait), MAX_WAIT));
  }

  #failed(arrivals: readonly Arrival[], results: readonly Result[], error: unknown): void {
    this.#pollAt = -Infinity;
    if (arrivals.length > 0) this.#checkedUntil = this.#acceptedUntil = -Infinity;
    for (const { reject } of arrivals) reject(error);
    // Whoever sent an arrival is told.
    if (results.length > 0 || arrivals.length === 0)
      this.#logFailure({ err: error, results: results.length });
    // What it would have changed comes again after a restart.
    if (this.#isEnding) return this.#pollIn();
    this.#results.unshift(...results);
    if (this.#mode === 'backing off') return;
    this.#enter('backing off');
    this.#tryAgain();
  }

  #tryAgain(): void {
    this.clock.clearTimeout(this.#timer);
    this.#timer = this.clock.setTimeout(() => void this.#recover(), RETRY_INTERVAL);
  }

  /** Releases what a cycle that failed may have claimed. If that fails, so do those that wait meanwhile. */
  async #recover(): Promise<void> {
    if (this.#underWay.size > 0) return this.#tryAgain();
    try {
      await this.#releaseLost(this.#running);
    } catch (error) {
      for (const { reject } of this.#arrivals.splice(0)) reject(error);
      if (this.#mode === 'backing off') this.#tryAgain();
      return;
    }
    if (this.#mode !== 'backing off') return;
    this.#enter('running');
    this.poll();
  }

  async #releaseLost(
    except: Iterable<readonly [id: number, attempt: Pick<Running, 'startedAt'>]>,
  ): Promise<void> {
    await this.store.run(this.#transitions.releaseLost(this.store.receiver, except));
  }

  /**
   * Adopts what was running in receivers that have ended, and their acts, and makes due what a clock that was wrong has dated
   * too far into the future: at once, and again every few seconds. Who has the inbox alone adopts only at the start.
   */
  async #heal(policy: RetryPolicy, adopts: boolean): Promise<void> {
    let wait = HEAL_INTERVAL;
    let adoptsNext = this.store.pollInterval !== undefined;
    try {
      if (adopts) {
        const orphans = await this.store.run(...this.#transitions.adopt(this.store.receiver, policy));
        if (orphans.length > 0) this.#tellOfOrphans(orphans);
      }
      await this.store.run(this.#transitions.makeDue(policy.maxBackoff));
      this.poll();
      this.operations.acts.goOn();
    } catch (error) {
      if ((error as Partial<ReceiverError>).code === 'INBOX_CLOSED') return;
      wait = RETRY_INTERVAL;
      adoptsNext = adopts;
    }
    if (this.#isEnding) return;
    this.#healing = this.clock.setTimeout(() => void this.#heal(policy, adoptsNext), wait);
  }

  #tellOfOrphans(orphans: readonly Row[]): void {
    const parked = orphans.filter(({ state }) => state === 'parked').map(({ id }) => id as number);
    this.listeners.logger.warn(
      { orphaned: orphans.length, ...(parked.length > 0 && { parked: parked.slice(0, 20) }) },
      'a process ended during attempts; their deliveries come again, or are parked after the last one',
    );
  }

  #isIdle(): boolean {
    return this.#underWay.size + this.#arrivals.length + this.#results.length + this.#locked.length === 0;
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
