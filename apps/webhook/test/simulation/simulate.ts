import { CHANGEABLE } from '../../src/inbox/acts.js';
import type { Origin } from '../../src/inbox/inbox-operations.js';
import { Database } from './database.js';
import { describePlan, type Incident, type Plan } from './plan.js';
import { Promises } from './promises.js';
import { type Parts, REAL, Receiver, type Surroundings } from './receiver.js';
import { Random, VirtualTime } from './virtual-time.js';

/** How long everything may take when nothing more goes wrong, in milliseconds, and in events. */
const MAX_TAIL = 900_000;
const MAX_EVENTS = 1_000_000;

/** How much longer than its deadline a stop may take, in milliseconds. */
const TIME_TO_STORE = 2_000;

/** How long a sender waits for a response, in milliseconds. */
const SENDER_TIMEOUT = 3_000;

/** So many of the last lines of a journal are told. */
const TOLD = 60;

/** What was broken is kept, see `Promises.broken`. */
const KEPT = (): void => undefined;

/** Who acts. */
const OPERATOR: Origin = { operator: 'an operator', source: 'the simulation', reason: 'it is planned' };

/** Carries a plan out: its receivers, senders and operators. */
export class Simulation implements Surroundings {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly database: Database;
  readonly promises: Promises;
  /** The receivers that run, by their places. */
  readonly #running: (Receiver | undefined)[] = [];
  /** Deliveries whose sender has no response. */
  readonly #unsent: Set<number>;
  #isToPause = false;
  /** Requests to resume without a response, and when the last one came: they may be carried out after a pause. */
  #resumes = 0;
  #resumedAt = -Infinity;
  #isOver = false;

  constructor(
    readonly plan: Plan,
    readonly parts: Parts,
  ) {
    this.random = new Random(~plan.seed);
    this.database = new Database(this.time, this.random, plan.latency);
    this.promises = new Promises(plan, this.database);
    this.#unsent = new Set(plan.deliveries.keys());
  }

  /** @throws Error if a promise was broken */
  async run(): Promise<void> {
    const { receivers, deliveries, incidents } = this.plan;
    for (let place = 0; place < receivers; place += 1) this.#start(place);
    for (const [number, { at }] of deliveries.entries()) this.#in(at, () => this.#send(number));
    for (const incident of incidents) this.#in(incident.at, () => this.#happen(incident));
    this.#look();
    for (let events = 0; !this.#isOver; events += 1) {
      await this.time.step();
      if (events > MAX_EVENTS) this.promises.break('it never ends');
      if (this.promises.broken !== undefined) throw this.promises.broken;
    }
    this.promises.checkRoom();
  }

  end(receiver: Receiver, down: number): void {
    if (!receiver.clock.isAlive) return;
    this.promises.note(`${receiver.name} ends`);
    receiver.clock.isAlive = false;
    receiver.endedAt = this.time.now;
    const place = this.#running.indexOf(receiver);
    this.#running[place] = undefined;
    this.#in(down, () => this.#start(place));
  }

  #in(milliseconds: number, run: () => void): void {
    this.time.at(this.time.now + milliseconds, run);
  }

  #start(place: number): void {
    const name = `${'AB'[place]}${this.promises.receivers.size}`;
    const receiver = new Receiver(name, this);
    this.promises.note(`${name} starts`);
    this.promises.receivers.set(name, receiver);
    this.#running[place] = receiver;
    receiver.troubledAt = Math.max(receiver.troubledAt, this.database.standsUntil);
    receiver.start();
  }

  async #stop(receiver: Receiver, timeout: number, down: number): Promise<void> {
    const { now } = this.time;
    this.#in(timeout + TIME_TO_STORE, () => {
      if (receiver.clock.isAlive && receiver.troubledAt < now)
        this.promises.break(`${receiver.name} doesn't stop`);
      this.end(receiver, down);
    });
    await receiver.stop(timeout);
    if (receiver.troubledAt < now) this.promises.stopped(receiver);
    this.end(receiver, down);
  }

  /** Looks each second whether everything is well, and over. */
  #look(): void {
    const { promises, plan, database } = this;
    const isQuiet = this.time.now > plan.end;
    if (isQuiet) database.nothingGoesWrong();
    promises.check();
    if (!this.#isToPause && promises.isPaused) this.#resume();
    const isIdle = this.#running.every((receiver) => receiver?.dispatcher.running === 0);
    this.#isOver = isQuiet && isIdle && this.#unsent.size + promises.open.size === 0;
    if (this.time.now > plan.end + MAX_TAIL) promises.break('deliveries are left');
    this.#in(1_000, () => this.#look());
  }

  #happen(incident: Incident): void {
    const { promises, database } = this;
    const { now } = this.time;
    const receiver = this.#pickReceiver();
    promises.note(`${incident.kind}${receiver === undefined ? '' : ` (${receiver.name})`}`);
    if (receiver === undefined) return;
    switch (incident.kind) {
      case 'kill':
        return this.end(receiver, incident.down);
      case 'kill after the next commit':
        return void (receiver.afterCommit = () => this.#in(0, () => this.end(receiver, incident.down)));
      case 'stop':
        return void this.#stop(receiver, incident.timeout, incident.down).catch(KEPT);
      case 'the store refuses':
        database.refusesNext = true;
        return void (database.refusesUntil = now + incident.lasts);
      case 'replies are lost':
        return void (database.losesUntil = now + incident.lasts);
      case 'it stands still':
        receiver.clock.block(incident.lasts);
        return void (receiver.troubledAt = Math.max(receiver.troubledAt, receiver.clock.now()));
      case 'the database stands still':
        database.standsUntil = Math.max(database.standsUntil, now + incident.lasts);
        for (const each of promises.receivers.values())
          each.troubledAt = Math.max(each.troubledAt, database.standsUntil);
        return undefined;
      case 'pause':
        return this.#pause(receiver, incident.lasts);
      case 'replay':
      case 'discard': {
        promises.done.add(incident.kind);
        const filter = { ...incident.filter, state: CHANGEABLE[incident.kind] };
        return void receiver.inbox.operations.acts.begin(incident.kind, filter, OPERATOR).catch(KEPT);
      }
      case 'the clock jumps':
        database.jump += incident.by;
        return void (promises.jumpedAt = now);
    }
  }

  #pickReceiver(): Receiver | undefined {
    const ready = this.#running.filter((receiver) => receiver?.isStopping === false);
    return ready.length === 0 ? undefined : this.random.pick(ready);
  }

  /** The operator resumes later, also if there was no response. */
  #pause(receiver: Receiver, lasts: number): void {
    const { promises } = this;
    this.#isToPause = true;
    const askedAt = this.time.now;
    const paused = (): void => {
      promises.note('the pause is acknowledged');
      if (!this.#isToPause || this.#resumes > 0 || this.#resumedAt >= askedAt) return;
      promises.pausedAt = this.time.now;
      promises.pausedBy = receiver;
    };
    receiver.inbox.operations.setPaused(true).then(paused, () => (this.#isToPause = false));
    this.#in(lasts, () => {
      this.#isToPause = false;
      if (promises.isPaused) this.#resume();
    });
  }

  #resume(): void {
    this.promises.note('resume');
    this.promises.pausedAt = Infinity;
    const receiver = this.#pickReceiver();
    if (receiver === undefined) return;
    this.#resumes += 1;
    const resumed = (): void => {
      this.#resumes -= 1;
      this.#resumedAt = this.time.now;
    };
    receiver.inbox.operations.setPaused(false).then(resumed, resumed);
  }

  /** Sends a delivery until it is acknowledged. */
  #send(number: number, tries = 1): void {
    const { promises, plan } = this;
    const { eventId } = plan.deliveries[number]!;
    const again = (): void => this.#in(this.random.between(100, 1_500), () => this.#send(number, tries + 1));
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
    const failed = (response: unknown): void => {
      if (hasResponse) return;
      hasResponse = true;
      promises.unacknowledged(key, receiver, String(response));
      again();
    };
    const content = Buffer.from(key);
    const delivery = { method: 'POST', mediaType: key, contentEncoding: null, eventId, fields: [], content };
    promises.sent(key, eventId ?? key);
    receiver.inbox.accept(delivery).then(acknowledged, failed).catch(KEPT);
    this.#in(SENDER_TIMEOUT, () => failed('no response'));
  }
}

/**
 * Carries out a plan, one at a time.
 *
 * @param planted parts that break a promise
 * @throws Error that says which promise was broken, and how to see it again
 */
export async function simulate(plan: Plan, planted: Partial<Parts> = {}): Promise<Simulation> {
  const simulation = new Simulation(plan, { ...REAL, ...planted });
  try {
    await simulation.run();
    return simulation;
  } catch (cause) {
    const lines = [
      `Seed ${plan.seed} breaks a promise. ${(cause as Error).message}`,
      ...describePlan(plan),
      ...simulation.promises.journal.slice(-TOLD),
      `Run it again: npm run simulate -- --seed ${plan.seed}`,
    ];
    throw new Error(lines.join('\n'), { cause });
  }
}
