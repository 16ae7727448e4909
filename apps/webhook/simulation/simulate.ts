import Database from 'libsql';

import { Counters } from '../src/counters.js';
import { type Attempt, callHandler } from '../src/dispatch/attempt.js';
import { Dispatcher } from '../src/dispatch/dispatcher.js';
import type { Delivery } from '../src/inbox/delivery.js';
import { Inbox } from '../src/inbox/inbox.js';
import { migrate } from '../src/inbox/sqlite/migrate.js';
import { describePlan, type Incident, type Plan, type PlannedDelivery } from './plan.js';
import { Promises } from './promises.js';
import { Leases, SharedStore } from './shared-store.js';
import { EmbeddedStore, type Host, type SimulatedStore } from './simulated-store.js';
import { ProcessClock, Random, VirtualTime } from './virtual-time.js';

/** A receiver from its start to its end. */
export interface SimulatedReceiver {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly store: SimulatedStore;
  readonly inbox: Inbox;
  readonly dispatcher: Dispatcher;
  /** What its handler does now. */
  readonly attempts: Map<string, { readonly interruptions: number }>;
  readonly startedAt: number;
  endedAt: number;
  isStopping: boolean;
  /** When its store last failed or its handler blocked, and when it last had no place for an attempt. */
  troubledAt: number;
  fullAt: number;
  idleCycles: number;
}

const SILENT = { error: () => undefined, warn: () => undefined };

/** The wall clock at the start. */
const START = Date.UTC(2027, 0, 1);

/** How long everything may take when nothing more goes wrong, in virtual milliseconds. */
const MAX_TAIL = 900_000;

/** How much longer than an attempt may take, a process may be blocked: see watchdog.ts. */
const WATCHDOG_MARGIN = 1_000;

/** How long a receiver that was to stop may still store results. */
const TIME_TO_STORE = 2_000;

/** Most events of a simulation. */
const MAX_EVENTS = 300_000;

/** A promise that was broken is kept, see {@link Promises.broken}. */
const KEPT = (): void => undefined;

/** Carries a plan out. */
export class Simulation {
  readonly promises: Promises;
  readonly #time = new VirtualTime();
  readonly #random: Random;
  readonly #database = new Database(':memory:');
  readonly #leases: Leases;
  /** Every start of a receiver by its name, and those that run by their place. */
  readonly #receivers = new Map<string, SimulatedReceiver>();
  readonly #running: (SimulatedReceiver | undefined)[] = [];
  /** Deliveries whose sender has no response yet. */
  readonly #unsent: Set<number>;
  #jump = 0;
  #refusesUntil = -1;
  #losesUntil = -1;
  #refusesNext = false;
  #killsNext: { readonly down: number } | undefined;
  #isToPause = false;
  #isOver = false;

  constructor(private readonly plan: Plan) {
    this.#random = new Random(~plan.seed);
    migrate(this.#database, '');
    this.#leases = new Leases(this.#database);
    const now = (): number => this.#time.now;
    this.promises = new Promises(plan, this.#database, now, this.#wall, this.#receivers, this.#leases);
    this.#unsent = new Set(plan.deliveries.keys());
  }

  /** @throws Error if a promise was broken */
  async run(): Promise<void> {
    const { receivers, deliveries, incidents } = this.plan;
    for (let place = 0; place < receivers; place += 1) this.#open(place);
    for (const [number, { at }] of deliveries.entries()) this.#time.at(at, () => this.#send(number));
    for (const incident of incidents) this.#time.at(incident.at, () => this.#happen(incident));
    this.#look();
    for (let events = 0; !this.#isOver; events += 1) {
      await this.#time.step();
      if (events > MAX_EVENTS) this.promises.break('it never ends');
      if (this.promises.broken !== undefined) throw this.promises.broken;
    }
    this.promises.checkEnd();
    this.#database.close();
  }

  readonly #wall = (): number => START + this.#time.now + this.#jump;

  #in(milliseconds: number, run: () => void): void {
    this.#time.at(this.#time.now + milliseconds, run);
  }

  /** What an operator sees each second. */
  #look(): void {
    const { promises, plan } = this;
    const isQuiet = this.#time.now > plan.end;
    if (isQuiet) {
      this.#refusesUntil = this.#losesUntil = -1;
      this.#refusesNext = false;
      this.#killsNext = undefined;
    }
    promises.check();
    if (!this.#isToPause && promises.isPaused) this.#resume();
    const isIdle = this.#running.every((receiver) => receiver?.dispatcher.running === 0);
    this.#isOver = isQuiet && isIdle && this.#unsent.size === 0 && promises.areOver;
    if (this.#time.now > plan.end + MAX_TAIL) promises.break('deliveries are left');
    this.#in(1_000, () => this.#look());
  }

  #open(place: number): void {
    const { plan, promises } = this;
    const name = `${'AB'[place]}${this.#receivers.size}`;
    const clock = new ProcessClock(this.#time, this.#random.next);
    const host: Host = {
      receiver: name,
      time: this.#time,
      clock,
      random: this.#random,
      database: this.#database,
      wall: this.#wall,
      latency: plan.latency,
      fault: () => this.#fault(receiver),
      committed: (calls) => {
        const isIdle = !promises.committed() && calls.every((call) => call.results.length === 0);
        if (isIdle && calls.length > 0) receiver.idleCycles += 1;
        if (this.#killsNext !== undefined) this.#end(receiver, this.#killsNext.down);
      },
    };
    const store = plan.receivers > 1 ? new SharedStore(host, this.#leases) : new EmbeddedStore(host);
    const counters = new Counters();
    const inbox = new Inbox(store, { counters, logger: SILENT }, clock);
    const handle = (delivery: Delivery, attempt: Attempt): Promise<void> | void =>
      callHandler((...given) => this.#handle(receiver, ...given), delivery, attempt);
    const dispatcher = new Dispatcher(inbox, handle, plan.limits, SILENT, counters, clock);
    const { now } = this.#time;
    const receiver: SimulatedReceiver = {
      ...{ name, clock, store, inbox, dispatcher, attempts: new Map(), startedAt: now },
      ...{ endedAt: 0, isStopping: false, troubledAt: now, fullAt: 0, idleCycles: 0 },
    };
    promises.note(`${name} starts`);
    this.#receivers.set(name, receiver);
    this.#running[place] = receiver;
    dispatcher.start();
    if (plan.maxAge !== undefined) this.#removeExpired(receiver, plan.maxAge);
  }

  #removeExpired(receiver: SimulatedReceiver, maxAge: number): void {
    const again = (): void => this.#removeExpired(receiver, maxAge);
    if (receiver.isStopping) return;
    receiver.inbox
      .removeExpired({ maxAge, maxBytes: undefined, maxEventAge: maxAge })
      .catch(() => undefined)
      .finally(() => receiver.clock.setTimeout(again, 1_000));
  }

  #fault(receiver: SimulatedReceiver): ReturnType<Host['fault']> {
    const { now } = this.#time;
    const isRefused = this.#refusesNext || now < this.#refusesUntil;
    const isLost = now < this.#losesUntil;
    this.#refusesNext = false;
    if (!isRefused && !isLost) return undefined;
    this.promises.note(`${receiver.name} can't write, or doesn't know`);
    receiver.troubledAt = now;
    return isRefused ? 'refused' : 'reply lost';
  }

  /** The process ends, and something starts it again. */
  #end(receiver: SimulatedReceiver, down: number): void {
    this.#killsNext = undefined;
    if (!receiver.clock.isAlive) return;
    this.promises.note(`${receiver.name} ends`);
    receiver.clock.isAlive = false;
    receiver.endedAt = this.#time.now;
    const place = this.#running.indexOf(receiver);
    this.#running[place] = undefined;
    this.#in(down, () => this.#open(place));
  }

  /** Stops as receiver.ts does. */
  async #stop(receiver: SimulatedReceiver, timeout: number, down: number): Promise<void> {
    const { clock, dispatcher, inbox } = receiver;
    const since = this.#time.now;
    const deadline = new AbortController();
    receiver.isStopping = true;
    clock.setTimeout(() => deadline.abort(), timeout);
    this.#in(timeout + TIME_TO_STORE, () => {
      if (clock.isAlive && receiver.troubledAt < since) this.promises.break(`${receiver.name} doesn't stop`);
      this.#end(receiver, down);
    });
    await dispatcher.stop(deadline.signal);
    await inbox.close();
    if (receiver.troubledAt < since) this.promises.stopped(receiver);
    this.#end(receiver, down);
  }

  #happen(incident: Incident): void {
    const { promises } = this;
    const { now } = this.#time;
    promises.note(incident.kind);
    const receiver = this.#pickReceiver();
    switch (incident.kind) {
      case 'kill':
        return receiver && this.#end(receiver, incident.down);
      case 'kill after the next commit':
        return void (this.#killsNext = incident);
      case 'stop':
        return receiver && void this.#stop(receiver, incident.timeout, incident.down).catch(KEPT);
      case 'the store refuses':
        this.#refusesNext = true;
        return void (this.#refusesUntil = now + incident.lasts);
      case 'replies are lost':
        return void (this.#losesUntil = this.plan.receivers > 1 ? now + incident.lasts : -1);
      case 'pause that fails':
        this.#refusesUntil = now + 50;
        return receiver && this.#pause(receiver, incident.lasts);
      case 'pause':
        return receiver && this.#pause(receiver, incident.lasts);
      case 'replay':
        promises.replays += 1;
        return this.#change(receiver, incident, { kind: 'replay' });
      case 'discard':
        promises.discards += 1;
        return this.#change(
          receiver,
          { state: 'parked', ...incident },
          { kind: 'discard', reason: 'a plan' },
        );
      case 'clock jumps':
        this.#jump += incident.by;
        promises.changedAt = now;
        return void promises.jumps.push(now);
    }
  }

  #pickReceiver(): SimulatedReceiver | undefined {
    const ready = this.#running.filter((receiver) => receiver !== undefined && !receiver.isStopping);
    return ready.length === 0 ? undefined : this.#random.pick(ready);
  }

  #change(
    receiver: SimulatedReceiver | undefined,
    { state, limit }: { readonly state: 'handled' | 'parked' | 'retrying'; readonly limit: number },
    change: Parameters<Inbox['change']>[1],
  ): void {
    receiver?.inbox.change({ filter: { state }, after: 0, limit }, change).catch(() => undefined);
  }

  #pause({ inbox }: SimulatedReceiver, lasts: number): void {
    const { promises } = this;
    this.#isToPause = true;
    const resume = (): void => {
      this.#isToPause = false;
      this.#resume();
    };
    inbox
      .setPaused(true)
      .then(
        () => {
          promises.note('the pause is acknowledged');
          promises.pausedSince = this.#time.now;
          this.#in(lasts, resume);
        },
        () => (this.#isToPause = false),
      )
      .catch(KEPT);
  }

  #resume(): void {
    this.promises.pausedSince = Infinity;
    const resumed = (): void => void (this.promises.changedAt = this.#time.now);
    this.#pickReceiver()?.inbox.setPaused(false).then(resumed, resumed).catch(KEPT);
  }

  /** Sends a delivery until it is acknowledged, or was refused for what it is. */
  #send(number: number, tries = 1): void {
    const { promises, plan } = this;
    const planned = plan.deliveries[number]!;
    const again = (): void => this.#in(this.#random.between(100, 1_500), () => this.#send(number, tries + 1));
    const receiver = this.#pickReceiver();
    if (!this.#unsent.has(number)) return;
    if (receiver === undefined) return again();
    const { now } = this.#time;
    const key = `${number}.${tries}`;
    const head = {
      method: planned.isRefused ? null : 'POST',
      mediaType: key,
      contentEncoding: null,
      fields: [],
    };
    const delivery = { ...head, eventId: planned.eventId, content: Buffer.from(key) };
    promises.sent(key, planned.eventId);
    let hasResponse = false;
    receiver.inbox
      .accept(delivery as Parameters<Inbox['accept']>[0])
      .then(
        (id) => {
          hasResponse = true;
          promises.acknowledged(key, id);
          this.#unsent.delete(number);
        },
        (error: Error) => {
          hasResponse = true;
          promises.note(`delivery ${key} is refused`);
          if (planned.isRefused) return void this.#unsent.delete(number);
          if (receiver.troubledAt < now - 1_000 && !receiver.isStopping)
            promises.break(`${key} is refused: ${error.message}`);
          again();
        },
      )
      .catch(KEPT);
    this.#in(3_000, () => {
      if (!hasResponse) again();
    });
  }

  #handle(receiver: SimulatedReceiver, delivery: Delivery, attempt: Attempt): Promise<void> | void {
    const { promises } = this;
    const { clock } = receiver;
    const { timeout } = this.plan.limits;
    const { takes, blocks, failures, failure } = this.#plannedOf(delivery);
    const run = promises.begun(receiver, delivery);
    const fails = run <= failures;
    let isOver = false;
    const end = (isHandled: boolean): void => {
      if (!isOver) promises.ended(receiver, delivery, isHandled);
      isOver = true;
    };
    const finish = (): void => {
      end(!fails);
      if (fails) throw new Error('planned');
    };
    if (blocks) {
      const watched = timeout + WATCHDOG_MARGIN;
      if (takes > watched) this.#time.at(clock.now() + watched, () => this.#end(receiver, 100));
      clock.block(takes);
      receiver.troubledAt = clock.now();
      return finish();
    }
    if (takes === 0 && (!fails || failure === 'rejects')) return finish();
    attempt.signal.addEventListener('abort', () => end(false), { once: true });
    return new Promise((resolve, reject) => {
      if (fails && failure === 'hangs') return;
      clock.setTimeout(() => {
        if (fails && failure === 'ends the process')
          return this.#end(receiver, this.#random.between(1, 1_000));
        try {
          resolve(finish());
        } catch (error) {
          reject(error as Error);
        }
      }, takes);
    });
  }

  #plannedOf({ mediaType }: Delivery): PlannedDelivery {
    return this.plan.deliveries[Number.parseInt(mediaType!, 10)]!;
  }
}

/**
 * Carries out the plan of a seed.
 *
 * @throws Error that says which promise was broken, and how to see it again
 */
export async function simulate(plan: Plan): Promise<Simulation> {
  const simulation = new Simulation(plan);
  try {
    await simulation.run();
    return simulation;
  } catch (cause) {
    const plannedLines = describePlan(plan).map((line) => `  ${line}`);
    const lastLines = simulation.promises.journal.slice(-60).map((line) => `  ${line}`);
    const lines = [
      `Seed ${plan.seed} breaks a promise. ${(cause as Error).message}`,
      ...['The plan:', ...plannedLines, 'The last events:', ...lastLines],
      `Run it again: npm run simulate -- --seed ${plan.seed}`,
    ];
    throw new Error(lines.join('\n'), { cause });
  }
}
