import { Counters } from '../src/counters.js';
import { type Attempt, callHandler } from '../src/dispatch/attempt.js';
import { Dispatcher } from '../src/dispatch/dispatcher.js';
import type { Delivery } from '../src/inbox/delivery.js';
import { Inbox } from '../src/inbox/inbox.js';
import type { CycleCall } from '../src/inbox/sqlite/sqlite-cycle.js';
import type { Memory } from './database.js';
import type { Known } from './ledger.js';
import type { Plan } from './plan.js';
import type { Promises, Watched } from './promises.js';
import { SimulatedStore, type StoreFault } from './simulated-store.js';
import { ProcessClock, type Random, type VirtualTime } from './virtual-time.js';

const SILENT = { error: () => undefined, warn: () => undefined };

/** What a handler throws that fails. */
const PLANNED = new Error('planned');

/** How much longer than an attempt may take, a handler may block: see watchdog.ts. */
const WATCHDOG_MARGIN = 1_000;

/** How often to look for what has expired. */
const RETENTION_INTERVAL = 1_000;

/** What is around the receivers. */
export interface World {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly memory: Memory;
  readonly promises: Promises;
  /** The clock of the database, in milliseconds since 1970. */
  readonly wall: () => number;
  /** What goes wrong with the transaction of a receiver that begins now. */
  readonly fault: (receiver: SimulatedReceiver) => StoreFault | undefined;
  /** A receiver has committed a transaction, and doesn't know yet. */
  readonly committed: (receiver: SimulatedReceiver, calls: readonly CycleCall[]) => void;
  /** The process of a receiver ends, and starts again after a while. */
  readonly end: (receiver: SimulatedReceiver, down: number) => void;
}

/** A receiver from its start to its end: the real inbox and dispatcher, and the handler of a plan. Times are virtual. */
export class SimulatedReceiver implements Watched {
  readonly clock: ProcessClock;
  readonly store: SimulatedStore;
  readonly inbox: Inbox;
  readonly dispatcher: Dispatcher;
  readonly attempts = new Map<string, { readonly interruptions: number }>();
  readonly startedAt: number;
  endedAt = 0;
  isStopping = false;
  troubledAt: number;
  fullAt = 0;
  idleCycles = 0;
  #isCutOff = false;

  constructor(
    readonly name: string,
    private readonly world: World,
    Kind: typeof Inbox,
  ) {
    const { plan, time, random, memory, wall, fault, committed } = world;
    this.startedAt = this.troubledAt = time.now;
    this.clock = new ProcessClock(time, random.next);
    this.store = new SimulatedStore({
      ...{ receiver: name, time, clock: this.clock, random, memory, wall },
      ...{ isShared: plan.receivers > 1, latency: plan.latency },
      fault: () => fault(this),
      committed: (calls) => committed(this, calls),
    });
    const counters = new Counters();
    this.inbox = new Kind(this.store, { counters, logger: SILENT }, this.clock);
    const handler = (delivery: Delivery, attempt: Attempt): Promise<void> | void =>
      callHandler(() => this.#handle(delivery, attempt), delivery, attempt);
    this.dispatcher = new Dispatcher(this.inbox, handler, plan.limits, SILENT, counters, this.clock);
  }

  start(): void {
    this.dispatcher.start();
    this.#removeExpired();
  }

  /** Stops as receiver.ts does. */
  async stop(timeout: number): Promise<void> {
    const deadline = new AbortController();
    this.isStopping = true;
    this.clock.setTimeout(() => {
      this.#isCutOff = true;
      deadline.abort();
    }, timeout);
    await this.dispatcher.stop(deadline.signal);
    await this.inbox.close();
  }

  #removeExpired(): void {
    const { maxAge } = this.world.plan;
    if (this.isStopping || maxAge === undefined) return;
    const again = (): void => void this.clock.setTimeout(() => this.#removeExpired(), RETENTION_INTERVAL);
    this.inbox.removeExpired({ maxAge, maxBytes: undefined, maxEventAge: maxAge }).then(again, again);
  }

  #handle(delivery: Delivery, attempt: Attempt): Promise<void> | void {
    const { promises, plan, time, random, end } = this.world;
    const { takes, blocks, failures, failure } = plan.deliveries[Number.parseInt(delivery.mediaType!, 10)]!;
    const fails = promises.begun(this, delivery) <= failures;
    let hasEnded = false;
    const note = (result: Known['result']): void => {
      if (!hasEnded) promises.ended(this, delivery, result);
      hasEnded = true;
    };
    const finish = (): void => {
      note(fails ? 'failed' : 'handled');
      if (fails) throw PLANNED;
    };
    if (blocks) {
      const watched = plan.limits.timeout + WATCHDOG_MARGIN;
      if (takes > watched) time.at(this.clock.now() + watched, () => end(this, 100));
      this.clock.block(takes);
      this.troubledAt = this.clock.now();
      return finish();
    }
    if (takes === 0 && (!fails || failure === 'rejects')) return finish();
    attempt.signal.addEventListener('abort', () => note(this.#isCutOff ? 'cut off' : 'failed'));
    return new Promise<void>((resolve) => {
      if (fails && failure === 'hangs') return;
      this.clock.setTimeout(() => {
        if (fails && failure === 'ends the process') end(this, random.between(1, 1_000));
        else resolve();
      }, takes);
    }).then(finish);
  }
}
