import type { Delivery } from '@plant-store/handler';

import { SUSPECT } from '../../src/inbox/conditions.js';
import { Room } from '../../src/inbox/store.js';
import type { Leases } from './leases.js';
import type { Journal, Known, Ledger, Row } from './ledger.js';
import type { Plan } from './plan.js';
import type { ProcessClock } from './virtual-time.js';

/** How long a delivery may wait for an attempt after it was claimed, and how many may. */
const MAX_WAIT = 200;
const MAX_AHEAD = 512;

/** How long what has had no attempt may wait after the clock was set back. */
const MAX_HEALING = 6_000;

/** Most cycles of a second that have nothing to do: others that share the inbox look for the same deliveries. */
const MAX_IDLE = 200;

/** Whoever asks a closed store so often asks for ever. */
export const MAX_REFUSED = 1_000;

/** How long after its end a receiver may have something running, if others share the inbox. */
const MAX_ORPHANED = 30_000;

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
  readonly startedAt: number;
  endedAt = 0;
  isStopping = false;
  /** Until when its store failed or its handler blocked, and when it last had no place for an attempt. */
  troubledAt: number;
  fullAt = 0;
  /** Cycles of this second that had nothing to do. */
  idleCycles = 0;
  /** How often its store was asked since it was closed. */
  refused = 0;

  constructor(
    readonly name: string,
    readonly clock: ProcessClock,
  ) {
    this.startedAt = this.troubledAt = clock.now();
  }
}

/** What the inbox promises, checked while it runs. */
export class Promises {
  /** Each start of a receiver, by its name. */
  readonly receivers = new Map<string, Process>();
  /** When the clock jumped. */
  readonly jumps: number[] = [];
  /** Since when an operator knows that the handler is paused. */
  pausedAt = Infinity;
  /** What operators have done. */
  readonly done = new Set<'replay' | 'discard'>();
  readonly #sent = new Map<string, { readonly at: number; readonly event: string }>();
  /** The last ids of the keys and events that were sent. */
  readonly #stored = new Map<string, number>();
  /** When a suspect last ran. */
  #suspectAt = 0;

  constructor(
    private readonly plan: Plan,
    private readonly ledger: Ledger,
    private readonly leases: Leases,
    private readonly journal: Journal,
    private readonly wall: () => number,
  ) {}

  sent(key: string, event: string): void {
    this.#sent.set(key, { at: this.journal.now(), event });
  }

  acknowledged(key: string, id: number): void {
    this.journal.note(`delivery ${key} is acknowledged as ${id}`);
    const known = this.ledger.known.get(id);
    if (known === undefined) this.journal.break(`delivery ${key} is acknowledged, and isn't stored`);
    const { event } = this.#sent.get(key)!;
    if (event !== this.#sent.get(known.row.key)!.event)
      this.journal.break(`delivery ${key} has the id of ${known.row.key}`);
    known.acknowledgedAt ??= this.journal.now();
  }

  /** A sender got another response, or none. */
  unacknowledged(key: string, receiver: Process, response: string): void {
    this.journal.note(`delivery ${key} is not acknowledged`);
    if (this.#isWell(receiver, this.#sent.get(key)!.at - 1_000))
      this.journal.break(`delivery ${key}: ${response}`);
  }

  /** A transaction is committed. Returns whether it changed anything. */
  committed(): boolean {
    return this.ledger.read((known, to) => {
      if (known === undefined) this.#inserted(to);
      else if (known.row.state !== to.state) this.#changed(known, to);
      else if (known.row.dueAt !== to.dueAt) this.#healed(known, to);
    });
  }

  /** What is due comes before what arrives. */
  #inserted({ id, key, state }: Row): void {
    for (const name of [key, this.#sent.get(key)!.event]) {
      const first = this.#stored.get(name);
      if (first !== undefined && first !== id && this.ledger.known.get(first)!.row.state !== 'deleted')
        this.journal.break(`${name} is stored as ${first}, and again as ${id}`);
      this.#stored.set(name, id);
    }
    for (const { row, since } of state === 'running' ? this.ledger.open.values() : []) {
      const isDue = row.dueAt !== null && row.dueAt <= this.wall() && row.interruptions < SUSPECT;
      if (isDue && since < this.journal.now()) this.journal.break(`${id} runs, and ${row.id} was due before`);
    }
  }

  #changed(known: Known, to: Row): void {
    const { row: from, result } = known;
    const { latency, limits } = this.plan;
    const age = this.journal.now() - known.since;
    const breakIf = (isBroken: boolean, why: string): void => {
      if (isBroken) this.journal.break(`${to.id} was ${from.state} for ${age} ms and is ${to.state}: ${why}`);
    };
    if (from.interruptions >= SUSPECT) this.#suspectAt = this.journal.now();
    breakIf(!CHANGES[from.state]!.test(to.state), 'no such change');
    if (to.state === 'running') breakIf(age < this.#leastWait(known) - 4 * latency, 'too early');
    else if (from.state === 'running') {
      const isGone = this.#isGone(from.receiver!);
      const hasResult = result === (to.state === 'handled' ? 'handled' : 'failed');
      breakIf(to.state === 'parked' && to.attempts < limits.maxAttempts, `it had ${to.attempts} attempts`);
      if (to.attempts < from.attempts) {
        breakIf(known.attempt === from.attempts && !isGone, 'it is released, and has begun');
        known.attempt = 0;
      } else if (to.interruptions > from.interruptions) breakIf(!isGone, 'its receiver is alive');
      else breakIf(!hasResult && !(to.state === 'parked' && isGone), 'its attempt has another result');
    } else if (to.state === 'waiting') {
      breakIf(!this.done.has('replay'), 'nobody has replayed it');
      known.attempt = 0;
    } else if (to.state === 'discarded') breakIf(!this.done.has('discard'), 'nobody has discarded it');
    else breakIf(from.state === 'handled' && !this.#hasExpired(known), 'it has not expired');
  }

  /** A clock that was wrong had dated it too far into the future. */
  #healed(known: Known, { id, dueAt }: Row): void {
    const isFar = Math.abs(known.row.dueAt! - dueAt!) > 1_000;
    if (isFar && this.jumps.length === 0) this.journal.break(`${id} is due at once, and no clock was wrong`);
    // It needn't wait any longer.
    known.attempt = 0;
  }

  /** How long it waits at least before its next attempt, unless the clock jumps. */
  #leastWait({ row, attempt, since }: Known): number {
    const { backoff, maxBackoff } = this.plan.limits;
    const isAwaited = row.state === 'retrying' && attempt === row.attempts;
    if (!isAwaited || this.jumps.some((at) => at >= since - 1_000)) return 0;
    if (row.interruptions === 0) return Math.min(maxBackoff, backoff * 2 ** (row.attempts - 1)) / 2;
    return row.interruptions < SUSPECT ? 0 : Math.min(maxBackoff, backoff * 2 ** (row.interruptions - 1));
  }

  /** Its attempts may be adopted, or released. */
  #isGone(name: string): boolean {
    const { clock, isStopping } = this.receivers.get(name)!;
    return isStopping || (this.plan.receivers > 1 ? !this.leases.has(name) : !clock.isAlive);
  }

  #hasExpired({ since }: Known): boolean {
    // A clock that jumps ahead lets it expire early.
    return this.jumps.some((at) => at >= since - 1_000) || this.journal.now() - since >= this.plan.maxAge!;
  }

  /** The handler gets a delivery. Returns how often it got it, this time included. */
  begun(receiver: Process, { id, key, attempts, startedAt, mediaType, content }: Delivery): number {
    const { limits, latency } = this.plan;
    const { name, clock, attempts: running } = receiver;
    this.journal.note(`${name} begins attempt ${attempts} of ${id}`);
    const breakIf = (isBroken: boolean, why: string): void => {
      if (isBroken) this.journal.break(`attempt ${attempts} of ${id} begins: ${why}`);
    };
    const known = this.ledger.known.get(id)!;
    const { row } = known;
    breakIf(mediaType !== row.key || content.toString() !== row.key, "it isn't what was sent");
    breakIf(key !== (known.key ??= key), `its key was ${known.key}`);
    breakIf(attempts > limits.maxAttempts, 'there are no more');
    const isOurs = row.state === 'running' && row.attempts === attempts && row.receiver === name;
    breakIf(!isOurs, `it is ${row.state} at ${row.receiver}`);
    breakIf(isOurs && known.attempt >= attempts, 'it has begun before');
    if (isOurs) Object.assign(known, { attempt: attempts, result: undefined });
    running.set(`${id}/${startedAt}`, isOurs && row.interruptions >= SUSPECT);
    breakIf(running.size > limits.concurrency, `${running.size} attempts run`);
    const suspects = [...running].filter(
      ([attempt, isSuspect]) => isSuspect && this.#isCurrent(attempt, name),
    );
    breakIf(suspects.length > 1, `${suspects.length} suspects run`);
    breakIf(this.#sent.get(row.key)!.at > this.pausedAt, 'it came during the pause');
    const isLate = clock.now() - this.pausedAt > MAX_WAIT + 2 * latency + 50;
    breakIf(isLate && receiver.troubledAt < this.pausedAt, `the handler is paused since ${this.pausedAt} ms`);
    return (known.runs += 1);
  }

  /** Nobody has adopted it meanwhile. */
  #isCurrent(attempt: string, name: string): boolean {
    const [id, startedAt] = attempt.split('/').map(Number);
    const row = this.ledger.known.get(id!)?.row;
    return row?.state === 'running' && row.receiver === name && row.startedAt === startedAt;
  }

  /** An attempt has ended. */
  ended(receiver: Process, { id, attempts, startedAt }: Delivery, result: Known['result']): void {
    const now = receiver.clock.now();
    this.journal.note(`attempt ${attempts} of ${id} is ${result}`);
    if (receiver.attempts.size === this.plan.limits.concurrency) receiver.fullAt = now;
    receiver.attempts.delete(`${id}/${startedAt}`);
    const known = this.ledger.known.get(id)!;
    // There may be another attempt, at another receiver or after a replay, if this one has lost its lease.
    if (known.row.startedAt === startedAt) Object.assign(known, { endedAt: now, result });
  }

  /** A receiver has stopped in order. */
  stopped({ name }: Process): void {
    for (const [id, { row }] of this.ledger.open)
      if (row.state === 'running' && row.receiver === name)
        this.journal.break(`${id} is running at ${name}, which has stopped`);
  }

  #isWell(receiver: Process, since: number): boolean {
    return receiver.clock.isAlive && !receiver.isStopping && receiver.troubledAt < since;
  }

  /** Nothing waits longer than it may, and nobody works for nothing. */
  check(): void {
    this.#checkWaiting();
    this.#checkRunning();
    for (const receiver of this.receivers.values()) {
      const { name, idleCycles, refused } = receiver;
      if (idleCycles > MAX_IDLE)
        this.journal.break(`${name} ran ${idleCycles} cycles for nothing in a second`);
      if (refused >= MAX_REFUSED) this.journal.break(`${name} asks its closed store for ever`);
      receiver.idleCycles = 0;
    }
  }

  /** What is due runs, if there is a place for it. */
  #checkWaiting(): void {
    const { receivers, limits } = this.plan;
    const { open, isPaused, pauseChangedAt } = this.ledger;
    const longest = receivers > 1 ? 2_500 : 800;
    const before = this.journal.now() - longest;
    const hasPlace = (receiver: Process): boolean =>
      this.#isWell(receiver, before) &&
      receiver.attempts.size < limits.concurrency &&
      receiver.fullAt < before;
    if (isPaused || Math.max(pauseChangedAt, ...this.jumps) >= before) return;
    if (![...this.receivers.values()].some(hasPlace)) return;
    const isSuspect = ({ row }: Known): boolean => row.interruptions >= SUSPECT;
    const suspectRuns = [...open.values()].some((known) => isSuspect(known) && known.row.state === 'running');
    for (const [id, known] of open) {
      const { row, since } = known;
      if (row.dueAt === null || since > before) continue;
      if (isSuspect(known) && (suspectRuns || this.#suspectAt > before)) continue;
      const dueIn = row.dueAt - this.wall();
      // What a clock that was set back has dated too far into the future is healed. A retry waits for its backoff.
      const isTooFar = row.state === 'waiting' || dueIn > limits.maxBackoff;
      const healing = isTooFar ? MAX_HEALING : Infinity;
      const jumpedAt = Math.max(since, ...this.jumps);
      // A timer doesn't notice that the clock was set forward.
      const isOverdue = dueIn < -longest && (jumpedAt === since || jumpedAt < before - MAX_HEALING);
      if (isOverdue || jumpedAt < before - healing)
        this.journal.break(`${id} is ${row.state} since ${since} ms, and there is a place`);
    }
  }

  /** What is running has an attempt, or will have one soon, or goes back. */
  #checkRunning(): void {
    const { receivers, latency } = this.plan;
    for (const [id, { row, since, endedAt }] of this.ledger.open) {
      if (row.state !== 'running') continue;
      const receiver = this.receivers.get(row.receiver!)!;
      const { isAlive } = receiver.clock;
      const longest = isAlive || receivers === 1 ? MAX_WAIT + 4 * latency + 400 : MAX_ORPHANED;
      const before = this.journal.now() - longest;
      if (Math.max(since, endedAt, receiver.endedAt) > before) continue;
      if (receiver.attempts.has(`${id}/${row.startedAt}`)) continue;
      const responsible = isAlive ? [receiver] : [...this.receivers.values()];
      if (responsible.some((one) => this.#isWell(one, before)))
        this.journal.break(`${id} is running at ${receiver.name} since ${since} ms, and has no attempt`);
    }
  }

  /** When everything has ended, each receiver has room for its attempts, and for what it claims ahead of them. */
  checkRoom(): void {
    const { concurrency } = this.plan.limits;
    for (const { name, clock, room, reserved } of this.receivers.values()) {
      const free = room.free + reserved;
      const ahead = (free - concurrency) / concurrency;
      const isRight = ahead === 0 || ahead * concurrency === MAX_AHEAD || Number.isInteger(Math.log2(ahead));
      if (clock.isAlive && (ahead < 0 || !isRight)) this.journal.break(`${name} has room for ${free}`);
    }
  }
}
