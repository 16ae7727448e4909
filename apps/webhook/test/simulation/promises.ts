import type { Delivery } from '@plant-store/handler';

import { SUSPECT } from '../../src/inbox/conditions.js';
import type { CycleCall } from '../../src/inbox/sqlite/sqlite-cycle.js';
import { Room } from '../../src/inbox/store.js';
import type { Database, Fault, Row } from './database.js';
import type { Plan } from './plan.js';
import type { ProcessClock } from './virtual-time.js';

/** How long a delivery may wait for an attempt after it was claimed, in milliseconds, and how many may. */
const MAX_WAIT = 200;
const MAX_AHEAD = 512;

/** How long what is due may wait while there is a place, in milliseconds: of one receiver, and of several. */
const MAX_DUE = 800;
const MAX_DUE_SHARED = 2_500;

/** How much longer after the clock was set. */
const MAX_HEALING = 6_000;

/** How long after its end a receiver may have something running, if others share the inbox. */
const MAX_ORPHANED = 30_000;

/** Most cycles of a second that have nothing to do: others that share the inbox look for the same deliveries. */
const MAX_IDLE = 200;

/** Whoever asks a closed store so often asks for ever. */
export const MAX_REFUSED = 1_000;

/** The states of a delivery that may follow each one. */
const CHANGES: Readonly<Record<string, RegExp>> = {
  waiting: /running/,
  retrying: /running|waiting/,
  running: /handled|retrying|parked|waiting/,
  handled: /waiting|deleted/,
  parked: /waiting|discarded/,
  discarded: /deleted/,
};

/** The process of a receiver from its start to its end, and what is watched of it. Times are virtual. */
export class Process {
  readonly room = new Room();
  /** What cycles that are under way have taken of it. */
  reserved = 0;
  /** What the handler has, and whether it is a suspect. */
  readonly attempts = new Map<string, boolean>();
  endedAt = 0;
  isStopping = false;
  /** Until when its store failed or its handler blocked, and when it last had no place for an attempt. */
  troubledAt: number;
  fullAt = 0;
  /** Cycles of this second that had nothing to do. */
  idleCycles = 0;
  /** How often its store was asked since it was closed. */
  refused = 0;

  /** Called after each commit of its store. */
  afterCommit: (() => void) | undefined;

  constructor(
    readonly name: string,
    readonly clock: ProcessClock,
  ) {
    this.troubledAt = clock.now();
  }
}

/** A delivery that is stored, and what is known of it. Times are virtual. */
interface Known {
  row: Row;
  /** When its row changed last, and when it is due by that. */
  since: number;
  dueAt: number;
  acknowledgedAt?: number;
  /** The key by which the handler got it. */
  key?: string;
  /** How often the handler got it, as which attempt last, when that ended, and what became of it. */
  runs: number;
  attempt: number;
  endedAt: number;
  result?: Result | undefined;
}

type Result = 'handled' | 'failed' | 'cut off';

const attemptName = (id: number, startedAt: number | null): string => `${id}/${startedAt}`;

/** The ledger of a simulation: what happens, what the inbox has promised, and what it broke first. */
export class Promises {
  /** What happened, a line each. */
  readonly journal: string[] = [];
  /** It is kept, because the dispatcher catches what a handler throws. */
  broken: Error | undefined;
  /** Each start of a receiver, by its name. */
  readonly receivers = new Map<string, Process>();
  readonly known = new Map<number, Known>();
  /** Those that are neither handled, parked nor discarded. */
  readonly open = new Map<number, Known>();
  /** Whether the handler is paused. */
  isPaused = false;
  /** Since when an operator knows that, and by which receiver. */
  pausedAt = Infinity;
  pausedBy: Process | undefined;
  /** When the clock was set last. */
  jumpedAt = -Infinity;
  /** What operators have done. */
  readonly done = new Set<'replay' | 'discard'>();
  readonly #sent = new Map<string, { readonly at: number; readonly event: string }>();
  /** The last ids of the keys and events that were sent. */
  readonly #stored = new Map<string, number>();
  #pauseChangedAt = 0;
  /** When a suspect last ran. */
  #suspectAt = 0;

  constructor(
    private readonly plan: Plan,
    private readonly database: Database,
  ) {}

  get #now(): number {
    return this.database.time.now;
  }

  note(text: string): void {
    this.journal.push(`${this.#now} ms: ${text}`);
  }

  /** A promise was broken. */
  break(text: string): never {
    this.broken ??= new Error(`At ${this.#now} ms: ${text}.`);
    throw this.broken;
  }

  sent(key: string, event: string): void {
    this.#sent.set(key, { at: this.#now, event });
  }

  acknowledged(key: string, id: number): void {
    this.note(`delivery ${key} is acknowledged as ${id}`);
    const known = this.known.get(id);
    if (known === undefined) this.break(`delivery ${key} is acknowledged, and isn't stored`);
    if (this.#sent.get(key)!.event !== this.#sent.get(known.row.key)!.event)
      this.break(`delivery ${key} has the id of ${known.row.key}`);
    known.acknowledgedAt ??= this.#now;
  }

  /** A sender got another response, or none. */
  unacknowledged(key: string, receiver: Process, response: string): void {
    this.note(`delivery ${key} is not acknowledged`);
    if (this.#isWell(receiver, this.#sent.get(key)!.at - 1_000)) this.break(`delivery ${key}: ${response}`);
  }

  /** A transaction has gone wrong. */
  troubled(receiver: Process, fault: Fault): void {
    this.note(`${receiver.name} ${fault === 'refused' ? "can't write" : "doesn't hear what it wrote"}`);
    receiver.troubledAt = Math.max(receiver.troubledAt, this.#now);
  }

  /** A transaction of a receiver is committed, with these cycles. Nobody has its reply yet. */
  committed(receiver: Process, calls: readonly CycleCall[]): void {
    const { isPaused } = this.database;
    const changes = this.database.changes.splice(0);
    const hasWork = changes.length > 0 || calls.some(({ results }) => results.length > 0);
    if (!hasWork && isPaused === this.isPaused) receiver.idleCycles += calls.length;
    if (isPaused !== this.isPaused) this.#pauseChangedAt = this.#now;
    this.isPaused = isPaused;
    for (const row of changes) this.#note(row);
    receiver.afterCommit?.();
  }

  #note(row: Row): void {
    const { id, state, attempts, interruptions, receiver, dueAt } = row;
    this.note(`${id} is ${state} (${attempts} attempts, ${interruptions} interruptions)`);
    const before = this.known.get(id);
    if (before === undefined) this.#inserted(row);
    else if (before.row.state !== state) this.#changed(before, row);
    else if (before.row.dueAt !== dueAt) this.#healed(before, row);
    if (state === 'running' && this.plan.receivers > 1 && !this.database.hasLease(receiver!))
      this.break(`${id} was claimed by ${receiver!}, which has lost its lease`);
    const due = dueAt === null ? Infinity : this.#now + Math.max(0, dueAt - this.database.wall());
    const known = Object.assign(before ?? { runs: 0, attempt: 0, endedAt: 0 }, {
      row,
      since: this.#now,
      dueAt: due,
    });
    this.known.set(id, known);
    if (/waiting|running|retrying/.test(state)) this.open.set(id, known);
    else this.open.delete(id);
  }

  /** An event is stored once. What is due comes before what arrives. */
  #inserted({ id, key, state }: Row): void {
    for (const name of [key, this.#sent.get(key)!.event]) {
      const first = this.#stored.get(name);
      if (first !== undefined && first !== id && this.known.get(first)!.row.state !== 'deleted')
        this.break(`${name} is stored as ${first}, and again as ${id}`);
      this.#stored.set(name, id);
    }
    for (const { row, since } of state === 'running' ? this.open.values() : []) {
      const isDue = row.dueAt !== null && row.dueAt <= this.database.wall() && row.interruptions < SUSPECT;
      if (isDue && since < this.#now) this.break(`${id} runs, and ${row.id} was due before`);
    }
  }

  #changed(known: Known, to: Row): void {
    const { row: from, result, since } = known;
    const age = this.#now - since;
    const breakIf = (isBroken: boolean, why: string): void => {
      if (isBroken) this.break(`${to.id} was ${from.state} for ${age} ms and is ${to.state}: ${why}`);
    };
    if (from.interruptions >= SUSPECT) this.#suspectAt = this.#now;
    breakIf(!CHANGES[from.state]!.test(to.state), 'no such change');
    if (to.state === 'running') {
      breakIf(age < this.#leastWait(known) - 4 * this.plan.latency, 'too early');
      known.result = undefined;
    } else if (from.state === 'running') {
      const isGone = this.#isGone(from.receiver!);
      const hasResult = result === (to.state === 'handled' ? 'handled' : 'failed');
      const isLast = to.attempts >= this.plan.limits.maxAttempts;
      breakIf(to.state === 'parked' && !isLast, `it had ${to.attempts} attempts`);
      if (to.attempts < from.attempts) {
        breakIf(known.attempt === from.attempts && !isGone, 'it is released, and has begun');
        known.attempt = 0;
      } else if (to.interruptions > from.interruptions) breakIf(!isGone, 'its receiver is alive');
      else breakIf(!hasResult && !(to.state === 'parked' && isGone), 'its attempt has another result');
    } else if (to.state === 'waiting') {
      breakIf(!this.done.has('replay'), 'nobody has replayed it');
      known.attempt = 0;
    } else if (to.state === 'discarded') breakIf(!this.done.has('discard'), 'nobody has discarded it');
    else
      breakIf(
        from.state === 'handled' && !this.#jumpedAfter(since) && age < this.plan.maxAge!,
        'it has not expired',
      );
  }

  /** A clock that was wrong had dated it too far into the future. It needn't wait any longer. */
  #healed(known: Known, { id, dueAt }: Row): void {
    const isFar = Math.abs(known.row.dueAt! - dueAt!) > 1_000;
    if (isFar && this.jumpedAt === -Infinity) this.break(`${id} is due at once, and no clock was wrong`);
    known.attempt = 0;
  }

  /** How long it waits at least before its next attempt, unless the clock is set. */
  #leastWait({ row, attempt, since }: Known): number {
    const { backoff, maxBackoff } = this.plan.limits;
    const isAwaited = row.state === 'retrying' && attempt === row.attempts;
    if (!isAwaited || this.#jumpedAfter(since)) return 0;
    if (row.interruptions === 0) return Math.min(maxBackoff, backoff * 2 ** (row.attempts - 1)) / 2;
    return row.interruptions < SUSPECT ? 0 : Math.min(maxBackoff, backoff * 2 ** (row.interruptions - 1));
  }

  /** Whether the clock was set since a moment, or while what happened then was under way. */
  #jumpedAfter(moment: number): boolean {
    return this.jumpedAt >= moment - 1_000;
  }

  /** Its attempts may be adopted, or released. */
  #isGone(name: string): boolean {
    const { clock, isStopping } = this.receivers.get(name)!;
    return isStopping || (this.plan.receivers > 1 ? !this.database.hasLease(name) : !clock.isAlive);
  }

  /** The handler gets a delivery. Returns how often it got it, this time included. */
  begun(receiver: Process, { id, key, attempts, startedAt, mediaType, content }: Delivery): number {
    const { limits, latency } = this.plan;
    const { name, clock, attempts: running } = receiver;
    this.note(`${name} begins attempt ${attempts} of ${id}`);
    const breakIf = (isBroken: boolean, why: string): void => {
      if (isBroken) this.break(`attempt ${attempts} of ${id} begins at ${name}: ${why}`);
    };
    const known = this.known.get(id)!;
    const { row } = known;
    breakIf(mediaType !== row.key || content.toString() !== row.key, "it isn't what was sent");
    breakIf(key !== (known.key ??= key), `its key was ${known.key}`);
    breakIf(attempts > limits.maxAttempts, 'there are no more');
    breakIf(!this.#runs(id, startedAt, name), `it is ${row.state} at ${row.receiver}`);
    breakIf(known.attempt >= attempts, 'it has begun before');
    known.attempt = attempts;
    running.set(attemptName(id, startedAt), row.interruptions >= SUSPECT);
    breakIf(running.size > limits.concurrency, `${running.size} attempts run`);
    const suspects = [...this.open.values()].filter(
      (each) =>
        running.get(attemptName(each.row.id, each.row.startedAt)) === true && each.row.receiver === name,
    );
    breakIf(suspects.length > 1, `${suspects.length} suspects run`);
    breakIf(this.#sent.get(row.key)!.at > this.pausedAt, 'it came during the pause');
    // Another receiver may have claimed it before.
    const wait = receiver === this.pausedBy ? -1 : MAX_WAIT + 2 * latency + 50;
    const isLate = clock.now() - this.pausedAt > wait && receiver.troubledAt < this.pausedAt;
    breakIf(isLate, `the handler is paused since ${this.pausedAt} ms`);
    return (known.runs += 1);
  }

  /** Whether a receiver runs a delivery, and nobody has adopted it meanwhile. */
  #runs(id: number, startedAt: number, name: string): boolean {
    const row = this.open.get(id)?.row;
    return row?.state === 'running' && row.receiver === name && row.startedAt === startedAt;
  }

  /** An attempt has ended. There may be another one, at another receiver or after a replay, if it has lost its lease. */
  ended(receiver: Process, { id, attempts, startedAt }: Delivery, result: Result): void {
    const now = receiver.clock.now();
    this.note(`attempt ${attempts} of ${id} at ${receiver.name} is ${result}`);
    if (receiver.attempts.size === this.plan.limits.concurrency) receiver.fullAt = now;
    receiver.attempts.delete(attemptName(id, startedAt));
    if (this.#runs(id, startedAt, receiver.name))
      Object.assign(this.known.get(id)!, { endedAt: now, result });
  }

  /** A receiver has stopped in order. */
  stopped({ name }: Process): void {
    for (const [id, { row }] of this.open)
      if (row.state === 'running' && row.receiver === name)
        this.break(`${id} is running at ${name}, which has stopped`);
  }

  #isWell(receiver: Process, since: number): boolean {
    return receiver.clock.isAlive && !receiver.isStopping && receiver.troubledAt < since;
  }

  /** Called each second: nothing waits longer than it may, and nobody works for nothing. */
  check(): void {
    this.#checkWaiting();
    this.#checkRunning();
    for (const receiver of this.receivers.values()) {
      const { name, idleCycles, refused } = receiver;
      if (idleCycles > MAX_IDLE) this.break(`${name} ran ${idleCycles} cycles for nothing in a second`);
      if (refused >= MAX_REFUSED) this.break(`${name} asks its closed store for ever`);
      receiver.idleCycles = 0;
    }
  }

  /** What is due runs, if there is a place for it. */
  #checkWaiting(): void {
    const { receivers, limits } = this.plan;
    const before = this.#now - (receivers > 1 ? MAX_DUE_SHARED : MAX_DUE);
    const hasPlace = (receiver: Process): boolean =>
      this.#isWell(receiver, before) &&
      receiver.attempts.size < limits.concurrency &&
      receiver.fullAt < before;
    if (this.isPaused || this.#pauseChangedAt >= before) return;
    if (![...this.receivers.values()].some(hasPlace)) return;
    const isSuspect = ({ row }: Known): boolean => row.interruptions >= SUSPECT;
    const suspectRuns = [...this.open.values()].some(
      (known) => isSuspect(known) && known.row.state === 'running',
    );
    for (const [id, known] of this.open) {
      const { row, since, dueAt } = known;
      if (isSuspect(known) && (suspectRuns || this.#suspectAt > before)) continue;
      // A timer doesn't notice that the clock was set. A retry waits for its backoff, whatever the clock says.
      const healedAt = this.jumpedAt + MAX_HEALING + (row.state === 'retrying' ? limits.maxBackoff : 0);
      if ((this.jumpedAt > since ? Math.max(dueAt, healedAt) : dueAt) < before)
        this.break(`${id} is ${row.state} since ${since} ms, and there is a place`);
    }
  }

  /** What is running has an attempt, or will have one soon, or goes back. */
  #checkRunning(): void {
    const { receivers, latency } = this.plan;
    for (const [id, { row, since, endedAt }] of this.open) {
      if (row.state !== 'running') continue;
      const receiver = this.receivers.get(row.receiver!)!;
      const { isAlive } = receiver.clock;
      const longest = isAlive || receivers === 1 ? MAX_WAIT + 4 * latency + 400 : MAX_ORPHANED;
      const before = this.#now - longest;
      if (Math.max(since, endedAt, receiver.endedAt) > before) continue;
      if (receiver.attempts.has(attemptName(id, row.startedAt))) continue;
      const responsible = isAlive ? [receiver] : [...this.receivers.values()];
      if (responsible.some((one) => this.#isWell(one, before)))
        this.break(`${id} is running at ${receiver.name} since ${since} ms, and has no attempt`);
    }
  }

  /** When everything has ended, each receiver has room for its attempts, and for what it claims ahead of them. */
  checkRoom(): void {
    const { concurrency } = this.plan.limits;
    for (const { name, clock, isStopping, room, reserved } of this.receivers.values()) {
      if (!clock.isAlive || isStopping) continue;
      const free = room.free + reserved;
      const ahead = (free - concurrency) / concurrency;
      const isRight = ahead === 0 || ahead * concurrency === MAX_AHEAD || Number.isInteger(Math.log2(ahead));
      if (ahead < 0 || !isRight) this.break(`${name} has room for ${free}`);
    }
  }
}
