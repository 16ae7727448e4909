import { CHANGEABLE } from '../../src/inbox/acts.js';
import type { Origin } from '../../src/inbox/inbox-operations.js';
import { Inbox } from '../../src/inbox/inbox.js';
import { describePlan, type Incident, type Plan } from './plan.js';
import { SimulatedReceiver } from './simulated-receiver.js';
import { World } from './world.js';

/** How long everything may take when nothing more goes wrong, in milliseconds, and in events. */
const MAX_TAIL = 900_000;
const MAX_EVENTS = 1_000_000;

/** How much longer than its deadline a stop may take, in milliseconds. */
const TIME_TO_STORE = 2_000;

/** How long a sender waits for a response, in milliseconds. */
const SENDER_TIMEOUT = 3_000;

/** What was broken is kept, see `Journal.broken`. */
const KEPT = (): void => undefined;

/** Who acts. */
export const OPERATOR: Origin = {
  operator: 'an operator',
  source: 'the simulation',
  reason: 'it is planned',
};

/** Carries a plan out: its deliveries and incidents, their senders and operators. */
export class Simulation extends World {
  /** The receivers that run, by their places. */
  readonly #running: (SimulatedReceiver | undefined)[] = [];
  /** Deliveries whose sender has no response. */
  readonly #unsent = new Set(this.plan.deliveries.keys());
  #isToPause = false;
  /** Requests to resume without a response: they may come after a pause. */
  #resumes = 0;
  #isOver = false;

  constructor(
    plan: Plan,
    private readonly Kind: typeof Inbox,
  ) {
    super(plan);
  }

  /** @throws Error if a promise was broken */
  async run(): Promise<void> {
    const { receivers, deliveries, incidents } = this.plan;
    for (let place = 0; place < receivers; place += 1) this.#start(place);
    for (const [number, { at }] of deliveries.entries()) this.in(at, () => this.#send(number));
    for (const incident of incidents) this.in(incident.at, () => this.#happen(incident));
    this.#look();
    for (let events = 0; !this.#isOver; events += 1) {
      await this.time.step();
      if (events > MAX_EVENTS) this.journal.break('it never ends');
      if (this.journal.broken !== undefined) throw this.journal.broken;
    }
    this.promises.checkRoom();
  }

  end(receiver: SimulatedReceiver, down: number): void {
    if (!receiver.clock.isAlive) return;
    this.journal.note(`${receiver.name} ends`);
    receiver.clock.isAlive = false;
    receiver.endedAt = this.time.now;
    const place = this.#running.indexOf(receiver);
    this.#running[place] = undefined;
    this.in(down, () => this.#start(place));
  }

  #start(place: number): void {
    const name = `${'AB'[place]}${this.promises.receivers.size}`;
    const receiver = new SimulatedReceiver(name, this, this.Kind);
    this.journal.note(`${name} starts`);
    this.promises.receivers.set(name, receiver);
    this.#running[place] = receiver;
    receiver.troubledAt = Math.max(receiver.troubledAt, this.standsUntil);
    receiver.start();
  }

  async #stop(receiver: SimulatedReceiver, timeout: number, down: number): Promise<void> {
    const { now } = this.time;
    this.in(timeout + TIME_TO_STORE, () => {
      if (receiver.clock.isAlive && receiver.troubledAt < now)
        this.journal.break(`${receiver.name} doesn't stop`);
      this.end(receiver, down);
    });
    await receiver.stop(timeout);
    if (receiver.troubledAt < now) this.promises.stopped(receiver);
    this.end(receiver, down);
  }

  /** Looks each second whether everything is well, and over. */
  #look(): void {
    const { promises, plan } = this;
    const isQuiet = this.time.now > plan.end;
    if (isQuiet) {
      this.refusesUntil = this.losesUntil = this.standsUntil = 0;
      this.refusesNext = false;
      this.endsNext = undefined;
    }
    promises.check();
    if (!this.#isToPause && this.ledger.isPaused) this.#resume();
    const isIdle = this.#running.every((receiver) => receiver?.dispatcher.running === 0);
    this.#isOver = isQuiet && isIdle && this.#unsent.size + this.ledger.open.size === 0;
    if (this.time.now > plan.end + MAX_TAIL) this.journal.break('deliveries are left');
    this.in(1_000, () => this.#look());
  }

  #happen(incident: Incident): void {
    const { promises } = this;
    const { now } = this.time;
    const receiver = this.#pickReceiver();
    this.journal.note(incident.kind);
    if (receiver === undefined) return;
    const { inbox } = receiver;
    switch (incident.kind) {
      case 'kill':
        return this.end(receiver, incident.down);
      case 'kill after the next commit':
        return void (this.endsNext = incident);
      case 'stop':
        return void this.#stop(receiver, incident.timeout, incident.down).catch(KEPT);
      case 'the store refuses':
        this.refusesNext = true;
        return void (this.refusesUntil = now + incident.lasts);
      case 'replies are lost':
        return void (this.losesUntil = now + incident.lasts);
      case 'it stands still':
        receiver.clock.block(incident.lasts);
        return void (receiver.troubledAt = Math.max(receiver.troubledAt, receiver.clock.now()));
      case 'the database stands still':
        this.standsUntil = Math.max(this.standsUntil, now + incident.lasts);
        for (const each of promises.receivers.values())
          each.troubledAt = Math.max(each.troubledAt, this.standsUntil);
        return undefined;
      case 'pause':
        return this.#pause(inbox, incident.lasts);
      case 'replay':
      case 'discard': {
        promises.done.add(incident.kind);
        const filter = { ...incident.filter, state: CHANGEABLE[incident.kind] };
        return void inbox.operations.acts.begin(incident.kind, filter, OPERATOR).catch(KEPT);
      }
      case 'the clock jumps':
        this.jump += incident.by;
        return void promises.jumps.push(now);
    }
  }

  #pickReceiver(): SimulatedReceiver | undefined {
    const ready = this.#running.filter((receiver) => receiver?.isStopping === false);
    return ready.length === 0 ? undefined : this.random.pick(ready);
  }

  /** The operator resumes later, also if there was no response. */
  #pause(inbox: Inbox, lasts: number): void {
    const { promises } = this;
    this.#isToPause = true;
    const paused = (): void => {
      this.journal.note('the pause is acknowledged');
      if (this.#isToPause && this.#resumes === 0) promises.pausedAt = this.time.now;
    };
    inbox.operations.setPaused(true).then(paused, () => (this.#isToPause = false));
    this.in(lasts, () => {
      this.#isToPause = false;
      if (this.ledger.isPaused) this.#resume();
    });
  }

  #resume(): void {
    this.journal.note('resume');
    this.promises.pausedAt = Infinity;
    const receiver = this.#pickReceiver();
    if (receiver === undefined) return;
    this.#resumes += 1;
    const resumed = (): void => void (this.#resumes -= 1);
    receiver.inbox.operations.setPaused(false).then(resumed, resumed);
  }

  /** Sends a delivery until it is acknowledged. */
  #send(number: number, tries = 1): void {
    const { promises, plan } = this;
    const { eventId } = plan.deliveries[number]!;
    const again = (): void => this.in(this.random.between(100, 1_500), () => this.#send(number, tries + 1));
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
    this.in(SENDER_TIMEOUT, () => failed('no response'));
  }
}

/**
 * Carries out a plan, one at a time.
 *
 * @param Kind another inbox, which breaks a promise
 * @throws Error that says which promise was broken, and how to see it again
 */
export async function simulate(plan: Plan, Kind = Inbox): Promise<Simulation> {
  const simulation = new Simulation(plan, Kind);
  try {
    await simulation.run();
    return simulation;
  } catch (cause) {
    const lines = [
      `Seed ${plan.seed} breaks a promise. ${(cause as Error).message}`,
      ...describePlan(plan),
      ...simulation.journal.lines.slice(-60),
      `Run it again: npm run simulate -- --seed ${plan.seed}`,
    ];
    throw new Error(lines.join('\n'), { cause });
  }
}
