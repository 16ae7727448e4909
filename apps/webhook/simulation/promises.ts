import type Database from 'libsql';

import type { Delivery } from '../src/inbox/delivery.js';
import { SUSPECT } from '../src/inbox/conditions.js';
import type { Plan } from './plan.js';
import type { Leases } from './shared-store.js';
import type { SimulatedReceiver } from './simulate.js';

/** How long the dispatcher may keep what it has no place for. */
const MAX_WAIT = 200;

/** Most deliveries that the dispatcher claims ahead. */
const MAX_AHEAD = 512;

/** Most cycles of a second that have nothing to do. */
const MAX_IDLE = 40;

/** States in which nothing more happens. */
const OVER = /handled|parked|discarded|deleted/;

/** A delivery that is stored: its row, and what is known of it. Times are virtual. */
interface Known {
  readonly key: string;
  state: string;
  attempts: number;
  interruptions: number;
  dueAt: number | null;
  receiver: string | null;
  /** When its state changed last. */
  since: number;
  /** The last attempt that was handed over, and when it ended. */
  lastAttempt: number;
  endedAt: number;
  runs: number;
  successes: number;
  failures: number;
}

/** A change of a row, as the database writes it down. */
type Change = [
  id: number,
  key: string,
  state: string,
  attempts: number,
  interruptions: number,
  dueAt: number | null,
  receiver: string | null,
];

/**
 * What the inbox promises, checked while it runs. The database writes each change of a delivery down, and so is nobody's
 * word for it.
 */
export class Promises {
  /** What was broken first. It is kept, because the dispatcher catches what a handler throws. */
  broken: Error | undefined;
  /** The last things that happened. */
  readonly journal: string[] = [];
  readonly #known = new Map<number, Known>();
  readonly #sent = new Map<string, { readonly at: number; readonly eventId: string | null }>();
  readonly #acknowledged = new Set<number>();
  /** Since when the handler is paused, and an operator knows. */
  pausedSince = Infinity;
  replays = 0;
  discards = 0;
  /** When the whole inbox changed: the handler went on, or the clock jumped. */
  changedAt = 0;
  readonly jumps: number[] = [];
  /** When a suspect last ran. */
  #suspectAt = 0;
  readonly #changes: Database.Statement;
  readonly #pauses: Database.Statement;

  constructor(
    private readonly plan: Plan,
    private readonly database: Database.Database,
    private readonly now: () => number,
    private readonly wall: () => number,
    private readonly receivers: ReadonlyMap<string, SimulatedReceiver>,
    private readonly leases: Leases,
  ) {
    const columns = 'id, media_type, state, attempts, interruptions, due_at, receiver';
    const values = (row: string): string => columns.replaceAll(/\w+/g, (column) => `${row}.${column}`);
    database.exec(`
      CREATE TEMP TABLE change (${columns});
      CREATE TEMP TRIGGER inserted AFTER INSERT ON delivery BEGIN INSERT INTO change VALUES (${values('new')}); END;
      CREATE TEMP TRIGGER updated AFTER UPDATE ON delivery BEGIN INSERT INTO change VALUES (${values('new')}); END;
      CREATE TEMP TRIGGER deleted AFTER DELETE ON delivery BEGIN
        INSERT INTO change VALUES (old.id, old.media_type, 'deleted', 0, 0, NULL, NULL); END;`);
    this.#changes = database.prepare('SELECT * FROM change').raw();
    this.#pauses = database.prepare('SELECT is_paused FROM inbox_state').raw();
  }

  note(text: string): void {
    this.journal.push(`${this.now()} ms: ${text}`);
  }

  break(text: string): never {
    this.broken ??= new Error(`At ${this.now()} ms: ${text}.`);
    throw this.broken;
  }

  get isPaused(): boolean {
    return (this.#pauses.all([]) as [[number]])[0][0] === 1;
  }

  /** Whether each delivery has come to its end. */
  get areOver(): boolean {
    return [...this.#known.values()].every(({ state }) => OVER.test(state));
  }

  sent(key: string, eventId: string | null): void {
    this.#sent.set(key, { at: this.now(), eventId });
  }

  acknowledged(key: string, id: number): void {
    this.note(`delivery ${key} is acknowledged as ${id}`);
    const known = this.#known.get(id);
    if (known === undefined) this.break(`delivery ${key} is acknowledged, and isn't stored`);
    const eventOf = (sent: string): string | null => this.#sent.get(sent)!.eventId;
    if (known.key !== key && (eventOf(key) === null || eventOf(key) !== eventOf(known.key)))
      this.break(`delivery ${key} is acknowledged with the id of delivery ${known.key}`);
    this.#acknowledged.add(id);
  }

  /**
   * A transaction is committed.
   *
   * @returns whether it changed deliveries
   */
  committed(): boolean {
    const changes = this.#changes.all([]) as Change[];
    if (changes.length === 0) return false;
    this.database.exec('DELETE FROM change');
    for (const [id, key, state, attempts, interruptions, dueAt, receiver] of changes) {
      const next = { state, attempts, interruptions, dueAt, receiver };
      this.note(`${id} is ${state}, attempts ${attempts}, ${interruptions} interruptions, ${receiver}`);
      const known = this.#known.get(id);
      if (known === undefined) {
        const more = {
          key,
          since: this.now(),
          lastAttempt: 0,
          endedAt: 0,
          runs: 0,
          successes: 0,
          failures: 0,
        };
        this.#known.set(id, { ...next, ...more });
        continue;
      }
      if (known.state !== state) this.#changed(id, known, next);
      Object.assign(known, next, { since: this.now() });
    }
    return true;
  }

  #changed(id: number, known: Known, next: Pick<Known, 'state' | 'attempts' | 'interruptions'>): void {
    const { limits, maxAge } = this.plan;
    const isReceiver = this.receivers.get(known.receiver ?? '');
    const hasEnded = isReceiver === undefined || !isReceiver.clock.isAlive || isReceiver.isStopping;
    const isLost = hasEnded || this.leases.expired.has(isReceiver.name);
    if (known.interruptions >= SUSPECT) this.#suspectAt = this.now();
    const change = `${known.state} → ${next.state}`;
    switch (change) {
      case 'waiting → running':
      case 'retrying → running':
        if (next.attempts > limits.maxAttempts) this.break(`${id} is claimed for attempt ${next.attempts}`);
        return;
      case 'running → handled':
        if (known.successes === 0) this.break(`${id} is handled, and no attempt has succeeded`);
        known.successes = 0;
        return;
      case 'running → waiting':
      case 'running → retrying':
      case 'running → parked':
        if (next.state === 'parked' && next.attempts < limits.maxAttempts)
          this.break(`${id} is parked after ${next.attempts} attempts`);
        if (next.interruptions > known.interruptions) {
          if (!isLost) this.break(`${id} is adopted, and ${known.receiver} is alive`);
        } else if (next.attempts < known.attempts) {
          if (known.lastAttempt === known.attempts && !isLost) this.break(`${id} is released, and runs`);
          known.lastAttempt = 0;
        } else if (known.failures === 0) this.break(`${id} is ${next.state}, and no attempt has failed`);
        else known.failures = 0;
        return;
      case 'handled → waiting':
      case 'parked → waiting':
      case 'retrying → waiting':
        if (this.replays === 0) this.break(`nobody has replayed ${id}`);
        known.lastAttempt = 0;
        return;
      case 'parked → discarded':
        if (this.discards === 0) this.break(`nobody has discarded ${id}`);
        return;
      case 'handled → deleted':
      case 'discarded → deleted':
        if (this.now() - known.since < maxAge! && !this.#startedAfterJump(known.since))
          this.break(`${id} is deleted after ${this.now() - known.since} ms`);
        return;
      default:
        this.break(`${id}: ${change}`);
    }
  }

  /** A receiver that starts while the clock is wrong believes it. */
  #startedAfterJump(since: number): boolean {
    return [...this.receivers.values()].some(({ startedAt }) =>
      this.jumps.some((jumpedAt) => since <= jumpedAt && jumpedAt <= startedAt),
    );
  }

  /**
   * The handler gets a delivery.
   *
   * @returns how often it got it, this time included
   */
  begun(receiver: SimulatedReceiver, { id, attempts, mediaType, content }: Delivery): number {
    const { limits, latency } = this.plan;
    const now = receiver.clock.now();
    this.note(`${receiver.name} begins attempt ${attempts} of ${id}`);
    const known = this.#known.get(id);
    if (known === undefined) this.break(`${id} is handed over, and isn't stored`);
    if (mediaType !== known.key || content.toString() !== known.key) this.break(`${id} isn't what was sent`);
    const isOurs =
      known.state === 'running' && known.attempts === attempts && known.receiver === receiver.name;
    if (!isOurs && !this.leases.expired.has(receiver.name))
      this.break(`${id} is handed over to ${receiver.name}, and is ${known.state} at ${known.receiver}`);
    if (isOurs && known.lastAttempt >= attempts) this.break(`attempt ${attempts} of ${id} begins again`);
    if (isOurs) Object.assign(known, { lastAttempt: attempts, successes: 0, failures: 0 });
    receiver.attempts.set(`${id}/${attempts}`, known);
    if (receiver.attempts.size > limits.concurrency) this.break(`${receiver.attempts.size} attempts run`);
    const suspects = [...receiver.attempts.values()].filter(({ interruptions }) => interruptions >= SUSPECT);
    if (suspects.length > 1) this.break(`${suspects.length} suspects run`);
    const pausedFor = now - this.pausedSince;
    if (this.#sent.get(known.key)!.at > this.pausedSince) this.break(`${id} came during the pause, and runs`);
    if (pausedFor > MAX_WAIT + 2 * latency + 50 && receiver.troubledAt < this.pausedSince)
      this.break(`${id} is handed over ${pausedFor} ms after the pause`);
    return (known.runs += 1);
  }

  /** An attempt has ended. */
  ended(receiver: SimulatedReceiver, { id, attempts }: Delivery, isHandled: boolean): void {
    this.note(`attempt ${attempts} of ${id} has ${isHandled ? 'succeeded' : 'failed'}`);
    if (receiver.attempts.size === this.plan.limits.concurrency) receiver.fullAt = this.now();
    receiver.attempts.delete(`${id}/${attempts}`);
    const known = this.#known.get(id)!;
    known.endedAt = receiver.clock.now();
    if (isHandled) known.successes += 1;
    else known.failures += 1;
  }

  /** A receiver has stopped in order. */
  stopped({ name }: SimulatedReceiver): void {
    for (const [id, { state, receiver }] of this.#known)
      if (state === 'running' && receiver === name)
        this.break(`${id} is running at ${name}, which has stopped`);
  }

  /** Nothing waits longer than it may, and no receiver works for nothing. */
  check(): void {
    const { receivers, limits, latency } = this.plan;
    const all = [...this.receivers.values()];
    const isWell = (receiver: SimulatedReceiver, since: number): boolean =>
      receiver.clock.isAlive && !receiver.isStopping && receiver.troubledAt < since;

    const bound = this.now() - (receivers > 1 ? 2_500 : 800);
    const free = all.find(
      (receiver) =>
        isWell(receiver, bound) && receiver.attempts.size < limits.concurrency && receiver.fullAt < bound,
    );
    const isFree = free !== undefined && this.changedAt < bound && !this.isPaused;
    const rows = [...this.#known];
    const mayRun = (interruptions: number): boolean =>
      interruptions < SUSPECT ||
      (this.#suspectAt < bound &&
        !rows.some(([, row]) => row.state === 'running' && row.interruptions >= SUSPECT));

    for (const [id, { state, dueAt, since, interruptions, attempts, receiver: name, endedAt }] of rows) {
      if (dueAt !== null && isFree && since < bound) {
        const isDue = dueAt < this.wall() - (this.now() - bound) || dueAt > this.wall() + limits.maxBackoff;
        if (isDue && mayRun(interruptions))
          this.break(`${id} is ${state} since ${since} ms, though ${free.name} has a place`);
      }
      if (state !== 'running') continue;
      const receiver = this.receivers.get(name!)!;
      const isAlive = receiver.clock.isAlive;
      const wait = this.now() - (isAlive || receivers === 1 ? MAX_WAIT + 4 * latency + 400 : 45_000);
      if (Math.max(since, endedAt, receiver.endedAt) > wait || receiver.attempts.has(`${id}/${attempts}`))
        continue;
      if (isAlive ? isWell(receiver, wait) : all.some((other) => isWell(other, wait)))
        this.break(`${id} is running at ${name} since ${since} ms, and no attempt is under way`);
    }
    for (const receiver of all) {
      if (receiver.idleCycles > MAX_IDLE)
        this.break(`${receiver.name} ran ${receiver.idleCycles} cycles for nothing`);
      receiver.idleCycles = 0;
    }
  }

  /** Everything has come to its end, and nothing is under way. */
  checkEnd(): void {
    const { concurrency } = this.plan.limits;
    for (const id of this.#acknowledged)
      if (!OVER.test(this.#known.get(id)!.state))
        this.break(`${id} is ${this.#known.get(id)!.state} at the end`);
    for (const { name, clock, store, dispatcher } of this.receivers.values()) {
      if (!clock.isAlive) continue;
      const ahead = store.room.free - concurrency;
      const doublings = Math.log2(ahead / concurrency);
      const isRight = ahead === 0 || ahead === MAX_AHEAD || (doublings >= 0 && Number.isInteger(doublings));
      if (dispatcher.running > 0 || !isRight) this.break(`${name} has room for ${store.room.free} at rest`);
    }
  }
}
