import { setTimeout as pause } from 'node:timers/promises';

import type { Random } from './random.js';
import type { Subject } from './subject.js';

/** Longest time between two operations, in milliseconds. */
const MAX_PAUSE = 60;

/** Somebody who lists, replays, discards, pauses and exports, until the receiver ends. */
export class Operator {
  #isStopped = false;
  #working: Promise<void> | undefined;

  constructor(
    private readonly subject: Subject,
    private readonly random: Random,
  ) {}

  start(): void {
    this.#working = this.#work();
  }

  /** Waits for the operation under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    const resume = (): Promise<void> => this.subject.operations.change('/handler/resume');
    const tasks = [
      () => this.#replay('parked'),
      () => this.#replay('handled'),
      () => this.#discard(),
      () => this.#export(),
      () => this.subject.operations.change('/handler/pause'),
      ...[resume, resume],
    ];
    while (!this.#isStopped) {
      try {
        await this.random.pick(tasks)();
      } catch (error) {
        // If the receiver is killed meanwhile, nobody knows whether it was done.
        if (!(error instanceof TypeError)) this.subject.ledger.report((error as Error).message);
      }
      await pause(this.random.integer(0, MAX_PAUSE));
    }
  }

  async #replay(state: 'parked' | 'handled'): Promise<void> {
    const ids = await this.subject.operations.list(state);
    if (ids.length === 0) return;
    if (state === 'handled') this.subject.expectRepeats();
    const lastId = this.random.pick(ids);
    const filter = { state, firstId: Math.max(1, lastId - 5), lastId };
    await this.subject.operations.change('/deliveries/replay', { filter });
  }

  async #discard(): Promise<void> {
    const ids = await this.subject.operations.list('parked');
    if (ids.length === 0) return;
    const id = this.random.pick(ids);
    this.subject.ledger.discarding(await this.subject.operations.content(id));
    const filter = { state: 'parked', firstId: id, lastId: id };
    await this.subject.operations.change('/deliveries/discard', { filter, reason: 'not needed' });
  }

  /** Reads everything, and compares it with what was sent. */
  async #export(): Promise<void> {
    for await (const delivery of this.subject.operations.read()) {
      if (this.#isStopped) return;
      if (delivery.state !== 'discarded') this.subject.ledger.exported(delivery);
    }
  }
}
