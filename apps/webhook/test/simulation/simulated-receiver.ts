import type { Attempt, Delivery } from '@plant-store/handler';

import { Counters } from '../../src/counters.js';
import type { AttemptHandler } from '../../src/dispatch/attempt.js';
import { Dispatcher } from '../../src/dispatch/dispatcher.js';
import { Inbox } from '../../src/inbox/inbox.js';
import type { Known } from './ledger.js';
import { Process } from './promises.js';
import { SimulatedStore } from './simulated-store.js';
import { ProcessClock } from './virtual-time.js';
import type { World } from './world.js';

const SILENT = {
  debug: () => undefined,
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
};

/** What a handler throws that fails. */
const PLANNED = new Error('planned');

/** How much longer than an attempt may take, a handler may block: see watchdog.ts. */
const WATCHDOG_MARGIN = 1_000;

/** How often to look for what has expired. */
const RETENTION_INTERVAL = 1_000;

/** A receiver from its start to its end: the real inbox and dispatcher, and the handler of a plan. Times are virtual. */
export class SimulatedReceiver extends Process {
  readonly inbox: Inbox;
  readonly dispatcher: Dispatcher;
  #isCutOff = false;

  constructor(
    name: string,
    private readonly world: World,
    Kind: typeof Inbox,
  ) {
    super(name, new ProcessClock(world.time, world.random.next));
    const { clock } = this;
    const counters = new Counters();
    this.inbox = new Kind(new SimulatedStore(world, this), { counters, logger: SILENT }, clock);
    const handler: AttemptHandler = {
      handle: (delivery, attempt) => this.#handle(delivery, attempt),
      logger: SILENT,
    };
    this.dispatcher = new Dispatcher(this.inbox, handler, world.plan.limits, SILENT, counters, clock);
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
    this.inbox.operations
      .removeExpired({ maxAge, maxBytes: undefined, maxEventAge: maxAge })
      .then(again, again);
  }

  #handle(delivery: Delivery, attempt: Attempt): Promise<void> | void {
    const { world, clock } = this;
    const { promises, plan, time, random } = world;
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
      if (takes > watched) time.at(clock.now() + watched, () => world.end(this, 100));
      clock.block(takes);
      this.troubledAt = clock.now();
      return finish();
    }
    if (takes === 0 && (!fails || failure === 'rejects')) return finish();
    attempt.signal.addEventListener('abort', () => note(this.#isCutOff ? 'cut off' : 'failed'));
    return new Promise<void>((resolve) => {
      if (fails && failure === 'hangs') return;
      clock.setTimeout(() => {
        if (fails && failure === 'ends the process') world.end(this, random.between(1, 1_000));
        else resolve();
      }, takes);
    }).then(finish);
  }
}
