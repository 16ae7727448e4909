import { Counters } from '../src/counters.js';
import { type Attempt, callHandler } from '../src/dispatch/attempt.js';
import { Dispatcher } from '../src/dispatch/dispatcher.js';
import type { Delivery } from '../src/inbox/delivery.js';
import type { DeliveryState } from '../src/inbox/inbox-operations.js';
import { Inbox } from '../src/inbox/inbox.js';
import { openMemory } from './database.js';
import { describePlan, type Incident, type Plan } from './plan.js';
import { Promises } from './promises.js';
import { type Host, SimulatedStore } from './simulated-store.js';
import { ProcessClock, Random, VirtualTime } from './virtual-time.js';

/** A receiver from its start to its end. Times are virtual. */
export interface SimulatedReceiver {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly store: SimulatedStore;
  readonly inbox: Inbox;
  readonly dispatcher: Dispatcher;
  /** What its handler has. */
  readonly attempts: Map<string, { readonly interruptions: number }>;
  readonly startedAt: number;
  endedAt: number;
  isStopping: boolean;
  /** Its attempts are ended before their time. */
  isCutOff: boolean;
  /** Until when its store failed or its handler blocked, and when it last had no place for an attempt. */
  troubledAt: number;
  fullAt: number;
  /** Cycles of this second that had nothing to do. */
  idleCycles: number;
}

const SILENT = { error: () => undefined, warn: () => undefined };

/** The wall clock at the start. */
const START = Date.UTC(2027, 0, 1);

/** How long a receiver counts as alive after its end, if others share the inbox. */
const LEASE_TIME = 15_000;

/** How long everything may take when nothing more goes wrong, in virtual milliseconds, and in events. */
const MAX_TAIL = 900_000;
const MAX_EVENTS = 1_000_000;

/** How much longer than an attempt may take, a handler may block: see watchdog.ts. */
const WATCHDOG_MARGIN = 1_000;

/** How much longer than its deadline a stop may take. */
const TIME_TO_STORE = 2_000;

/** How long a sender waits for a response. */
const SENDER_TIMEOUT = 3_000;

const PLANNED = new Error('planned');

/** What was broken is kept, see `Promises.broken`. */
const KEPT = (): void => undefined;

const memory = openMemory();

/** Carries a plan out. */
class Simulation {
  readonly promises: Promises;
  readonly #time = new VirtualTime();
  readonly #random: Random;
  /** The receivers that run, by their places. */
  readonly #running: (SimulatedReceiver | undefined)[] = [];
  /** Deliveries whose sender has no response. */
  readonly #unsent: Set<number>;
  #jump = 0;
  #refusesUntil = -1;
  #refusesNext = false;
  #losesUntil = -1;
  #endsNext: { readonly down: number } | undefined;
  #isToPause = false;
  #isOver = false;

  constructor(private readonly plan: Plan) {
    memory.clear();
    this.#random = new Random(~plan.seed);
    this.promises = new Promises(plan, memory.database, () => this.#time.now, this.#wall);
    this.#unsent = new Set(plan.deliveries.keys());
  }

  /** @throws Error if a promise was broken */
  async run(): Promise<void> {
    const { receivers, deliveries, incidents } = this.plan;
    for (let place = 0; place < receivers; place += 1) this.#open(place);
    for (const [number, { at }] of deliveries.entries()) this.#in(at, () => this.#send(number));
    for (const incident of incidents) this.#in(incident.at, () => this.#happen(incident));
    this.#look();
    for (let events = 0; !this.#isOver; events += 1) {
      await this.#time.step();
      if (events > MAX_EVENTS) this.promises.break('it never ends');
      if (this.promises.broken !== undefined) throw this.promises.broken;
    }
    this.promises.checkEnd();
  }

  readonly #wall = (): number => START + this.#time.now + this.#jump;

  #in(milliseconds: number, run: () => void): void {
    this.#time.at(this.#time.now + milliseconds, run);
  }

  /** Looks each second whether everything is well, and over. */
  #look(): void {
    const { promises, plan } = this;
    const isQuiet = this.#time.now > plan.end;
    if (isQuiet) this.#heal();
    promises.check();
    if (!this.#isToPause && promises.isPaused) this.#resume();
    const isIdle = this.#running.every((receiver) => receiver?.dispatcher.running === 0);
    this.#isOver = isQuiet && isIdle && this.#unsent.size === 0 && promises.areOver;
    if (this.#time.now > plan.end + MAX_TAIL) promises.break('deliveries are left');
    this.#in(1_000, () => this.#look());
  }

  #heal(): void {
    this.#refusesUntil = this.#losesUntil = -1;
    this.#refusesNext = false;
    this.#endsNext = undefined;
  }

  #open(place: number): void {
    const { plan, promises } = this;
    const { now } = this.#time;
    const name = `${'AB'[place]}${promises.receivers.size}`;
    const clock = new ProcessClock(this.#time, this.#random.next);
    const counters = new Counters();
    const store = new SimulatedStore({
      ...{ receiver: name, time: this.#time, clock, random: this.#random, database: memory.database },
      ...{ isShared: plan.receivers > 1, wall: this.#wall, latency: plan.latency },
      fault: () => this.#fault(receiver),
      committed: (calls) => {
        const hasWork = promises.committed() || calls.some(({ results }) => results.length > 0);
        if (!hasWork) receiver.idleCycles += calls.length;
        if (this.#endsNext !== undefined) this.#in(0, () => this.#end(receiver, this.#endsNext?.down));
      },
    });
    const inbox = new Inbox(store, { counters, logger: SILENT }, clock);
    const handle = (delivery: Delivery, attempt: Attempt): Promise<void> | void =>
      callHandler(() => this.#handle(receiver, delivery, attempt), delivery, attempt);
    const dispatcher = new Dispatcher(inbox, handle, plan.limits, SILENT, counters, clock);
    const receiver: SimulatedReceiver = {
      ...{ name, clock, store, inbox, dispatcher, attempts: new Map<string, never>(), startedAt: now },
      ...{ endedAt: 0, isStopping: false, isCutOff: false, troubledAt: now, fullAt: 0, idleCycles: 0 },
    };
    promises.note(`${name} starts`);
    promises.receivers.set(name, receiver);
    this.#running[place] = receiver;
    this.#setAlive(name, true);
    dispatcher.start();
    this.#removeExpired(receiver);
  }

  #setAlive(name: string, isAlive: boolean): void {
    const text = isAlive ? 'INSERT INTO alive VALUES (?)' : 'DELETE FROM alive WHERE name = ?';
    memory.database.prepare(text).run([name]);
  }

  #removeExpired(receiver: SimulatedReceiver): void {
    const { maxAge } = this.plan;
    if (receiver.isStopping || maxAge === undefined) return;
    const again = (): void => void receiver.clock.setTimeout(() => this.#removeExpired(receiver), 1_000);
    const retention = { maxAge, maxBytes: undefined, maxEventAge: maxAge };
    receiver.inbox.removeExpired(retention).then(again, again);
  }

  #fault(receiver: SimulatedReceiver): ReturnType<Host['fault']> {
    const { now } = this.#time;
    const isRefused = this.#refusesNext || (now < this.#refusesUntil && this.#random.chance(0.7));
    const isLost = now < this.#losesUntil && this.#random.chance(0.7);
    this.#refusesNext = false;
    if (!isRefused && !isLost) return undefined;
    this.promises.note(`${receiver.name} ${isRefused ? "can't write" : "doesn't hear what it wrote"}`);
    receiver.troubledAt = Math.max(receiver.troubledAt, now);
    return isRefused ? 'refused' : 'reply lost';
  }

  /** The process ends, and something starts it again. */
  #end(receiver: SimulatedReceiver, down = 100): void {
    this.#endsNext = undefined;
    if (!receiver.clock.isAlive) return;
    this.promises.note(`${receiver.name} ends`);
    receiver.clock.isAlive = false;
    receiver.endedAt = this.#time.now;
    const place = this.#running.indexOf(receiver);
    this.#running[place] = undefined;
    this.#in(down, () => this.#open(place));
    this.#in(LEASE_TIME, () => this.#setAlive(receiver.name, false));
  }

  /** Stops as receiver.ts does. */
  async #stop(receiver: SimulatedReceiver, timeout: number, down: number): Promise<void> {
    const { now } = this.#time;
    const { promises } = this;
    const deadline = new AbortController();
    receiver.isStopping = true;
    receiver.clock.setTimeout(() => {
      receiver.isCutOff = true;
      deadline.abort();
    }, timeout);
    this.#in(timeout + TIME_TO_STORE, () => {
      if (receiver.clock.isAlive && receiver.troubledAt < now)
        promises.break(`${receiver.name} doesn't stop`);
      this.#end(receiver, down);
    });
    await receiver.dispatcher.stop(deadline.signal);
    await receiver.inbox.close();
    if (receiver.troubledAt < now) promises.stopped(receiver);
    this.#setAlive(receiver.name, false);
    this.#end(receiver, down);
  }

  #happen(incident: Incident): void {
    const { promises } = this;
    const { now } = this.#time;
    const receiver = this.#pickReceiver();
    promises.note(incident.kind);
    if (receiver === undefined) return;
    const { inbox, name } = receiver;
    switch (incident.kind) {
      case 'kill':
        return this.#end(receiver, incident.down);
      case 'kill after the next commit':
        return void (this.#endsNext = incident);
      case 'stop':
        return void this.#stop(receiver, incident.timeout, incident.down).catch(KEPT);
      case 'the store refuses':
        this.#refusesNext = true;
        return void (this.#refusesUntil = now + incident.lasts);
      case 'replies are lost':
        return void (this.#losesUntil = now + incident.lasts);
      case 'a lease is lost':
        promises.lost.add(name);
        this.#setAlive(name, false);
        return this.#in(incident.lasts, () => this.#setAlive(name, receiver.clock.isAlive));
      case 'pause that fails':
        this.#refusesUntil = now + 50;
        return this.#pause(inbox, incident.lasts);
      case 'pause':
        return this.#pause(inbox, incident.lasts);
      case 'replay':
      case 'discard':
        return this.#change(inbox, incident.kind, incident.state);
      case 'the clock jumps':
        this.#jump += incident.by;
        return void promises.jumps.push(now);
    }
  }

  #change(inbox: Inbox, kind: 'replay' | 'discard', state: DeliveryState): void {
    this.promises.done.add(kind);
    const batch = { filter: { state }, after: 0, limit: 5 };
    inbox.change(batch, { kind, reason: 'it is planned' }).catch(KEPT);
  }

  #pickReceiver(): SimulatedReceiver | undefined {
    const ready = this.#running.filter((receiver) => receiver?.isStopping === false);
    return ready.length === 0 ? undefined : this.#random.pick(ready);
  }

  /** The operator resumes later, also if there was no response. */
  #pause(inbox: Inbox, lasts: number): void {
    const { promises } = this;
    this.#isToPause = true;
    const paused = (): void => {
      promises.note('the pause is acknowledged');
      if (this.#isToPause) promises.pausedAt = this.#time.now;
    };
    inbox.setPaused(true).then(paused, () => (this.#isToPause = false));
    this.#in(lasts, () => {
      this.#isToPause = false;
      if (promises.isPaused) this.#resume();
    });
  }

  #resume(): void {
    this.promises.note('resume');
    this.promises.pausedAt = Infinity;
    this.#pickReceiver()?.inbox.setPaused(false).catch(KEPT);
  }

  /** Sends a delivery until it is acknowledged, or refused for what it is. */
  #send(number: number, tries = 1): void {
    const { promises, plan } = this;
    const { now } = this.#time;
    const { eventId, isRefused } = plan.deliveries[number]!;
    const again = (): void => this.#in(this.#random.between(100, 1_500), () => this.#send(number, tries + 1));
    const receiver = this.#pickReceiver();
    if (!this.#unsent.has(number)) return;
    if (receiver === undefined) return again();
    const key = `${number}.${tries}`;
    let hasResponse = false;
    const acknowledged = (id: number): void => {
      hasResponse = true;
      this.#unsent.delete(number);
      promises.acknowledged(key, id);
    };
    const refused = (error: unknown): void => {
      hasResponse = true;
      promises.note(`delivery ${key} is refused`);
      if (isRefused) return void this.#unsent.delete(number);
      if (receiver.troubledAt < now - 1_000 && !receiver.isStopping)
        promises.break(`${key}: ${String(error)}`);
      again();
    };
    // SQLite takes no delivery without a method.
    const method = (isRefused ? null : 'POST') as string;
    const delivery = {
      method,
      mediaType: key,
      contentEncoding: null,
      eventId,
      fields: [],
      content: Buffer.from(key),
    };
    promises.sent(key, eventId);
    receiver.inbox.accept(delivery).then(acknowledged, refused).catch(KEPT);
    this.#in(SENDER_TIMEOUT, () => {
      if (!hasResponse) again();
    });
  }

  #handle(receiver: SimulatedReceiver, delivery: Delivery, attempt: Attempt): Promise<void> | void {
    const { promises, plan } = this;
    const { clock } = receiver;
    const { takes, blocks, failures, failure } = plan.deliveries[Number.parseInt(delivery.mediaType!, 10)]!;
    const fails = promises.begun(receiver, delivery) <= failures;
    let hasEnded = false;
    const end = (result: 'handled' | 'failed' | 'cut off'): void => {
      if (!hasEnded) promises.ended(receiver, delivery, result);
      hasEnded = true;
    };
    const finish = (): void => {
      end(fails ? 'failed' : 'handled');
      if (fails) throw PLANNED;
    };
    if (blocks) {
      const watched = plan.limits.timeout + WATCHDOG_MARGIN;
      if (takes > watched) this.#time.at(clock.now() + watched, () => this.#end(receiver));
      clock.block(takes);
      receiver.troubledAt = clock.now();
      return finish();
    }
    if (takes === 0 && (!fails || failure === 'rejects')) return finish();
    attempt.signal.addEventListener('abort', () => end(receiver.isCutOff ? 'cut off' : 'failed'), {
      once: true,
    });
    return new Promise<void>((resolve) => {
      if (fails && failure === 'hangs') return;
      clock.setTimeout(() => {
        if (fails && failure === 'ends the process') this.#end(receiver, this.#random.between(1, 1_000));
        else resolve();
      }, takes);
    }).then(finish);
  }
}

/**
 * Carries out a plan, one at a time.
 *
 * @throws Error that says which promise was broken, and how to see it again
 */
export async function simulate(plan: Plan): Promise<Promises> {
  const simulation = new Simulation(plan);
  const { promises } = simulation;
  try {
    await simulation.run();
    return promises;
  } catch (cause) {
    const lines = [
      `Seed ${plan.seed} breaks a promise. ${(cause as Error).message}`,
      ...['The plan:', ...describePlan(plan), 'The last events:', ...promises.journal.slice(-60)],
      `Run it again: npm run simulate -- --seed ${plan.seed}`,
    ];
    throw new Error(lines.join('\n'), { cause });
  }
}
