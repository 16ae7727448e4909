import type { Attempt, Delivery } from '@plant-store/handler';

import { Counters } from '../../src/counters.js';
import type { AttemptHandler } from '../../src/dispatch/attempt.js';
import { Dispatcher } from '../../src/dispatch/dispatcher.js';
import { Inbox } from '../../src/inbox/inbox.js';
import type { Database } from './database.js';
import type { Plan } from './plan.js';
import { Process, type Promises } from './promises.js';
import { SimulatedStore } from './store.js';
import { ProcessClock, type Random } from './virtual-time.js';

/** What is around a receiver. */
export interface Surroundings {
  readonly plan: Plan;
  readonly random: Random;
  readonly database: Database;
  readonly promises: Promises;
  /** What the receiver is made of: a test plants faults. */
  readonly parts: Parts;
  /** Ends a process, and starts it again after a while, in milliseconds. */
  end(receiver: Receiver, down: number): void;
}

export interface Parts {
  readonly Inbox: typeof Inbox;
  readonly Store: typeof SimulatedStore;
}

export const REAL: Parts = { Inbox, Store: SimulatedStore };

const silent = (): void => undefined;
const SILENT = { debug: silent, error: silent, warn: silent, info: silent };

/** What a handler throws that fails. */
const PLANNED = new Error('planned');

/** How much longer than an attempt may take, a handler may block, in milliseconds: see watchdog.ts. */
const WATCHDOG_MARGIN = 1_000;

/** How often to look for what has expired, in milliseconds. */
const RETENTION_INTERVAL = 1_000;

/** A receiver from its start to its end: the real inbox and dispatcher, and the handler of a plan. Times are virtual. */
export class Receiver extends Process {
  readonly inbox: Inbox;
  readonly dispatcher: Dispatcher;
  #isCutOff = false;

  constructor(
    name: string,
    private readonly around: Surroundings,
  ) {
    super(name, new ProcessClock(around.database.time, around.random.next));
    const { clock } = this;
    const { plan, database, promises, parts } = around;
    const counters = new Counters();
    const store = new parts.Store(database, promises, this, plan.receivers > 1);
    this.inbox = new parts.Inbox(store, { counters, logger: SILENT }, clock);
    const handler: AttemptHandler = {
      handle: (delivery, attempt) => this.#handle(delivery, attempt),
      logger: SILENT,
    };
    this.dispatcher = new Dispatcher(this.inbox, handler, plan.limits, SILENT, counters, clock);
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
    const { maxAge } = this.around.plan;
    if (this.isStopping || maxAge === undefined) return;
    const again = (): void => void this.clock.setTimeout(() => this.#removeExpired(), RETENTION_INTERVAL);
    this.inbox.operations
      .removeExpired({ maxAge, maxBytes: undefined, maxEventAge: maxAge })
      .then(again, again);
  }

  #handle(delivery: Delivery, attempt: Attempt): Promise<void> | void {
    const { around, clock } = this;
    const { promises, plan, database, random } = around;
    const { takes, blocks, failures, failure } = plan.deliveries[Number.parseInt(delivery.mediaType!, 10)]!;
    const fails = promises.begun(this, delivery) <= failures;
    let hasEnded = false;
    const note = (result: 'handled' | 'failed' | 'cut off'): void => {
      if (!hasEnded) promises.ended(this, delivery, result);
      hasEnded = true;
    };
    const finish = (): void => {
      note(fails ? 'failed' : 'handled');
      if (fails) throw PLANNED;
    };
    if (blocks) {
      const watched = plan.limits.timeout + WATCHDOG_MARGIN;
      if (takes > watched) database.time.at(clock.now() + watched, () => around.end(this, 100));
      clock.block(takes);
      this.troubledAt = Math.max(this.troubledAt, clock.now());
      return finish();
    }
    if (takes === 0 && (!fails || failure === 'rejects')) return finish();
    attempt.signal.addEventListener('abort', () => note(this.#isCutOff ? 'cut off' : 'failed'));
    return new Promise<void>((resolve) => {
      if (fails && failure === 'hangs') return;
      clock.setTimeout(() => {
        if (fails && failure === 'ends the process') around.end(this, random.between(1, 1_000));
        else resolve();
      }, takes);
    }).then(finish);
  }
}
