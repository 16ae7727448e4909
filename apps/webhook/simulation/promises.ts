import type Database from 'libsql';

import { SUSPECT } from '../src/inbox/conditions.js';
import type { Delivery } from '../src/inbox/delivery.js';
import type { Plan } from './plan.js';
import { MAX_REFUSED, type SimulatedStore } from './simulated-store.js';
import type { ProcessClock } from './virtual-time.js';

/** How long a delivery may wait for an attempt after it was claimed, and how many may. */
const MAX_WAIT = 200;
const MAX_AHEAD = 512;

/** The longest time between two looks for what has expired: a handler may block. */
const MAX_LOOK = 6_000;

/** Most cycles of a second that have nothing to do. */
const MAX_IDLE = 20;

/** The states of a delivery that come after each one. */
const CHANGES: Readonly<Record<string, RegExp>> = {
  waiting: /running/,
  retrying: /running|waiting/,
  running: /handled|retrying|parked|waiting/,
  handled: /waiting|deleted/,
  parked: /waiting|discarded/,
  discarded: /deleted/,
};

/** States in which a delivery stays. */
const OVER = /handled|parked|discarded|deleted/;

/** The row of a delivery, without times. */
interface Row {
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
  readonly interruptions: number;
  readonly dueAt: number | null;
  readonly receiver: string | null;
}

/** A delivery that is stored, and what is known of it. Times are virtual. */
interface Known {
  row: Row;
  /** When its row changed last, and when it was last handled or parked. */
  since: number;
  overAt: number;
  acknowledgedAt: number | undefined;
  /** How often the handler got it, as which attempt last, when that ended, and what became of it. */
  runs: number;
  attempt: number;
  endedAt: number;
  result: 'handled' | 'failed' | 'cut off' | undefined;
}

/** What is watched of a receiver, from its start to its end. Times are virtual. */
export interface Watched {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly store: SimulatedStore;
  readonly dispatcher: { readonly running: number };
  /** What the handler has. */
  readonly attempts: Map<string, { readonly interruptions: number }>;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isStopping: boolean;
  /** Until when its store failed or its handler blocked, and when it last had no place for an attempt. */
  readonly troubledAt: number;
  fullAt: number;
  /** Cycles of this second that had nothing to do. */
  idleCycles: number;
}

/**
 * What the inbox promises, checked while it runs. The database itself writes each change of a row down; nothing here
 * believes what the inbox says of it.
 */
export class Promises {
  /** What was broken first. It is kept, because the dispatcher catches what a handler throws. */
  broken: Error | undefined;
  /** What happened, a line each. */
  readonly journal: string[] = [];
  readonly known = new Map<number, Known>();
  /** Each start of a receiver, by its name. */
  readonly receivers = new Map<string, Watched>();
  /** Receivers that counted as dead while they were alive. */
  readonly lost = new Set<string>();
  /** When the clock jumped. */
  readonly jumps: number[] = [];
  /** Since when an operator knows that the handler is paused. */
  pausedAt = Infinity;
  /** What operators have done. */
  readonly done = new Set<'replay' | 'discard'>();
  readonly #sent = new Map<string, { readonly at: number; readonly eventId: string | null }>();
  #suspectAt = 0;
  /** When somebody last saw the handler paused. */
  #seenPausedAt = 0;
  #wasPaused = false;
  readonly #changes: Database.Statement;
  readonly #forget: Database.Statement;
  readonly #pauses: Database.Statement;

  constructor(
    private readonly plan: Plan,
    database: Database.Database,
    private readonly now: () => number,
    private readonly wall: () => number,
  ) {
    this.#changes = database.prepare('SELECT * FROM change').raw();
    this.#forget = database.prepare('DELETE FROM change');
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

  get areOver(): boolean {
    return [...this.known.values()].every(({ row }) => OVER.test(row.state));
  }

  sent(key: string, eventId: string | null): void {
    this.#sent.set(key, { at: this.now(), eventId });
  }

  acknowledged(key: string, id: number): void {
    this.note(`delivery ${key} is acknowledged as ${id}`);
    const known = this.known.get(id);
    if (known === undefined) this.break(`delivery ${key} is acknowledged, and isn't stored`);
    const eventOf = (sent: string): string => this.#sent.get(sent)!.eventId ?? sent;
    if (eventOf(known.row.key) !== eventOf(key)) this.break(`delivery ${key} has the id of ${known.row.key}`);
    known.acknowledgedAt ??= this.now();
  }

  /** A transaction is committed. Returns whether it changed deliveries. */
  committed(): boolean {
    const changes = this.#changes.all([]) as [number, ...unknown[]][];
    if (changes.length === 0) return false;
    this.#forget.run([]);
    for (const [id, key, state, attempts, interruptions, dueAt, receiver] of changes) {
      const row = { key, state, attempts, interruptions, dueAt, receiver } as Row;
      this.note(`${id} is ${row.state} (${row.attempts} attempts, ${row.interruptions} interruptions)`);
      const known = this.known.get(id);
      if (known === undefined) {
        const nothing = { overAt: 0, acknowledgedAt: undefined, runs: 0, attempt: 0, endedAt: 0 };
        this.known.set(id, { row, since: this.now(), ...nothing, result: undefined });
        continue;
      }
      if (known.row.state !== row.state) this.#changed(id, known, row);
      known.row = row;
      known.since = this.now();
      if (/handled|parked/.test(row.state)) known.overAt = this.now();
    }
    return true;
  }

  #changed(id: number, known: Known, to: Row): void {
    const { row: from, result, overAt } = known;
    const { latency, limits } = this.plan;
    const { maxAttempts } = limits;
    const change = `${id} is ${from.state} and becomes ${to.state}`;
    if (from.interruptions >= SUSPECT) this.#suspectAt = this.now();
    if (!CHANGES[from.state]!.test(to.state)) this.break(change);
    if (to.state === 'running' && this.now() - known.since < this.#leastWait(known) - 4 * latency)
      this.break(`${change} after ${this.now() - known.since} ms`);
    if (from.state === 'running') {
      const isGone = this.#isGone(from.receiver!);
      const hasResult = result === (to.state === 'handled' ? 'handled' : 'failed');
      if (to.state === 'parked' && to.attempts < maxAttempts)
        this.break(`${change} after ${to.attempts} attempts`);
      if (to.attempts < from.attempts) {
        if (known.attempt === from.attempts && !isGone) this.break(`${change}: it is released while it runs`);
        known.attempt = 0;
      } else if (to.interruptions > from.interruptions) {
        if (!isGone) this.break(`${change}: it is adopted, and its receiver is alive`);
      } else if (!hasResult && !(to.state === 'parked' && isGone))
        this.break(`${change}, and its attempt has no such result`);
    } else if (to.state === 'waiting') {
      if (!this.done.has('replay')) this.break(`${change}, and nobody has replayed it`);
      known.attempt = 0;
    } else if (to.state === 'discarded' && !this.done.has('discard')) this.break(`${change} by itself`);
    else if (to.state === 'deleted' && !this.#hasExpired(overAt))
      this.break(`${change} after ${this.now() - overAt} ms`);
  }

  /** How long it waits at least before its next attempt, unless the clock jumps. */
  #leastWait({ row, attempt, since }: Known): number {
    const { backoff, maxBackoff } = this.plan.limits;
    if (row.state !== 'retrying' || attempt !== row.attempts || this.jumps.some((at) => at >= since))
      return 0;
    if (row.interruptions === 0) return Math.min(maxBackoff, backoff * 2 ** (row.attempts - 1)) / 2;
    return row.interruptions < SUSPECT ? 0 : Math.min(maxBackoff, backoff * 2 ** (row.interruptions - 1));
  }

  #isGone(name: string): boolean {
    const { clock, isStopping } = this.receivers.get(name)!;
    return !clock.isAlive || isStopping || this.lost.has(name);
  }

  /** A receiver that starts after its clock has jumped can't know, nor of two jumps before it looks. */
  #hasExpired(since: number): boolean {
    const starts = [...this.receivers.values()].map(({ startedAt }) => startedAt);
    const isDeceived = this.jumps.some(
      (at, index) =>
        since <= at &&
        (starts.some((start) => at <= start) || at < (this.jumps[index - 1] ?? -Infinity) + MAX_LOOK),
    );
    return isDeceived || this.now() - since >= this.plan.maxAge!;
  }

  /** The handler gets a delivery. Returns how often it got it, this time included. */
  begun(receiver: Watched, { id, attempts, mediaType, content }: Delivery): number {
    const { limits, latency } = this.plan;
    const { name, clock, attempts: running } = receiver;
    this.note(`${name} begins attempt ${attempts} of ${id}`);
    const known = this.known.get(id);
    if (known === undefined) this.break(`${id} is handed over, and isn't stored`);
    const { row } = known;
    if (mediaType !== row.key || content.toString() !== row.key) this.break(`${id} isn't what was sent`);
    const isOurs = row.state === 'running' && row.attempts === attempts && row.receiver === name;
    if (!isOurs && !this.lost.has(name))
      this.break(`${id} is handed over, and is ${row.state} at ${row.receiver}`);
    if (isOurs && known.attempt >= attempts) this.break(`attempt ${attempts} of ${id} begins again`);
    if (attempts > limits.maxAttempts) this.break(`attempt ${attempts} of ${id} begins`);
    if (isOurs) Object.assign(known, { attempt: attempts, result: undefined });
    running.set(`${id}/${attempts}`, row);
    if (running.size > limits.concurrency) this.break(`${running.size} attempts run`);
    const suspects = [...running.values()].filter(({ interruptions }) => interruptions >= SUSPECT);
    if (suspects.length > 1) this.break(`${suspects.length} suspects run`);
    if (this.#sent.get(row.key)!.at > this.pausedAt)
      this.break(`${id} came during the pause, and is handed over`);
    const pausedFor = clock.now() - this.pausedAt;
    if (pausedFor > MAX_WAIT + 2 * latency + 50 && receiver.troubledAt < this.pausedAt)
      this.break(`${id} is handed over ${pausedFor} ms after the pause`);
    return (known.runs += 1);
  }

  /** An attempt has ended. */
  ended(receiver: Watched, { id, attempts }: Delivery, result: 'handled' | 'failed' | 'cut off'): void {
    const now = receiver.clock.now();
    this.note(`attempt ${attempts} of ${id} is ${result}`);
    if (receiver.attempts.size === this.plan.limits.concurrency) receiver.fullAt = now;
    receiver.attempts.delete(`${id}/${attempts}`);
    Object.assign(this.known.get(id)!, { endedAt: now, result });
  }

  /** A receiver has stopped in order. */
  stopped({ name }: Watched): void {
    for (const [id, { row }] of this.known)
      if (row.state === 'running' && row.receiver === name)
        this.break(`${id} is running at ${name}, which has stopped`);
  }

  /** Nothing waits longer than it may, and nobody works for nothing. */
  check(): void {
    const { receivers: places, limits, latency } = this.plan;
    const receivers = [...this.receivers.values()];
    const isWell = (receiver: Watched, since: number): boolean =>
      receiver.clock.isAlive && !receiver.isStopping && receiver.troubledAt < since;

    const before = this.now() - (places > 1 ? 2_500 : 800);
    const isFree = receivers.some(
      (receiver) =>
        isWell(receiver, before) && receiver.attempts.size < limits.concurrency && receiver.fullAt < before,
    );
    const { isPaused } = this;
    if (isPaused || this.#wasPaused) this.#seenPausedAt = this.now();
    this.#wasPaused = isPaused;
    const mayStart = isFree && Math.max(this.#seenPausedAt, ...this.jumps) < before;
    const running = [...this.known].filter(([, { row }]) => row.state === 'running');
    const suspectRuns =
      running.some(([, { row }]) => row.interruptions >= SUSPECT) || this.#suspectAt > before;
    for (const [id, { row, since }] of mayStart ? this.known : []) {
      if (row.dueAt === null || since > before) continue;
      const dueIn = row.dueAt - this.wall();
      const isDue = dueIn < before - this.now() || dueIn > limits.maxBackoff;
      if (isDue && !(row.interruptions >= SUSPECT && suspectRuns))
        this.break(`${id} is ${row.state} since ${since} ms, and there is a place`);
    }
    for (const [id, { row, since, endedAt }] of running) {
      const receiver = this.receivers.get(row.receiver!)!;
      if (receiver.attempts.has(`${id}/${row.attempts}`)) continue;
      const { isAlive } = receiver.clock;
      const stale = this.now() - (isAlive || places === 1 ? MAX_WAIT + 4 * latency + 400 : 30_000);
      if (Math.max(since, endedAt, receiver.endedAt) > stale) continue;
      if (isAlive ? isWell(receiver, stale) : receivers.some((other) => isWell(other, stale)))
        this.break(`${id} is running at ${receiver.name} since ${since} ms, and has no attempt`);
    }
    for (const receiver of receivers) {
      const { name, idleCycles, store } = receiver;
      if (idleCycles > MAX_IDLE) this.break(`${name} ran ${idleCycles} cycles for nothing in a second`);
      if (store.refused >= MAX_REFUSED) this.break(`${name} asks its closed store for ever`);
      receiver.idleCycles = 0;
    }
  }

  /** Everything is over, and at rest. */
  checkEnd(): void {
    const { concurrency } = this.plan.limits;
    for (const [id, { acknowledgedAt, row }] of this.known)
      if (acknowledgedAt !== undefined && !OVER.test(row.state))
        this.break(`${id} is ${row.state} at the end`);
    for (const { name, clock, store, dispatcher } of this.receivers.values()) {
      const ahead = (store.room.free - concurrency) / concurrency;
      const isRight = ahead === 0 || ahead * concurrency === MAX_AHEAD || Number.isInteger(Math.log2(ahead));
      if (clock.isAlive && (dispatcher.running > 0 || !isRight || ahead < 0))
        this.break(`${name} has room for ${store.room.free} at rest`);
    }
  }
}
